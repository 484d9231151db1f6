"""What each job got, from the cells of its file's run.

Jobs that ran at once share a cell: rates and latencies are told apart there, CPU time and windows belong to all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from plimsoll.facts import Cell, ClassResult, Group, LatencyUs
from plimsoll.native.latency import latency


@dataclass(frozen=True)
class JobResult:
    """One job: its group of the cell, and the classes that are its own. `phase` counts the cells from 0."""

    cell: Cell
    group: Group
    classes: tuple[ClassResult, ...]
    phase: int

    @property
    def alone(self) -> bool:
        """Whether nothing ran beside it, so that all of the cell is its own."""
        return len(self.cell.groups) <= 1

    @property
    def runtime_s(self) -> float:
        """How long it was measured, from its own beginning to its own end."""
        return self.cell.runtime_s if self.group.runtime_s is None else self.group.runtime_s

    @property
    def told_classes(self) -> tuple[ClassResult, ...]:
        """What each class got beside the rate that is told: where that went to another level for good, in that part, and with
        unknown latencies where distributions of windows were not kept."""
        if self.cell.change is None:
            return self.classes
        held = tuple(io for io in self.cell.held if io.name in self.group.classes)
        share = self.cell.held_iops / (self.cell.iops or 1.0)
        return held or tuple(_without_latency(io, share) for io in self.classes)

    @property
    def latency_us(self) -> LatencyUs:
        """Of all its I/Os; at a rate from when each was due."""
        return self.cell.latency_us if self.alone else _together(io.latency_us for io in self.classes)

    @property
    def service_us(self) -> LatencyUs | None:
        """At a rate: from when each was submitted. None in a closed loop, where it is the same."""
        if self.alone:
            return self.cell.service_us
        parts = [io.service_us for io in self.classes if io.service_us is not None]
        return _together(parts) if parts else None


def _without_latency(io: ClassResult, share: float) -> ClassResult:
    rates = {"iops": share * io.iops, "mb_per_s": share * io.mb_per_s}
    return io.model_copy(update={**rates, "latency_us": LatencyUs(count=0), "service_us": None})


def job_results(cells: Iterable[Cell]) -> Iterator[JobResult]:
    """Every job, in the order of the file."""
    for phase, cell in enumerate(cells):
        for group in cell.groups:
            classes = tuple(io for io in cell.classes if io.name in group.classes)
            yield JobResult(cell, group, classes, phase)


def document(result: JobResult) -> dict[str, Any]:
    """The members of a Cell for one job, JSON-ready; what belongs to all jobs of its cell is None."""
    whole = result.cell.model_dump(mode="json")
    if result.alone:
        return whole
    own = [io for io in result.cell.workload.classes if io.name in result.group.classes]
    held = [io for io in result.cell.held if io.name in result.group.classes]
    service = result.service_us
    return whole | {
        "runtime_s": result.runtime_s,
        "iops": sum(io.iops for io in result.classes),
        "mb_per_s": sum(io.mb_per_s for io in result.classes),
        "ios": sum(io.ios for io in result.classes),
        "errors": sum(io.errors for io in result.classes),
        "latency_us": result.latency_us.model_dump(mode="json"),
        "service_us": None if service is None else service.model_dump(mode="json"),
        "engine": result.group.engine,
        "jobs": result.group.jobs,
        "depth": result.group.depth,
        "arrivals": result.group.arrivals.model_dump(mode="json"),
        "workload": {"name": result.group.name, "classes": [io.model_dump(mode="json") for io in own]},
        "groups": [result.group.model_dump(mode="json")],
        "classes": [io.model_dump(mode="json") for io in result.classes],
        **dict.fromkeys(_SHARED),
        "windows": [],
        "held": [io.model_dump(mode="json") for io in held],
        "held_latency_us": _together(io.latency_us for io in held).model_dump(mode="json") if held else None,
    }


_SHARED = (
    "cpu_us_per_io",
    "cpu_s",
    "cpu_threads_s",
    "cpu_workers_s",
    "context_switches",
    "completed_ios",
    "offered_ios",
    "backlog_ios_max",
    "lateness_us_max",
    "at_devices",
)
"""Counted for all jobs of a cell together."""


def _together(parts: Iterable[LatencyUs]) -> LatencyUs:
    """One distribution of several."""
    return latency([part.hdr for part in parts if part.hdr is not None])
