"""Whether the storage kept up with the rate that was asked for."""

from __future__ import annotations

from plimsoll.base.units import format_rate
from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks._kind import Passive
from plimsoll.supply.overload import due, ended_late, overload, queue_grew

_NAME = "kept_up"


def _judge(cell: Cell, target: Target) -> Check | None:
    """Clients beside each other are looked at by whoever put them there."""
    rate = cell.arrivals.rate_per_s
    if rate is None or len(cell.groups) > 1 or cell.ended_early:
        return None
    figures = {"ios_due": due(cell, rate), "ios": float(cell.ios)}
    if overload(cell, rate):
        reason = (
            f"{format_rate(rate)} a second were asked for and {format_rate(cell.iops)} came:"
            " the storage fell behind, and the latency is that of a queue that grows"
        )
        return Check(name=_NAME, passed=False, reason=reason, figures=figures)
    if ended_late(cell, rate):
        return _late(cell, rate, figures)
    return Check(
        name=_NAME,
        passed=True,
        reason=f"{format_rate(rate)} a second were asked for, and came",
        figures=figures,
    )


def _late(cell: Cell, rate: float, figures: dict[str, float]) -> Check:
    """All were begun, for the engine takes as many as it likes, and many ended after the measured time only."""
    figures = figures | {"completed_ios": float(cell.completed_ios or 0)}
    done = f"{format_rate(rate)} a second were asked for, and {format_rate(cell.iops)} ended in the measured time"
    if queue_grew(cell):
        reason = f"{done}: the storage fell behind, and the latency is that of a queue that grows"
        return Check(name=_NAME, passed=False, reason=reason, figures=figures)
    reason = f"{done}; whether the storage fell behind or takes so long for each cannot be told: measure for longer"
    return Check(name=_NAME, passed=None, reason=reason, figures=figures)


CHECK = Passive(
    title="the storage kept up with the rate",
    help="In an open loop, holds the I/Os that were due in the measured time against those that the storage took. Where more than a"
    " tenth is missing, beside what chance leaves out, or ended after that time while the latency grew, a queue was building up: no"
    " latency of this run says what the storage does at that rate. Open where so many ended late and the latency did not grow.",
    judge=_judge,
    decides=True,
)
