"""Whether the storage kept up with the rate that was asked for."""

from __future__ import annotations

from plimsoll.base.units import format_rate
from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks._kind import Passive
from plimsoll.supply.overload import due, overload

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
    return Check(
        name=_NAME,
        passed=True,
        reason=f"{format_rate(rate)} a second were asked for, and came",
        figures=figures,
    )


CHECK = Passive(
    title="the storage kept up with the rate",
    help="In an open loop, holds the I/Os that were due in the measured time against those that the storage took. Where more than a"
    " tenth is missing, beside what chance leaves out, arrivals waited unsubmitted: no latency of this run says what the storage"
    " does at that rate.",
    judge=_judge,
    decides=True,
)
