"""Whether the cell was still changing: a latency that rises from window to window, or a rate that fell to another level."""

from __future__ import annotations

from math import inf

from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks._kind import Passive
from plimsoll.supply.drift import void_reason
from plimsoll.supply.steady import find_cliff

_NAME = "drift"
_WINDOWS_MIN = 6


def _judge(cell: Cell, target: Target) -> Check | None:
    if len(cell.windows) < _WINDOWS_MIN or cell.ended_early:
        return None
    cliff = find_cliff([window.iops for window in cell.windows]) if cell.arrivals.kind == "closed" else None
    if cliff is not None:
        at_s = cell.windows[cliff.index].start_s
        reason = (
            f"the rate fell from {cliff.before:,.0f} to {cliff.after:,.0f} I/Os per second after {at_s:.2f} s"
            " and stayed there: the first part was credit"
        )
        figures = {"cliff_at_s": at_s, "before_iops": cliff.before, "after_iops": cliff.after}
        return Check(name=_NAME, passed=False, reason=reason, figures=figures)
    rising = void_reason(cell, inf, held=True)
    if rising is not None:
        return Check(name=_NAME, passed=False, reason=rising)
    return Check(name=_NAME, passed=True, reason=f"no trend over {len(cell.windows)} windows")


CHECK = Passive(
    title="the storage was not changing meanwhile",
    help="Tests the windows of the cell for a rising latency (Mann and Kendall's rank test) and for a rate that fell to a lower"
    " level for good. A short cell cannot say more: --check steady measures until the storage is steady. It warns.",
    judge=_judge,
)
