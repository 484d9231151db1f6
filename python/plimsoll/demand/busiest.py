"""The stretches of a demand that take most of a storage's time, and the I/O to drive them with as they were."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate

from plimsoll.demand.late import sure
from plimsoll.demand.workload import of_interval
from plimsoll.facts import Arrivals, Database, DemandInterval, IoClass, RateStep, Workload

LENGTHS_S = (1.0, 10.0, 60.0)
"""A burst, what an objective is held against, and what a cache or a queue takes to run full."""

_LEAST_S = 1e-3
"""Shorter parts come from rounding."""

Cost = Callable[[DemandInterval], float]
"""Which share of the storage's time an interval's I/O takes: 1 is all of it."""


@dataclass(frozen=True)
class Stretch:
    """Intervals one after the other, and for how long each of them takes part."""

    begin_time: datetime
    parts: tuple[tuple[DemandInterval, float], ...]

    @property
    def duration_s(self) -> float:
        """Its length."""
        return sum(seconds for _, seconds in self.parts)

    @property
    def end_time(self) -> datetime:
        """Where it ends."""
        return self.begin_time + timedelta(seconds=self.duration_s)

    def holds(self, other: Stretch) -> bool:
        """Whether the other one lies within."""
        return self.begin_time <= other.begin_time and other.end_time <= self.end_time


@dataclass(frozen=True)
class Series:
    """A stretch as I/O: the classes with their mean rates as weights, and when their I/Os arrive.

    `mb_per_s` is what the database asked for, by its own counts; the classes have one size each, so that what is driven may
    differ from it.
    """

    workload: Workload
    arrivals: Arrivals
    mb_per_s: float


def busiest(
    intervals: Sequence[DemandInterval], cost: Cost, lengths_s: Sequence[float] = LENGTHS_S
) -> tuple[Stretch, ...]:
    """For each length the stretch with the highest cost, longest first and none twice; between gaps it may be shorter.

    Late counters count for the part that is sure.
    """
    found: list[Stretch] = []
    blocks = list(_without_gaps(intervals))
    for length_s in sorted(lengths_s, reverse=True):
        ends = [_busiest_of(block, cost, length_s) for block in blocks]
        best = max(ends, key=lambda end: end[0], default=None)
        if best is not None and best[0] > 0 and best[1] not in found:
            found.append(best[1])
    return tuple(found)


def series_of(stretch: Stretch, database: Database, factor: float = 1.0, burst: int = 1) -> Series | None:
    """The stretch at `factor` times its rates; None where nothing of it is known or asked for."""
    steps = [(_classes(part, database), seconds) for part, seconds in stretch.parts]
    names = list(dict.fromkeys(name for classes, _ in steps for name in classes))
    if not names:
        return None
    chosen = [
        _of_all([(classes[name], seconds) for classes, seconds in steps if name in classes]) for name in names
    ]
    rates = [
        RateStep(
            duration_s=seconds,
            rates_per_s=tuple(factor * _rate(classes.get(one.name), one) for one in chosen),
        )
        for classes, seconds in steps
    ]
    whole_s = stretch.duration_s
    weights = [
        sum(step.duration_s * step.rates_per_s[number] for step in rates) / whole_s
        for number in range(len(names))
    ]
    classes = tuple(
        one.model_copy(update={"weight": weight}) for one, weight in zip(chosen, weights, strict=True)
    )
    moved = sum((part.mb_per_s or 0.0) * seconds for part, seconds in stretch.parts)
    return Series(
        Workload(name="replay", classes=classes),
        Arrivals(kind="series", steps=tuple(rates), burst=burst),
        factor * moved / whole_s,
    )


def _without_gaps(intervals: Sequence[DemandInterval]) -> Iterator[list[DemandInterval]]:
    block: list[DemandInterval] = []
    for interval in sure(intervals):
        if interval.gap is None and interval.duration_s > 0:
            block.append(interval)
        elif block:
            yield block
            block = []
    if block:
        yield block


def _busiest_of(block: Sequence[DemandInterval], cost: Cost, length_s: float) -> tuple[float, Stretch]:
    """What the costliest stretch costs, and that stretch: it begins with an interval, or ends with the last one."""
    times = [0.0, *accumulate(interval.duration_s for interval in block)]
    work = [0.0, *accumulate(cost(interval) * interval.duration_s for interval in block)]

    def until(at_s: float) -> float:
        number = min(bisect_right(times, at_s), len(block)) - 1
        return (
            work[number]
            + (at_s - times[number]) * (work[number + 1] - work[number]) / block[number].duration_s
        )

    length_s = min(length_s, times[-1])
    begins = [at_s for at_s in times[:-1] if at_s + length_s <= times[-1]]
    begins.append(times[-1] - length_s)
    best = max(begins, key=lambda at_s: until(at_s + length_s) - until(at_s))
    return until(best + length_s) - until(best), _cut(block, times, best, best + length_s)


def _cut(block: Sequence[DemandInterval], times: Sequence[float], begin_s: float, end_s: float) -> Stretch:
    spans = [
        (interval, min(end_s, times[number + 1]) - max(begin_s, times[number]))
        for number, interval in enumerate(block)
    ]
    begin = block[0].begin_time + timedelta(seconds=begin_s)
    return Stretch(begin, tuple((interval, seconds) for interval, seconds in spans if seconds > _LEAST_S))


def _classes(interval: DemandInterval, database: Database) -> dict[str, IoClass]:
    asked = of_interval(interval, database)
    return {} if asked.workload is None else {io.name: io for io in asked.workload.classes}


def _of_all(own: Sequence[tuple[IoClass, float]]) -> IoClass:
    """The class with the size that moves its bytes: of all its I/Os the mean, in whole steps of the smallest of its sizes."""
    ios = sum(io.weight * seconds for io, seconds in own)
    moved = sum(io.weight * io.block_bytes * seconds for io, seconds in own)
    unit = min(io.block_bytes for io, _ in own)
    size = unit if not ios else max(unit, round(moved / ios / unit) * unit)
    largest = max(io.block_bytes for io, _ in own)
    forced = {
        "sync": any(io.sync for io, _ in own),
        "flush": next((io.flush for io, _ in own if io.flush), None),
    }
    return own[0][0].model_copy(update={"block_bytes": min(size, largest), **forced})


def _rate(own: IoClass | None, chosen: IoClass) -> float:
    """I/Os per second of one step: as many as move its bytes where they are sequential, else as many as there were."""
    if own is None:
        return 0.0
    by_bytes = own.pattern == "sequential" and not own.sync and own.flush is None
    return own.weight * own.block_bytes / chosen.block_bytes if by_bytes else own.weight
