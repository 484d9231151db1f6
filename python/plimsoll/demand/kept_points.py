"""Points of trends from kept snapshots: of days that are over what was noted of them, of the rest their snapshots."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from math import nan
from typing import NamedTuple

from plimsoll.demand import classes
from plimsoll.demand.changed_rows import SEPARATOR, UNKNOWN
from plimsoll.demand.day_intervals import MAIN
from plimsoll.demand.points import AllPoints, InstancePoints, SeriesKey, gaps_note, other_bases
from plimsoll.facts import KeptRows, Note

_BASES = {"iops": "operations", "mb_per_s": "sizes"}
"""The column that says what a sum is of."""
_BYTES = 1e-6
"""Of bytes to megabytes."""


class _Metric(NamedTuple):
    """Where a metric's values stand in a line, and what they are times."""

    name: str
    column: str
    basis: str | None = None
    factor: float = 1.0
    weight: str | None = None
    """The column of a rate: the value is a mean of so many a second."""

    @property
    def columns(self) -> tuple[str, ...]:
        """All that it is read from."""
        others = (self.basis, self.weight, "begin_s", "duration_s", "iops", "mb_per_s")
        return self.column, *(name for name in others if name)


_MAIN = tuple(_Metric(name, name, _BASES.get(name)) for name in MAIN)


def _of_classes() -> Iterator[_Metric]:
    for name in classes.NAMES:
        yield _Metric(f"{name}_per_s", f"{name}.ops_per_s")
        yield _Metric(f"{name}_mb_per_s", f"{name}.bytes_per_s", factor=_BYTES)
        yield _Metric(f"{name}_latency_us", f"{name}.latency_us_mean", weight=f"{name}.ops_per_s")


_ByBasis = dict[str, InstancePoints]


def points_of_days(database: str, days: Iterable[KeptRows], by_class: bool) -> tuple[AllPoints, list[Note]]:
    """The points of one database; those of single classes of I/O only where they are wanted, since there are many."""
    wanted = (*_MAIN, *_of_classes()) if by_class else _MAIN
    found: dict[str, _ByBasis] = {metric.name: {} for metric in wanted}
    gaps = sum(_add_day(found, day, wanted) for day in days)
    made: AllPoints = {}
    counts: dict[SeriesKey, Counter[str]] = {}
    for name, of_bases in found.items():
        if of_bases:
            key = SeriesKey(database, name)
            counts[key] = Counter({basis: len(points.value) for basis, points in of_bases.items()})
            made[key] = {"": of_bases[counts[key].most_common(1)[0][0]]}
    return made, [*gaps_note(gaps), *other_bases(counts)]


def _add_day(found: dict[str, _ByBasis], day: KeptRows, wanted: tuple[_Metric, ...]) -> int:
    """Says how many of its intervals are gaps."""
    cells = _Cells(day, max(day.columns.index(name) for one in wanted for name in one.columns))
    for metric in wanted:
        _add_metric(found[metric.name], cells, metric)
    return sum(iops == mb == UNKNOWN for iops, mb in zip(cells.of("iops"), cells.of("mb_per_s"), strict=True))


class _Cells:
    """The lines of a day, column by column, up to the last that is wanted."""

    def __init__(self, day: KeptRows, last: int) -> None:
        self._places = {name: place for place, name in enumerate(day.columns)}
        rows = [line.split(SEPARATOR, last + 1) for line in day.rows.split("\n") if line]
        self._columns = list(zip(*rows, strict=False)) or [()] * (last + 1)
        self.begin_s = array("d", map(float, self.of("begin_s")))
        self.duration_s = array("d", map(float, self.of("duration_s")))

    def of(self, column: str) -> tuple[str, ...]:
        """As they are written."""
        return self._columns[self._places[column]]


def _add_metric(of_bases: _ByBasis, cells: _Cells, metric: _Metric) -> None:
    """Most days know all values, as sums of the same classes."""
    values, bases = cells.of(metric.column), cells.of(metric.basis) if metric.basis else ()
    if not values:
        return
    if metric.weight is None and UNKNOWN not in values and len(set(bases)) <= 1:
        points = of_bases.setdefault(bases[0] if bases else "", InstancePoints())
        points.extend(cells.begin_s, cells.duration_s, [metric.factor * float(value) for value in values])
        return
    weights = cells.of(metric.weight) if metric.weight else ()
    for number, value in enumerate(values):
        duration_s = cells.duration_s[number]
        weight = _weight(weights[number], duration_s) if weights else nan
        if value != UNKNOWN and weight != 0.0:
            points = of_bases.setdefault(bases[number] if bases else "", InstancePoints())
            points.add(cells.begin_s[number], duration_s, metric.factor * float(value), weight)


def _weight(rate: str, duration_s: float) -> float:
    return 0.0 if rate == UNKNOWN else float(rate) * duration_s
