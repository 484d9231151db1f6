"""Files of ORION, from 10.2 to 19c: the summary says what was asked, the CSV files hold the matrix.

One file of a test is named, its folder, or the beginning that its files share (`mytest_20130722_0953`); the others are found
beside it. They tell averages and no distributions, so that the points of the calibration have no cells; moments and
histograms of the later versions are the points' spreads. ORION's megabyte is 2^20 bytes, latency is milliseconds up to 11.1
and microseconds after.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from plimsoll.base.errors import UsageError
from plimsoll.dialects.foreign import Imported
from plimsoll.dialects.foreign._orion_histogram import read_latencies, spreads
from plimsoll.dialects.foreign._orion_lines import HISTOGRAM_BYTES_MAX, Lines, read_lines
from plimsoll.dialects.foreign._orion_summary import Best, Summary, is_summary, read_summary
from plimsoll.dialects.foreign._orion_table import CORNER, Table, read_table
from plimsoll.facts import Calibration, Extreme, Note, Point, PointSpread, Target
from plimsoll.ports.files import read_head
from plimsoll.supply.knee import knee_of

_ENDINGS: Final = (
    "summary.txt", "iops.csv", "mbps.csv", "lat.csv", "hist.txt", "trace.txt", "tradeoff.csv",
)  # fmt: skip
_TABLES: Final = ("iops", "lat", "mbps")
_HEAD_BYTES = 4096
_MB_PER_S = (1 << 20) / 1e6
"""ORION's MBPS in units of 10^6 bytes."""
_MATRICES: Final = {"simple": "basic", "normal": "detailed", "oltp": "row", "dss": "col", "advanced": "basic"}
_KNOWN_MATRICES: Final = ("basic", "detailed", "point", "row", "col", "max")
_STAMP = re.compile(r"_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(?:_\d+)?\Z", re.ASCII)

Spot = tuple[int, int]


@dataclass(frozen=True)
class _Family:
    """The files of one test that are there."""

    prefix: Path
    summary: Summary
    tables: dict[str, Table]
    histograms: Lines | None = None
    """Those of `hist.txt`, where it is there."""

    @property
    def files(self) -> tuple[Path, ...]:
        kept = () if self.histograms is None else (self.histograms.path,)
        return (self.summary.lines.path, *(table.path for table in self.tables.values()), *kept)


class OrionReader:
    """Reads a test of ORION, or of `plimsoll orion`, which writes the same."""

    def recognises(self, path: Path) -> bool:
        """Whether the file, the folder or the beginning of names belongs to a test of ORION's."""
        if path.is_dir():
            return bool(_summaries(path))
        head = (read_head(path, _HEAD_BYTES) or "") if path.is_file() else ""
        if is_summary(head) or any(line.lstrip().lower().startswith(CORNER) for line in head.splitlines()):
            return True
        return _is_summary(_named(_prefix(path), "summary.txt"))

    def read(self, path: Path) -> Imported:
        """The calibration. Raises UnreadableError `orion-unreadable`, UsageError `orion-summary-missing`, `orion-tests-several`."""
        family = _family(path)
        summary = family.summary
        return Imported(
            tool="orion",
            title=_title(family),
            files=family.files,
            tool_version=f"ORION {summary.version}",
            targets=tuple(_target(name, size) for name, size in summary.targets),
            calibration=_calibration(family),
            notes=_notes(family),
        )


READER = OrionReader()


def _family(path: Path) -> _Family:
    prefix = _only_test(path) if path.is_dir() else _prefix(path)
    file = _named(prefix, "summary.txt")
    if not file.is_file() and path.is_file() and is_summary(read_head(path, _HEAD_BYTES) or ""):
        file = path
    if not file.is_file():
        raise UsageError(
            "orion-summary-missing",
            f"there is no {file}",
            "The summary says what the figures are of. Put it beside the other files of its test.",
        )
    tables = {name: _named(prefix, f"{name}.csv") for name in _TABLES}
    histograms = _named(prefix, "hist.txt")
    return _Family(
        prefix,
        read_summary(file),
        {name: read_table(place) for name, place in tables.items() if place.is_file()},
        read_lines(histograms, HISTOGRAM_BYTES_MAX) if histograms.is_file() else None,
    )


