"""What a disk gives, from Plimsoll's own runs: the highest rate of each kind of I/O that a `[[disk]]` tells.

A rate is that of the kind alone: 4 KiB at random places, 4 KiB in sequence, and 1 MiB in sequence, reads and writes apart, as the
kernel's cost model has them (Documentation/admin-guide/cgroup-v2.rst, `io.cost.model`). Measurements with errors count nowhere, nor
do those through the page cache, of I/Os that the kernel put together, at a rate that was asked for, or with pauses: what these come
to is not what the disk gives. Where the rate went to another level for good that one counts, for no other was held.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plimsoll.facts import BlockDevice, Calibration, Cell, Run

SMALL_BYTES, LARGE_BYTES = 4 << 10, 1 << 20
_SEQUENTIAL, _RANDOM = "sequential", "random"


@dataclass(frozen=True)
class MeasuredDisk:
    """Rates by the names of their keys, and what the runs measured."""

    rates: Mapping[str, float]
    devices: tuple[BlockDevice | None, ...]
    """Of each run the disk beneath; None: none is known, or one without a serial number on another host."""
    told: tuple[str, ...] = ()
    """Of each run its id and title; empty where that is not known."""


def measured_disk(runs: Sequence[Run], here: str | None = None) -> MeasuredDisk:
    """What the runs together say; `here` is the name of this host, None where the disk may be another's."""
    rates: dict[str, float] = {}
    for run in runs:
        for key, rate in _rates(run):
            rates[key] = max(rate, rates.get(key, 0.0))
    told = tuple(f"{run.id}, {run.title}" for run in runs)
    return MeasuredDisk(rates, tuple(_device(run, here) for run in runs), told)


def _device(run: Run, here: str | None) -> BlockDevice | None:
    """Names such as vda are on every host: without a serial number they say which disk it is on their own alone."""
    device = None if run.target is None else run.target.device
    is_elsewhere = here is not None and run.provenance.host.hostname != here
    return None if device is None or (is_elsewhere and not device.serial) else device


def _rates(run: Run) -> Iterator[tuple[str, float]]:
    for value in run.results.values():
        for found in value if isinstance(value, tuple) else (value,):
            if isinstance(found, Cell):
                yield from _of_cell(found)
            elif isinstance(found, Calibration):
                for point in found.points:
                    if point.cell is not None:
                        yield from _of_cell(point.cell)


def _of_cell(cell: Cell) -> Iterator[tuple[str, float]]:
    """Of its one class; a mix says of no kind what the disk gives alone."""
    classes = cell.workload.classes
    if (
        cell.errors
        or not cell.direct
        or cell.beside
        or len(classes) != 1
        or _is_held_back(cell)
        or cell.merge
    ):
        return
    (one,) = classes
    size = one.block_bytes if not one.sizes else 0
    if size == LARGE_BYTES and one.pattern == _SEQUENTIAL:
        yield f"{one.op}_mb_per_s", cell.held_mb_per_s
    elif size == SMALL_BYTES and one.pattern == _SEQUENTIAL:
        yield f"sequential_{one.op}_iops", cell.held_iops
    elif size == SMALL_BYTES and one.pattern == _RANDOM:
        yield f"{one.op}_iops", cell.held_iops


def _is_held_back(cell: Cell) -> bool:
    """Whether it was to do less than it could."""
    groups = cell.groups
    return cell.arrivals.kind != "closed" or any(
        one.arrivals.kind != "closed" or one.think_us > 0 for one in groups
    )
