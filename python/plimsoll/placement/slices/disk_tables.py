"""What disks give, as `slices.toml` has it: a `[[disk]]` for each, with six rates, or the stored runs that measured them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plimsoll.base.errors import UsageError
from plimsoll.base.nearest import did_you_mean
from plimsoll.facts import BlockDevice
from plimsoll.placement.slices.measured_disks import MeasuredDisk
from plimsoll.placement.slices.wanted import DiskRates
from plimsoll.placement.toml_text import is_name, is_rate, is_share, shown

HOW = {
    "read_iops": "--rw randread --block 4k",
    "sequential_read_iops": "--rw read --block 4k",
    "read_mb_per_s": "--rw read --block 1m",
    "write_iops": "--rw randwrite --block 4k",
    "sequential_write_iops": "--rw write --block 4k",
    "write_mb_per_s": "--rw write --block 1m",
}
"""The options of `plimsoll io` that measure each rate."""
RATES = tuple(HOW)
_SHARE = "rate_share"
_KEYS = ("device", *RATES, "run", _SHARE)
_DISKS_MAX = 256
_HINT = f"A [[disk]] has {', '.join(_KEYS)}; see `plimsoll help host slice plan`."
_RUN_HINT = (
    'Write the id of a stored run, such as run = "20261129-090000", or of several: run = ["ID", "ID"].'
)
_SHARE_HINT = (
    "Write how much of the rates the kernel is told: a number above 0, up to 1, such as rate_share = 0.6."
)
_OTHER_HINT = "Name runs of that disk on that host by their ids: the latest run is this plan the next time."
_NOTHING = MeasuredDisk({}, ())
ByRuns = Callable[[Sequence[str]], MeasuredDisk]
"""What the stored runs of these names measured."""


def no_runs(_: Sequence[str]) -> MeasuredDisk:
    """Where there is no store to look into."""
    return _NOTHING


def _shown_device(device: BlockDevice) -> str:
    """Its name then, and its serial number."""
    return f"{device.name} ({device.serial})" if device.serial else device.name


class DiskTables:
    """Reads them. `refuse` makes an error of a line, what is wrong, and a hint."""

    def __init__(
        self,
        content: Any,
        lines: Sequence[str],
        kernel_name: Callable[[str], str],
        refuse: Callable[[int, str, str], UsageError],
        by_runs: ByRuns = no_runs,
    ) -> None:
        self._content, self._lines = content, lines
        self._kernel_name, self._refuse, self._by_runs = kernel_name, refuse, by_runs
        self._starts = [
            number
            for number, line in enumerate(lines, 1)
            if re.match(r"\s*\[\[\s*[\"']?disk[\"']?\s*\]\]", line)
        ]

    def disks(self) -> tuple[DiskRates, ...]:
        """All of them, each device once. Raises what `refuse` makes and `by_runs` raises."""
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
        name = self._kernel_name(device.strip())
        runs = self._runs(number, table)
        measured = self._measured(number, runs, name) if runs else _NOTHING
        rates = {key: self._rate(number, table, key, measured, runs) for key in RATES}
        return DiskRates(device=name, **rates, rate_share=self._share(number, table, rates))

    def _runs(self, number: int, table: Mapping[str, Any]) -> tuple[str, ...]:
        """The runs that measured the disk, by name."""
        value = table.get("run", [])
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list) or not all(isinstance(one, str) and one.strip() for one in names):
            what = f"run: {shown(value)} is not the name of a run"
            raise self._refuse(self.line(number, "run"), what, _RUN_HINT)
        return tuple(name.strip() for name in names)

    def _measured(self, number: int, runs: Sequence[str], disk: str) -> MeasuredDisk:
        """What they say of that disk and of no other."""
        found = self._by_runs(runs)
        for run, device, told in zip(runs, found.devices, found.told or [""] * len(runs), strict=True):
            if device is None or self._name_now(device) != disk:
                seen = "no disk that is known" if device is None else _shown_device(device)
                which = f"{run} ({told})" if told else run
                what = f"run {which} measured {seen}, and the disk is {disk}"
                raise self._refuse(self.line(number, "run"), what, _OTHER_HINT)
        return found

    def _name_now(self, device: BlockDevice) -> str:
        """Kernels number disks anew with a boot, so that the serial number says more than the name that it had."""
        if device.serial and self._kernel_name is not str:
            return self._kernel_name(device.serial)
        return device.name

    def _rate(
        self,
        number: int,
        table: Mapping[str, Any],
        key: str,
        measured: MeasuredDisk,
        runs: Sequence[str],
    ) -> float:
        value = table.get(key)
        if value is None and measured.rates.get(key, 0.0) >= 1:
            return measured.rates[key]
        if value is None and runs:
            what = f"{' and '.join(runs)} measured no {key}"
            hint = f"Write {key}, or name a run of `plimsoll io {HOW[key]}` too."
            raise self._refuse(self.line(number, "run"), what, hint)
        if value is None:
            raise self._refuse(self.line(number, key), f"{key} is missing", _HINT)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not is_rate(value, 1):
            what = f"{key}: {shown(value)} is not a rate of 1 or more"
            raise self._refuse(self.line(number, key), what, "Write what `plimsoll io` measured.")
        return float(value)

    def _share(self, number: int, table: Mapping[str, Any], rates: Mapping[str, float]) -> float:
        """How much of the rates the kernel is told: 1 where the file does not say. No rate is less than 1 then, as none may be."""
        value = table.get(_SHARE, DiskRates.rate_share)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not is_share(value):
            what = f"{_SHARE}: {shown(value)} is not above 0 and up to 1"
            raise self._refuse(self.line(number, _SHARE), what, _SHARE_HINT)
        lost = next((key for key, rate in rates.items() if not is_rate(rate * value, 1)), None)
        if lost is not None:
            what = f"{_SHARE}: {shown(value)} of {lost}, which is {rates[lost]:,.10g}, is less than 1"
            raise self._refuse(self.line(number, _SHARE), what, "Write a higher share.")
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
