"""One stretch of a demand driven as it was, and whether the objective held in every ten seconds of it.

A quantile over a whole hour would hide half a minute in which nothing was answered, so the objective is held against windows of
`WINDOW_S`. In such a window chance alone takes a few I/Os more beyond the limit than the quantile leaves: it counts as missed
where more are beyond than chance takes in one of twenty windows. An I/O counts in the window in which it ended. What is still
waiting at the end was not carried, whatever the windows say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from math import floor, sqrt
from typing import TYPE_CHECKING, NamedTuple

from plimsoll.base.limits import THREAD_CPU_SHARE_MAX
from plimsoll.base.units import format_rate, format_us
from plimsoll.context import Cancel
from plimsoll.facts import (
    Arrivals,
    Cell,
    ClassResult,
    Live,
    Objective,
    Plan,
    PlanGroup,
    ReplayClass,
    ReplayTrial,
    ReplayWindow,
    Slo,
    Workload,
)
from plimsoll.facts.replay import WINDOW_S, worst_window
from plimsoll.host.safety import WritePermit
from plimsoll.native.latency import ios_above, latency, quantile_us
from plimsoll.supply.engine import measure
from plimsoll.supply.readings import cpu_share, disturbance

if TYPE_CHECKING:
    from plimsoll.native.engine import Row

_SECOND_S = 1.0
_CHANCE_DEVIATIONS = 1.64
"""One-sided 95 %."""
_GIVE_UP_S = 10.0
_GIVE_UP_LIMITS = 20.0

Rows = Sequence["Row"]


def not_driven_yet(
    begin_time: datetime, duration_s: float, iops: float, mb_per_s: float, factor: float = 1.0, burst: int = 1
) -> ReplayTrial:
    """What is asked of a stretch: I/Os and megabytes per second with the factor, nothing of which has been driven."""
    return ReplayTrial(
        begin_time=begin_time,
        duration_s=duration_s,
        factor=factor,
        burst=burst,
        asked_iops=iops,
        iops=0.0,
        asked_mb_per_s=mb_per_s,
        mb_per_s=0.0,
        held=None,
        reason="",
        backlog_ios=0,
        latency_us_p99=None,
        windows=(),
        seconds=(),
    )


def drive(
    workload: Workload,
    arrivals: Arrivals,
    slo: Slo,
    plan: Plan,
    permits: Sequence[WritePermit],
    cancel: Cancel,
    on_live: Callable[[Live], None],
    beside: Sequence[PlanGroup] = (),
) -> tuple[Cell, Rows]:
    """Runs the series to its end; given up when the oldest I/O that is due has waited far beyond the objective.

    The rows are those of the series alone, without what runs beside it.
    """
    assert arrivals.steps is not None, "a stretch has steps"
    seconds = sum(step.duration_s for step in arrivals.steps)
    group = plan.group.but(name=workload.name, classes=workload.classes, arrivals=arrivals)
    wanted = plan.but(
        groups=(group,),
        runtime_s=seconds,
        window_s=min(_SECOND_S, seconds),
        give_up_latency_us=max(_GIVE_UP_S * 1e6, _GIVE_UP_LIMITS * slo.limit_us_max),
    )
    kept: list[Row] = []
    cell = measure(wanted, permits, cancel, on_live, "replay", beside, kept.extend)
    own = {io.name for io in workload.classes}
    return cell, [row for row in kept if row["class"] in own]


def judge(cell: Cell, rows: Rows, slo: Slo, trial: ReplayTrial) -> ReplayTrial:
    """The trial, which says what was asked, with what came of it."""
    windows = tuple(_windows(rows, slo))
    backlog = max(0, (cell.offered_ios or 0) - cell.ios - cell.errors)
    held, reason = _held(cell, windows, backlog, slo)
    return trial.model_copy(
        update={
            "iops": cell.iops,
            "mb_per_s": cell.mb_per_s,
            "held": held,
            "reason": reason,
            "backlog_ios": backlog,
            "errors": cell.errors,
            "latency_us_p99": cell.latency_us.p99,
            "windows": windows,
            "seconds": cell.windows,
            "classes": tuple(map(_of_class, cell.classes)),
        }
    )


def _of_class(result: ClassResult) -> ReplayClass:
    return ReplayClass(
        name=result.name,
        iops=result.iops,
        latency_us_mean=result.latency_us.mean,
        latency_us_p99=result.latency_us.p99,
    )


def _held(cell: Cell, windows: Sequence[ReplayWindow], backlog: int, slo: Slo) -> tuple[bool | None, str]:
    if cell.ended_early == "stopped":
        return None, "it was ended before its time"
    missed = _missed(cell, windows, backlog, slo)
    if missed is None:
        return True, _held_words(windows, slo)
    if (spoilt := disturbance(slo, cell)) is not None:
        return None, f"{missed}, but {spoilt}"
    if cpu_share(cell) > THREAD_CPU_SHARE_MAX:
        return None, f"{missed}, but the measuring threads were at the limit of their CPU time"
    return False, missed


def _held_words(windows: Sequence[ReplayWindow], slo: Slo) -> str:
    """A window whose quantile was beyond the limit is explained."""
    held = f"{slo.words} held in each of {len(windows)} windows" if len(windows) > 1 else f"{slo.words} held"
    worst = worst_window(windows)
    if worst is None or not worst.is_held_by_chance:
        return held
    return f"{held}; {_in_window(worst)}, which is within chance"


def _missed(cell: Cell, windows: Sequence[ReplayWindow], backlog: int, slo: Slo) -> str | None:
    if cell.errors:
        return f"{cell.errors:,} I/Os failed"
    if cell.ended_early == "gave_up":
        return (
            f"the storage fell behind: after {cell.runtime_s:.3g} s I/Os waited so long that it was given up"
        )
    worst = worst_window(windows)
    if worst is not None and not worst.held:
        return _in_window(worst)
    # Little's law: as many as wait where each waits as long as the objective allows.
    if backlog > cell.iops * slo.limit_us_max / 1e6 + 1:
        return f"{backlog:,} I/Os that were due had not been started at its end"
    return None


def _in_window(window: ReplayWindow) -> str:
    """How far beyond its limit it was, and by how many I/Os."""
    of = "" if window.limiting_class is None else f" of {window.limiting_class.replace('_', ' ')}s"
    when = f"in the {window.duration_s:.3g} s from second {window.start_s:.0f}"
    late = f"{window.late_ios or 0:,} late, {window.late_ios_max or 0:,} allowed"
    return f"{when} the latency{of} was {format_rate(window.worst_ratio)} times the limit ({late})"


def _windows(rows: Rows, slo: Slo) -> list[ReplayWindow]:
    """Ten seconds each, and the rest."""
    seconds = [row for row in rows if row["scope"] == "window"]
    numbers = sorted({index for row in seconds if (index := row["window_index"]) is not None})
    each = max(1, round(WINDOW_S / max((row["duration_s"] for row in seconds), default=WINDOW_S)))
    groups = [set(numbers[start : start + each]) for start in range(0, len(numbers), each)]
    return [_window([row for row in seconds if row["window_index"] in group], slo) for group in groups]


def _window(rows: Rows, slo: Slo) -> ReplayWindow:
    judged = [_judged(rows, objective) for objective in slo.objectives]
    worst = max(judged, key=lambda one: (not one.held, one.ratio))
    start_s = min(row["start_s"] for row in rows)
    return ReplayWindow(
        start_s=start_s,
        duration_s=max(row["start_s"] + row["duration_s"] for row in rows) - start_s,
        ios=sum(row["ios"] for row in rows),
        worst_ratio=worst.ratio,
        limiting_class=worst.io_class,
        held=all(one.held for one in judged),
        late_ios=worst.late_ios,
        late_ios_max=worst.late_ios_max,
    )


class _Judged(NamedTuple):
    """One objective in a window: measured / limit, and how many I/Os lie beyond the limit and may do so."""

    io_class: str | None
    ratio: float
    late_ios: int
    late_ios_max: int

    @property
    def held(self) -> bool:
        """Whether no more are late than the quantile and chance leave."""
        return self.late_ios <= self.late_ios_max


def _judged(rows: Rows, objective: Objective) -> _Judged:
    own = [row["latency_hdr"] for row in rows if objective.io_class in (None, row["class"])]
    spread = latency(own) if own else None
    if spread is None or not spread.count:
        return _Judged(objective.io_class, 0.0, 0, 0)
    measured = quantile_us(spread, objective.quantile) or spread.max or 0.0
    left = (1 - objective.quantile) * spread.count
    may_be = floor(left + _CHANCE_DEVIATIONS * sqrt(left))
    late = round(ios_above(spread, objective.limit_us))
    return _Judged(objective.io_class, measured / objective.limit_us, late, may_be)


def in_words(trial: ReplayTrial) -> str:
    """For the log of a run."""
    outcome = {True: "held", False: "missed", None: "void"}[trial.held]
    bursts = "" if trial.burst == 1 else f" in bursts of {trial.burst}"
    times = "as it was" if trial.factor == 1 else f"at {trial.factor:.3g} times its rates"
    return (
        f"{trial.duration_s:.3g} s {times}{bursts}, {format_rate(trial.asked_iops)} I/Os per second:"
        f" p99 {format_us(trial.latency_us_p99)}, {outcome}"
    )
