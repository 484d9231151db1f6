"""Latencies of a tier from Plimsoll's own runs: what each class of I/O took at each load that was measured.

A class is known by what it does: reads of up to 64 KiB are small ones, larger ones are large, and writes of up to 64 KiB on average
are small writes. The load is all I/Os of the measurement together. From a calibration only points of one kind are taken, and from
a matrix of shapes each client alone or beside others of small I/Os, since a tier has one latency at a load. Of closed loops a
deeper queue counts only where it brought more I/Os; of open ones a rate counts only where it was kept. Void trials, series of
rates and measurements with errors count nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plimsoll.facts import Calibration, Cell, Interference, Line, Run, TierLatency

SMALL_BYTES_MAX = 64 << 10
SMALL_READ, LARGE_READ, SMALL_WRITE = "small_read_us", "large_read_us", "small_write_us"
_KEPT = 0.95
"""A rate of which less was served is not kept: its latency grows for as long as one looks."""
_MORE = 1.02
"""A deeper queue has to bring so much more."""
_SAME = 1.05
"""Loads as near as this are one load."""


@dataclass(frozen=True)
class Sample:
    """A class at a load, in I/Os per second."""

    key: str
    load_per_s: float
    latency_us: float
    block_bytes: int
    is_open: bool
    """Whether arrivals had a rate of their own."""


@dataclass(frozen=True)
class Measured:
    """Curves by the names of their keys in a file of tiers, and the size of the large reads where they had one."""

    curves: Mapping[str, tuple[TierLatency, ...]]
    large_read_bytes: int | None
    runs: tuple[str, ...] = ()
    """Ids of the runs."""


def measured(runs: Sequence[Run]) -> Measured:
    """What the runs together say of the storage that they measured."""
    samples = [sample for run in runs for sample in samples_of(run)]
    keys = dict.fromkeys(sample.key for sample in samples)
    sizes = {sample.block_bytes for sample in samples if sample.key == LARGE_READ}
    curves = {key: _curve([sample for sample in samples if sample.key == key]) for key in keys}
    return Measured(curves, sizes.pop() if len(sizes) == 1 else None, tuple(run.id for run in runs))


def samples_of(run: Run) -> Iterator[Sample]:
    """Everything in a run that says what I/Os took at a load."""
    for value in run.results.values():
        for found in value if isinstance(value, tuple) else (value,):
            yield from _of_result(found)


def _of_result(found: object) -> Iterator[Sample]:
    if isinstance(found, Cell):
        yield from _of_cell(found)
    elif isinstance(found, Line):
        for trial in found.trials:
            if trial.void_reason is None:
                yield from _of_cell(trial.cell)
    elif isinstance(found, Calibration):
        yield from _of_calibration(found)
    elif isinstance(found, Interference):
        for encounter in found.encounters:
            if encounter.kept_up is not False and _is_of_one_size(encounter.cell):
                groups = encounter.cell.groups
                first = frozenset(groups[0].classes) if groups else None
                yield from _of_cell(encounter.cell, first)


def _is_of_one_size(cell: Cell) -> bool:
    """Whether one client was at work, or all its I/Os are small."""
    asked = cell.workload.classes
    return len(asked) == 1 or all(_key(one.op, one.mean_bytes) in (SMALL_READ, SMALL_WRITE) for one in asked)


def _of_cell(cell: Cell, classes: frozenset[str] | None = None) -> Iterator[Sample]:
    """Of all its classes, or of those alone whose client had the rate of the cell."""
    rate = cell.arrivals.rate_per_s
    served = sum(one.iops for one in cell.classes if classes is None or one.name in classes)
    if cell.errors or cell.arrivals.kind == "series" or (rate is not None and served < _KEPT * rate):
        return
    load = cell.iops + sum(one.iops for one in cell.beside)
    asked = {one.name: one for one in cell.workload.classes}
    for found in cell.classes:
        one = asked.get(found.name)
        key = None if one is None else _key(one.op, one.mean_bytes)
        counts = classes is None or found.name in classes
        if counts and one is not None and key is not None and found.latency_us.mean is not None:
            yield Sample(key, load, found.latency_us.mean, one.block_bytes, rate is not None)


def _key(op: str, mean_bytes: float) -> str | None:
    """None: large writes, of which a tier says nothing."""
    if op == "read":
        return SMALL_READ if mean_bytes <= SMALL_BYTES_MAX else LARGE_READ
    return SMALL_WRITE if mean_bytes <= SMALL_BYTES_MAX else None


def _of_calibration(found: Calibration) -> Iterator[Sample]:
    for point in found.points:
        if point.small_depth and point.large_depth:
            continue
        if point.cell is not None:
            yield from _of_cell(point.cell)
        elif point.small_iops and point.small_latency_us_mean is not None and not found.write_share:
            yield Sample(SMALL_READ, point.small_iops, point.small_latency_us_mean, found.small_bytes, False)


def _curve(samples: Sequence[Sample]) -> tuple[TierLatency, ...]:
    """Loads that rise; near ones as their means."""
    kept = [one for one in samples if one.is_open] + _without_queues(
        [one for one in samples if not one.is_open]
    )
    groups: list[list[Sample]] = []
    for one in sorted(kept, key=lambda sample: sample.load_per_s):
        if groups and one.load_per_s <= _SAME * groups[-1][0].load_per_s:
            groups[-1].append(one)
        else:
            groups.append([one])
    return tuple(
        TierLatency(
            load_per_s=sum(one.load_per_s for one in group) / len(group),
            latency_us=sum(one.latency_us for one in group) / len(group),
        )
        for group in groups
    )


def _without_queues(closed: Sequence[Sample]) -> list[Sample]:
    """Without those that only waited longer: as many I/Os were served at a shorter latency."""
    found: list[Sample] = []
    for one in sorted(closed, key=lambda sample: sample.latency_us):
        if one.load_per_s > _MORE * max((other.load_per_s for other in found), default=0.0):
            found.append(one)
    return found
