"""Points of trends from kept snapshots: of days as far as they are noted what was noted of them, of the rest their snapshots."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import isfinite, isnan, nan
from typing import NamedTuple, TypeVar

from plimsoll.demand import classes
from plimsoll.demand.day_intervals import MAIN
from plimsoll.demand.points import AllPoints, InstancePoints, SeriesKey, gaps_note, other_bases
from plimsoll.facts import KeptRows, Note
from plimsoll.native.columns import number_columns, word_columns

T = TypeVar("T")

DAYS_UNREADABLE = "days-unreadable"
"""The code of the note that days which were noted cannot be read."""
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
    def columns(self) -> set[str]:
        """All that it is read from."""
        return {name for name in (self.column, self.basis, self.weight) if name}

    def times(self, values: array[float]) -> array[float]:
        """The values that stand there, as they are meant."""
        return array("d", [self.factor * value for value in values])


_NEEDED = ("begin_s", "duration_s", "iops", "mb_per_s")
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
    gaps, strange = 0, 0
    for day in days:
        count = _add_day(found, day, wanted)
        gaps += count or 0
        strange += count is None
    made: AllPoints = {}
    counts: dict[SeriesKey, Counter[str]] = {}
    for name, of_bases in found.items():
        if of_bases:
            key = SeriesKey(database, name)
            counts[key] = Counter({basis: len(points.value) for basis, points in of_bases.items()})
            made[key] = {"": of_bases[counts[key].most_common(1)[0][0]]}
    return made, [*gaps_note(gaps), *_strange_note(strange), *other_bases(counts)]


def first_moment_s(day: KeptRows) -> float | None:
    """When the first interval of a day began, in seconds since 1970; None where that cannot be read."""
    try:
        begins = number_columns(day.rows, [day.columns.index("begin_s")])[0]
    except ValueError:
        return None
    return begins[0] if begins and isfinite(begins[0]) else None


def _strange_note(count: int) -> list[Note]:
    if not count:
        return []
    days = "1 day is" if count == 1 else f"{count:,} days are"
    message = (
        f"{days} noted in a way that this plimsoll does not read, by another release or damaged: what was asked for then is"
        " unknown"
    )
    return [Note(code=DAYS_UNREADABLE, message=message)]


def _add_day(found: dict[str, _ByBasis], day: KeptRows, wanted: tuple[_Metric, ...]) -> int | None:
    """Says how many of its intervals are gaps; None: it cannot be read."""
    known = [metric for metric in wanted if metric.columns <= set(day.columns)]
    if not set(_NEEDED) <= set(day.columns):
        return None
    try:
        cells = _Cells(day, known)
    except ValueError:
        return None
    if not isfinite(sum(cells.numbers["begin_s"])):
        return None
    for metric in known:
        _add_metric(found[metric.name], cells, metric)
    iops, mb_per_s = cells.numbers["iops"], cells.numbers["mb_per_s"]
    if not isnan(sum(iops)):
        return 0
    return sum(isnan(one) and isnan(other) for one, other in zip(iops, mb_per_s, strict=True))


class _Cells:
    """What is wanted of the lines of a day, column by column; numbers are NaN where nothing is known."""

    def __init__(self, day: KeptRows, wanted: Iterable[_Metric]) -> None:
        numbers = {*_NEEDED} | {one.column for one in wanted} | {one.weight for one in wanted if one.weight}
        bases = {one.basis for one in wanted if one.basis}
        self.numbers = _named(number_columns, day, numbers)
        self.bases = _named(word_columns, day, bases)


def _named(read: Callable[[str, list[int]], list[T]], day: KeptRows, names: set[str]) -> dict[str, T]:
    places = {name: place for place, name in enumerate(day.columns) if name in names}
    return dict(zip(places, read(day.rows, list(places.values())), strict=True))


def _add_metric(of_bases: _ByBasis, cells: _Cells, metric: _Metric) -> None:
    """Most days know all values, as sums of the same classes."""
    values = cells.numbers[metric.column]
    bases = cells.bases[metric.basis] if metric.basis else ()
    if not values:
        return
    begin_s, duration_s = cells.numbers["begin_s"], cells.numbers["duration_s"]
    if metric.weight is None and not isnan(sum(values)) and len(set(bases)) <= 1:
        points = of_bases.setdefault(bases[0] if bases else "", InstancePoints())
        points.extend(begin_s, duration_s, values if metric.factor == 1.0 else metric.times(values))
        return
    rates = cells.numbers[metric.weight] if metric.weight else ()
    for number, value in enumerate(values):
        weight = _weight(rates[number], duration_s[number]) if rates else nan
        if not isnan(value) and weight != 0.0:
            points = of_bases.setdefault(bases[number] if bases else "", InstancePoints())
            points.add(begin_s[number], duration_s[number], metric.factor * value, weight)


def _weight(rate: float, duration_s: float) -> float:
    return 0.0 if isnan(rate) else rate * duration_s
