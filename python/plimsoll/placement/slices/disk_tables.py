"""What disks give, as `slices.toml` has it: a `[[disk]]` for each, with six rates that were measured."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plimsoll.base.errors import UsageError
from plimsoll.base.nearest import did_you_mean
from plimsoll.placement.slices.wanted import DiskRates
from plimsoll.placement.toml_text import is_name, is_rate, shown

RATES = (
    "read_iops",
    "sequential_read_iops",
    "read_mb_per_s",
    "write_iops",
    "sequential_write_iops",
    "write_mb_per_s",
)
_KEYS = ("device", *RATES)
_DISKS_MAX = 256
_HINT = f"A [[disk]] has {', '.join(_KEYS)}; see `plimsoll help host slice plan`."


class DiskTables:
    """Reads them. `refuse` makes an error of a line, what is wrong, and a hint."""

    def __init__(
        self,
        content: Any,
        lines: Sequence[str],
        kernel_name: Callable[[str], str],
        refuse: Callable[[int, str, str], UsageError],
    ) -> None:
        self._content, self._lines = content, lines
        self._kernel_name, self._refuse = kernel_name, refuse
        self._starts = [
            number
            for number, line in enumerate(lines, 1)
            if re.match(r"\s*\[\[\s*[\"']?disk[\"']?\s*\]\]", line)
        ]

    def disks(self) -> tuple[DiskRates, ...]:
        """All of them, each device once. Raises what `refuse` makes."""
        tables = self._content
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            raise self._refuse(1, "disk is not a list of tables", _HINT)
        if len(tables) > _DISKS_MAX:
            raise self._refuse(1, f"{len(tables)} disks are more than {_DISKS_MAX}", "Leave some out.")
        found = tuple(self._disk(number, table) for number, table in enumerate(tables))
        for number, one in enumerate(found):
            if one.device in [before.device for before in found[:number]]:
                what = f"'{one.device}' is the device of two disks"
                raise self._refuse(self.line(number, "device"), what, "Tell each disk once.")
        return found

    def _disk(self, number: int, table: Mapping[str, Any]) -> DiskRates:
        unknown = [key for key in table if key not in _KEYS]
        if unknown:
            hint = f"{did_you_mean(unknown[0], _KEYS)}{_HINT}"
            raise self._refuse(self.line(number, unknown[0]), f"unknown key '{unknown[0]}'", hint)
        device = table.get("device")
        if not isinstance(device, str) or not is_name(device):
            what = "device is missing" if device is None else f"device: {shown(device)} is not a name"
            raise self._refuse(self.line(number, "device"), what, _HINT)
        rates = {key: self._rate(number, table, key) for key in RATES}
        return DiskRates(device=self._kernel_name(device.strip()), **rates)

    def _rate(self, number: int, table: Mapping[str, Any], key: str) -> float:
        value = table.get(key)
        if value is None:
            raise self._refuse(self.line(number, key), f"{key} is missing", _HINT)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not is_rate(value, 1):
            what = f"{key}: {shown(value)} is not a rate of 1 or more"
            raise self._refuse(self.line(number, key), what, "Write what `plimsoll io` measured.")
        return float(value)

    def line(self, number: int, key: str) -> int:
        """Where a key of the disk of that number stands, or where its table begins."""
        start = self._starts[number] if number < len(self._starts) else 1
        mark = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
        for at in range(start, len(self._lines)):
            if self._lines[at].lstrip().startswith("["):
                break
            if mark.match(self._lines[at]):
                return at + 1
        return start
