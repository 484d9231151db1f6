"""Whether the cell was still changing: a latency that rises from window to window, or a rate that rose to another level."""

from __future__ import annotations

from math import inf

from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks._kind import Passive
from plimsoll.supply.checks._levels import excuse, is_too_short
from plimsoll.supply.drift import void_reason
from plimsoll.supply.level_change import risen

_NAME = "drift"
_WINDOWS_MIN = 6


def _judge(cell: Cell, target: Target) -> Check | None:
    if len(cell.windows) < _WINDOWS_MIN or cell.ended_early:
        return None
    rising = void_reason(cell, inf, held=True)
    if rising is not None:
        return Check(name=_NAME, passed=False, reason=rising)
    if (rose := _rose(cell, target)) is not None:
        return rose
    return Check(name=_NAME, passed=True, reason=f"no trend over {len(cell.windows)} windows")


def _rose(cell: Cell, target: Target) -> Check | None:
    """A rate that went up to another level: the mean of both was at no moment the storage's."""
    found = risen(cell)
    if found is None:
        return None
    rose = f"the rate rose from {found.before:,.0f} to {found.after:,.0f} I/Os per second after {found.at_s:.2f} s"
    if is_too_short(cell, found):
        reason = f"{rose} of {cell.runtime_s:.2f} s, and whether for good cannot be told: measure for longer"
        return Check(name=_NAME, passed=None, reason=reason)
    if (excused := excuse(cell, target, found)) is not None:
        return Check(
            name=_NAME, passed=None, reason=f"{rose} and stayed there; {excused}", figures=found.figures
        )
    reason = f"{rose} and stayed there: which of the two it is going to be cannot be told; measure again"
    return Check(name=_NAME, passed=False, reason=reason, figures=found.figures)


CHECK = Passive(
    title="the storage was not changing meanwhile",
    help="Tests the windows of the cell for a rising latency (Mann and Kendall's rank test), which warns. In a closed "
    "loop it also looks for one moment at which the rate rose to another level, by half at least: then the number "
    "is not valid, and the headline is the rate after it. A short cell cannot say more: --check steady measures "
    "until the storage is steady.",
    judge=_judge,
    decides_where=lambda check: "after_iops" in check.figures,
)
