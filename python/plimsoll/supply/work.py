"""Work that moves a given amount, a backup or a migration: driven alone, or at a rate beside a part of a demand.

A backup reads, and a migration writes, in large I/Os one behind the other. What it moves goes round in the target, so that the
target may be smaller than the amount. It keeps up where it gets its rate: what waits at the end is late by less than a twentieth
of the trial.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from plimsoll.context import Cancel
from plimsoll.facts import (
    Arrivals,
    Cell,
    ClassResult,
    IoClass,
    Live,
    Plan,
    PlanGroup,
    ReplayTrial,
    Slo,
    Workload,
    WorkTrial,
)
from plimsoll.host.safety import WritePermit
from plimsoll.native.latency import ios_above
from plimsoll.supply.beside import COPY_IO_BYTES
from plimsoll.supply.engine import measure
from plimsoll.supply.replay import drive, judge, not_driven_yet

DEPTH = 16
"""I/Os of the work under way at most: several channels of a backup, or a copy that reads far ahead."""
KEPT_UP_SHARE = 0.95

WorkKind = Literal["backup", "migrate"]
_OPS: dict[WorkKind, Literal["read", "write"]] = {"backup": "read", "migrate": "write"}
WORDS: dict[WorkKind, str] = {"backup": "backup", "migrate": "migration"}
"""What people call it."""


@dataclass(frozen=True)
class Part:
    """A part of the demand to run beside: a mix, or its worst ten seconds, as I/O at the demand's own rates."""

    beside: Literal["mix", "replay"]
    begin_time: datetime | None
    workload: Workload
    arrivals: Arrivals
    slo: Slo
    mb_per_s: float
    """What the demand asks for in it."""

    @property
    def duration_s(self) -> float:
        """How long it takes."""
        return sum(step.duration_s for step in self.arrivals.steps or ())

    @property
    def iops(self) -> float:
        """I/Os per second that are due, on average."""
        return sum(io.weight for io in self.workload.classes)


def writes(kind: WorkKind) -> bool:
    """Whether the work writes to the target."""
    return _OPS[kind] == "write"


def workload_of_work(kind: WorkKind) -> Workload:
    """Its I/O."""
    io = IoClass(
        name=f"{kind}_{_OPS[kind]}",
        op=_OPS[kind],
        pattern="sequential",
        block_bytes=COPY_IO_BYTES,
        weight=1.0,
    )
    return Workload(name=kind, classes=(io,))


def drive_alone(
    kind: WorkKind,
    plan: Plan,
    permits: Sequence[WritePermit],
    cancel: Cancel,
    on_live: Callable[[Live], None],
) -> Cell:
    """As fast as it can, with nothing beside it."""
    work = PlanGroup.of(workload_of_work(kind), plan.group.engine, depth=DEPTH)
    return measure(plan.doing((work,)), permits, cancel, on_live, "work")


def drive_beside(
    kind: WorkKind,
    mb_per_s: float,
    part: Part,
    plan: Plan,
    permits: Sequence[WritePermit],
    cancel: Cancel,
    on_live: Callable[[Live], None],
) -> WorkTrial:
    """At a rate, beside a part of the demand; at 0 the part is alone."""
    groups = (_group(kind, mb_per_s, plan.group.engine),) if mb_per_s else ()
    cell, rows = drive(part.workload, part.arrivals, part.slo, plan, permits, cancel, on_live, groups)
    judged = judge(cell, rows, part.slo, _asked(part))
    work = cell.beside[0] if cell.beside else None
    kept_up = work is None or _kept_up(work, mb_per_s, cell.runtime_s)
    moved = 0.0 if work is None else work.mb_per_s
    return WorkTrial(
        beside=part.beside,
        begin_time=part.begin_time,
        duration_s=cell.runtime_s,
        asked_mb_per_s=mb_per_s,
        mb_per_s=moved,
        kept_up=kept_up,
        work_errors=0 if work is None else work.errors,
        demand_iops=judged.asked_iops,
        held=judged.held,
        latency_us_p99=judged.latency_us_p99,
        limiting_class=None if judged.held else _limiting_class(cell, judged, part.slo),
        reason=_reason(judged, kept_up, moved, kind),
    )


def _group(kind: WorkKind, mb_per_s: float, engine: str) -> PlanGroup:
    arrivals = Arrivals(kind="uniform", rate_per_s=mb_per_s * 1e6 / COPY_IO_BYTES)
    return PlanGroup.of(workload_of_work(kind), engine, depth=DEPTH, arrivals=arrivals)


def _asked(part: Part) -> ReplayTrial:
    begin_time = part.begin_time or datetime.min.replace(tzinfo=UTC)
    return not_driven_yet(begin_time, part.duration_s, part.iops, part.mb_per_s)


def _kept_up(work: ClassResult, asked_mb_per_s: float, runtime_s: float) -> bool:
    """Whether it got its rate. What was due and came late shows in its latency, which counts from when it was due."""
    late_us = (1 - KEPT_UP_SHARE) * runtime_s * 1e6
    in_time = (work.latency_us.p99 or 0.0) <= late_us
    return not work.errors and work.mb_per_s >= KEPT_UP_SHARE * asked_mb_per_s and in_time


def _limiting_class(cell: Cell, judged: ReplayTrial, slo: Slo) -> str | None:
    """The class of the objective that was worst; of one over all I/Os, the class with the largest share beyond the limit."""
    worst = judged.worst_window
    if worst is not None and worst.limiting_class is not None:
        return worst.limiting_class
    limit_us = next((one.limit_us for one in slo.objectives if one.io_class is None), slo.limit_us_max)
    shares = {
        one.name: (ios_above(one.latency_us, limit_us) / one.ios, one.latency_us.p99 or 0.0)
        for one in cell.classes
        if one.ios
    }
    return max(shares, key=lambda name: shares[name], default=None)


def _reason(judged: ReplayTrial, kept_up: bool, moved: float, kind: WorkKind) -> str:
    slow = "" if kept_up else f"; the {WORDS[kind]} did not get its rate, it moved {moved:,.1f} MB/s"
    return f"{judged.reason}{slow}"