def _only_test(folder: Path) -> Path:
    found = _summaries(folder)
    if len(found) == 1:
        return _prefix(found[0])
    if not found:
        raise UsageError(
            "orion-summary-missing", f"there is no summary of ORION's in {folder}", "Name a file."
        )
    names = ", ".join(path.name for path in found[:5])
    raise UsageError(
        "orion-tests-several",
        f"{folder} holds {len(found)} tests of ORION's",
        f"Name the one that you want: {names}{' …' if len(found) > 5 else ''}.",
    )


def _summaries(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.glob("*_summary.txt") if _is_summary(path))
    except OSError:
        return []


def _is_summary(path: Path) -> bool:
    return path.is_file() and is_summary(read_head(path, _HEAD_BYTES) or "")


def _prefix(path: Path) -> Path:
    """What the names of a test's files begin with, from any of them."""
    for ending in _ENDINGS:
        if path.name.endswith(f"_{ending}") and len(path.name) > len(ending) + 1:
            return path.with_name(path.name.removesuffix(f"_{ending}"))
    return path


def _named(prefix: Path, ending: str) -> Path:
    return prefix.parent / f"{prefix.name}_{ending}"


def _title(family: _Family) -> str:
    run = family.summary.option("run") or "unknown"
    stamp = _STAMP.search(family.prefix.name)
    when = "" if stamp is None else " of {}-{}-{} {}:{}".format(*stamp.groups())
    return f"{run} test {family.summary.test or family.prefix.name}{when}"


def _target(name: str, size: int) -> Target:
    kind: Any = "device" if name.startswith(("/dev/", "\\\\.\\")) else "file"
    return Target(
        name=name, kind="simulated" if name.startswith("sim:") else kind, path=name, span_bytes=size
    )


def _calibration(family: _Family) -> Calibration:
    summary = family.summary
    run, matrix = _run(summary), _matrix(summary)
    points = _points(family)
    best = summary.best
    return Calibration(
        shape="custom" if run == "advanced" else run,
        matrix=matrix,
        disks=_disks(summary),
        small_bytes=_told(summary, summary.small_kb, "Small IO size") << 10,
        large_bytes=_told(summary, summary.large_kb, "Large IO size") << 10,
        large_pattern="sequential" if summary.sequential else "random",
        streams_depth=_streams_depth(summary) if summary.sequential else None,
        write_share=_told(summary, summary.write_percent, "Write") / 100,
        duration_s=float(_told(summary, summary.seconds, "Duration for each Data Point")),
        small_depths=_loads(summary.smalls, *(table.smalls for table in family.tables.values())),
        large_depths=_loads(summary.larges, *(table.larges for table in family.tables.values())),
        points=points,
        max_small_iops=_extreme(best.get("iops"), 1),
        max_large_mb_per_s=_extreme(best.get("mbps"), _MB_PER_S),
        min_small_latency_us=_extreme(best.get("latency"), _us_in_summary(summary)),
        knee=knee_of(points),
    )


def _run(summary: Summary) -> str:
    run = summary.option("run")
    if run not in _MATRICES:
        raise summary.lines.broken(summary.command_line, "the command line does not say which run it was")
    return run


def _matrix(summary: Summary) -> Any:
    matrix = summary.option("matrix") or _MATRICES[_run(summary)]
    if matrix not in _KNOWN_MATRICES:
        raise summary.lines.broken(summary.command_line, "the command line names a matrix that is not known")
    return matrix


def _disks(summary: Summary) -> int:
    word = summary.option("num_disks")
    if word is not None:
        if not (word.isascii() and word.isdecimal() and len(word) < 10):
            raise summary.lines.broken(summary.command_line, "cannot read the value of -num_disks")
        return int(word)
    return (
        summary.files if summary.files is not None else _told(summary, len(summary.targets) or None, "Name")
    )


