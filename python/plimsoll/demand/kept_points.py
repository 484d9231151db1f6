"""Points of trends from kept snapshots: of days that are over what was noted of them, of the rest their snapshots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import nan
from typing import NamedTuple

from plimsoll.demand import classes
from plimsoll.demand.changed_rows import UNKNOWN
from plimsoll.demand.day_intervals import MAIN, cells_of
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
    places = {name: place for place, name in enumerate(day.columns)}
    begin, duration = places["begin_s"], places["duration_s"]
    metrics = [
        (found[one.name], places[one.column], places.get(one.basis or ""), one.factor, places.get(one.weight or ""))
        for one in wanted
    ]  # fmt: skip
    gaps = 0
    for values in cells_of(day):
        begin_s, duration_s = float(values[begin]), float(values[duration])
        gaps += values[places["iops"]] == values[places["mb_per_s"]] == UNKNOWN
        for of_bases, place, basis_place, factor, weight_place in metrics:
            if values[place] == UNKNOWN:
                continue
            basis = "" if basis_place is None else values[basis_place]
            weight = nan if weight_place is None else _weight(values[weight_place], duration_s)
            if weight == 0.0:
                continue
            if basis not in of_bases:
                of_bases[basis] = InstancePoints()
            of_bases[basis].add(begin_s, duration_s, factor * float(values[place]), weight)
    return gaps


def _weight(rate: str, duration_s: float) -> float:
    return 0.0 if rate == UNKNOWN else float(rate) * duration_s
