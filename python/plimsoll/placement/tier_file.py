"""Tiers as they are written down: `tiers.toml`, a `[[tier]]` for each, fastest first or in any order.

A latency is a number of microseconds, or a curve: `[[0, 5000], [150, 9000]]` are I/Os per second of the whole tier, and
microseconds then. With `run`, the name of a stored run or a list of names, latencies that are not written down are those that
the runs measured.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plimsoll.base.errors import UsageError, input_error
from plimsoll.base.nearest import did_you_mean
from plimsoll.base.units import parse_bytes
from plimsoll.facts import Tier, TierLatency
from plimsoll.placement.measured import Measured
from plimsoll.placement.toml_text import NotTomlError, content_of, is_finite, shown
from plimsoll.ports import files

BYTES_MAX = 1 << 20
TIERS_MAX = 64
_SIZE_MAX = 1 << 63
LATENCIES = ("small_read_us", "large_read_us", "small_write_us")
_SIZES = ("capacity_bytes", "large_read_bytes", "rated_write_bytes")
_NUMBERS = ("large_read_mb_per_s", "iops_max", "price_per_tb_month", "redundancy")
_TRUTHS = ("shared", "hot_swap")
STATED = ("name", *LATENCIES, *_SIZES, *_NUMBERS, *_TRUTHS, "source")
"""Keys that a field of a tier is called like."""
KEYS = (*STATED, "run")
_ABOVE_ZERO = ("large_read_mb_per_s", "redundancy", "iops_max")
_HINT = "A [[tier]] has name, small_read_us, large_read_us and small_write_us; see `plimsoll help place`."
_LATENCY_HINT = "Write microseconds, or a curve over load such as [[0, 5000], [150, 9000]]."
_RUN_HINT = 'Write the id of a stored run, such as run = "latest", or of several: run = ["ID", "ID"].'
_NOTHING = Measured({}, None)
ByRuns = Callable[[Sequence[str]], Measured]
"""What the stored runs of these names measured."""


@dataclass(frozen=True)
class TierFile:
    """The tiers of a file in their order, and how a message names the place of what it is about."""

    tiers: tuple[Tier, ...]
    where: Callable[[int, str], str]
    """File and line of a key of a tier, or of the tier where it has no such key."""


def read_tiers(path: Path | str, by_runs: ByRuns = lambda _: _NOTHING) -> TierFile:
    """All of a file.

    Raises UsageError `tiers-unreadable` with file and line, `file-missing`, WorldError `tiers-unreadable`, and what `by_runs`
    raises.
    """
    try:
        text = files.read_input(path, BYTES_MAX).decode("utf-8-sig")
    except OSError as error:
        raise input_error("tiers-unreadable", path, error) from error
    except UnicodeDecodeError as error:
        raise _off(path, 1, "it is not UTF-8 text", _HINT) from error
    reader = _Reader(str(path), text, by_runs)
    return TierFile(reader.tiers(), reader.where)


def _off(path: object, line: int, what: str, hint: str) -> UsageError:
    return UsageError("tiers-unreadable", f"{path}, line {line:,}: {what}", hint)


class _Reader:
    """Reads one file."""

    def __init__(self, path: str, text: str, by_runs: ByRuns) -> None:
        self.path, self.lines, self.by_runs = path, text.splitlines(), by_runs
        self.starts = [
            number for number, line in enumerate(self.lines, 1) if re.match(r"\s*\[\[\s*tier\s*\]\]", line)
        ]
        try:
            self.content = content_of(text)
        except NotTomlError as error:
            raise _off(path, error.line, f"it is not TOML: {error.why}", _HINT) from error

    def tiers(self) -> tuple[Tier, ...]:
        """All of the file."""
        unknown = [key for key in self.content if key != "tier"]
        if unknown:
            raise _off(self.path, self._top_line(unknown[0]), f"unknown key '{unknown[0]}'", _HINT)
        tables = self.content.get("tier", [])
        if not isinstance(tables, list) or not tables or not all(isinstance(one, dict) for one in tables):
            raise _off(self.path, 1, "it has no [[tier]]", _HINT)
        if len(tables) > TIERS_MAX:
            raise _off(
                self.path,
                1,
                f"{len(tables)} tiers are more than {TIERS_MAX}",
                "Leave out what nothing could lie on.",
            )
        found = tuple(self._tier(number, table) for number, table in enumerate(tables))
        names = [one.name for one in found]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise self._at(
                    number, "name", f"'{name}' is the name of two tiers", "Give each a name of its own."
                )
        return found

    def _tier(self, number: int, table: Mapping[str, Any]) -> Tier:
        unknown = [key for key in table if key not in KEYS]
        if unknown:
            hint = f"{did_you_mean(unknown[0], KEYS)}A tier has {', '.join(KEYS)}."
            raise self._at(number, unknown[0], f"unknown key '{unknown[0]}'", hint)
        name = table.get("name")
        if not isinstance(name, str) or not name.strip():
            raise self._at(number, "name", "the tier has no name", _HINT)
        source = table.get("source", self.path)
        fields: dict[str, Any] = {
            "name": name.strip(),
            "capacity_bytes": None,
            "source": source if isinstance(source, str) else shown(source),
        }
        runs = self._runs(number, table)
        measured = self.by_runs(runs) if runs else _NOTHING
        fields["runs"] = measured.runs
        for key in LATENCIES:
            fields[key] = self._latency(number, key, table, measured, runs)
        if LATENCIES[1] not in table:
            fields["large_read_bytes"] = measured.large_read_bytes
        for key in (key for key in _SIZES if key in table):
            fields[key] = self._size(number, key, table[key])
        for key in (key for key in _NUMBERS if key in table):
            fields[key] = self._number(number, key, table[key])
        for key in (key for key in _TRUTHS if key in table):
            if not isinstance(table[key], bool):
                raise self._at(
                    number,
                    key,
                    f"{key}: {shown(table[key])} is neither true nor false",
                    "Write true or false.",
                )
            fields[key] = table[key]
        return Tier(**fields)

    def _runs(self, number: int, table: Mapping[str, Any]) -> tuple[str, ...]:
        """The runs that measured the tier, by name."""
        value = table.get("run", [])
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list) or not all(isinstance(one, str) and one.strip() for one in names):
            raise self._at(number, "run", f"run: {shown(value)} is not the name of a run", _RUN_HINT)
        return tuple(name.strip() for name in names)

    def _latency(
        self, number: int, key: str, table: Mapping[str, Any], measured: Measured, runs: Sequence[str]
    ) -> tuple[TierLatency, ...]:
        value = table.get(key)
        if value is None and key in measured.curves:
            return measured.curves[key]
        if value is None and runs:
            what = key.removesuffix("_us").replace("_", " ")
            hint = f'Write {key}, or name a run that has {what}s too: run = ["ID", "ID"].'
            raise self._at(number, "run", f"{' and '.join(runs)} measured no {what}s", hint)
        if value is None:
            raise self._at(number, key, f"{key} is missing", _LATENCY_HINT)
        if not isinstance(value, list):
            return (TierLatency(load_per_s=0.0, latency_us=self._above_zero(number, key, value)),)
        if not value or not all(isinstance(point, list) and len(point) == 2 for point in value):
            raise self._at(number, key, f"{key} is not a list of [load, latency] pairs", _LATENCY_HINT)
        points = tuple(
            TierLatency(
                load_per_s=self._number(number, key, load), latency_us=self._above_zero(number, key, us)
            )
            for load, us in value
        )
        loads = [point.load_per_s for point in points]
        if any(later <= earlier for earlier, later in itertools.pairwise(loads)):
            raise self._at(
                number,
                key,
                f"the loads of {key} are not in ascending order",
                "Write its points by load, least first.",
            )
        return points

    def _above_zero(self, number: int, key: str, value: Any) -> float:
        if isinstance(value, int | float) and not isinstance(value, bool) and value <= 0:
            raise self._at(number, key, f"{key}: {shown(value)} is not above zero", _LATENCY_HINT)
        return self._number(number, key, value)

    def _number(self, number: int, key: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._at(
                number,
                key,
                f"{key}: {shown(value)} is not a number",
                "Write a plain number, in the unit that the name says.",
            )
        if value > 0 and not is_finite(value):
            raise self._at(number, key, f"{key}: {shown(value)} is too large", "Write a smaller number.")
        if not is_finite(value) or (value <= 0 and key in _ABOVE_ZERO):
            raise self._at(
                number, key, f"{key}: {shown(value)} is not above zero", "Write a number above zero."
            )
        if value < 0:
            raise self._at(number, key, f"{key}: {shown(value)} is negative", "Write 0 or a positive number.")
        return float(value)

    def _size(self, number: int, key: str, value: Any) -> int:
        if isinstance(value, str):
            try:
                value = parse_bytes(value)
            except UsageError as error:
                raise self._at(
                    number,
                    key,
                    f"{key}: {error.message}",
                    "Write bytes, or a size such as '800g' or '1.6TB'.",
                ) from error
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < _SIZE_MAX:
            hint = "Write whole bytes above zero, or a size such as '800g'; leave it out where nothing limits it."
            raise self._at(number, key, f"{key}: {shown(value)} is not a size", hint)
        return value

    def _at(self, number: int, key: str, what: str, hint: str) -> UsageError:
        return _off(self.path, self._line(number, key), what, hint)

    def where(self, number: int, key: str) -> str:
        """As a message begins."""
        return f"{self.path}, line {self._line(number, key):,}"

    def _line(self, number: int, key: str) -> int:
        """Where a key stands in the table of that number, or where the table begins."""
        start = self.starts[number] if number < len(self.starts) else 1
        end = self.starts[number + 1] - 1 if number + 1 < len(self.starts) else len(self.lines)
        mark = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
        return next((line for line in range(start, end + 1) if mark.match(self.lines[line - 1])), start)

    def _top_line(self, key: str) -> int:
        mark = re.compile(rf"\s*\[*[\"']?{re.escape(key)}\b")
        return next((number for number, line in enumerate(self.lines, 1) if mark.match(line)), 1)