def _streams_depth(summary: Summary) -> int | None:
    word = summary.option("num_streamIO")
    if summary.streams_depth is None and word is not None and word.isascii() and word.isdecimal():
        return int(word[:9])
    return summary.streams_depth


def _told(summary: Summary, value: int | None, line: str) -> int:
    if value is None:
        raise summary.lines.broken(None, f"there is no line '{line}: …'")
    return value


def _loads(*several: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted({load for loads in several for load in loads}))


def _points(family: _Family) -> tuple[Point, ...]:
    """Those of the tables; of a summary alone, those that it names as the best."""
    iops, mbps = _values(family, "iops", 1), _values(family, "mbps", _MB_PER_S)
    latency = _values(family, "lat", _us_in_table(family))
    told = _spreads(family)
    spots = sorted({*iops, *mbps, *latency, *told}, key=lambda spot: (spot[1], spot[0]))
    return tuple(
        Point(
            small_depth=small,
            large_depth=large,
            small_iops=iops.get((small, large)),
            large_mb_per_s=mbps.get((small, large)),
            small_latency_us_mean=latency.get((small, large)),
            spreads=told.get((small, large), ()),
        )
        for small, large in spots
    )


def _spreads(family: _Family) -> dict[Spot, tuple[PointSpread, ...]]:
    """What is told of latencies beside their averages, by point."""
    more = None if family.histograms is None else read_latencies(family.histograms)
    return spreads(read_latencies(family.summary.lines), more)


def _values(family: _Family, name: str, unit: float) -> dict[Spot, float]:
    if name in family.tables:
        return {spot: value * unit for spot, value in family.tables[name].values.items()}
    key = "latency" if name == "lat" else name
    best = family.summary.best.get(key)
    unit = _us_in_summary(family.summary) if key == "latency" else unit
    return {} if best is None else {(best.small, best.large): best.value * unit}


def _extreme(best: Best | None, unit: float) -> Extreme | None:
    if best is None:
        return None
    return Extreme(value=best.value * unit, small_depth=best.small, large_depth=best.large)


def _us_in_table(family: _Family) -> float:
    """Microseconds in the latency table's unit: as it says itself, or else as the summary does."""
    said = family.tables["lat"].preamble if "lat" in family.tables else ""
    if "microsecond" in said:
        return 1
    if "millisecond" in said:
        return 1000
    return _us_in_summary(family.summary)


def _us_in_summary(summary: Summary) -> float:
    """Microseconds in the summary's unit: `usecs` stands behind the value from 11.2 on, nothing before."""
    best = summary.best.get("latency")
    if best is not None:
        return 1 if best.unit == "u" else 1000
    number = re.match(r"(\d{1,3})\.(\d{1,3})", summary.version)
    later = number is not None and (int(number[1]), int(number[2])) >= (11, 2)
    return 1 if later else 1000


def _notes(family: _Family) -> tuple[Note, ...]:
    missing = [f"{name}.csv" for name in _TABLES if name not in family.tables]
    notes = []
    if missing:
        message = (
            f"not found beside the summary: {', '.join(missing)}; of these only the best values are known"
        )
        notes.append(Note(code="orion-files-missing", message=message))
    pairs = (("iops", "iops"), ("mbps", "mbps"), ("latency", "lat"))
    for key, name in pairs:
        best, table = family.summary.best.get(key), family.tables.get(name)
        if best is not None and table is not None and _differs(family, key, best, table):
            message = f"the summary's best {key} is not the value of its point in {table.path.name}"
            notes.append(Note(code="orion-files-differ", message=message))
    return tuple(notes)


def _differs(family: _Family, key: str, best: Best, table: Table) -> bool:
    value = table.values.get((best.small, best.large))
    if value is None:
        return True
    unit = _us_in_table(family) / _us_in_summary(family.summary) if key == "latency" else 1
    return abs(value * unit - best.value) > 0.011 * unit
