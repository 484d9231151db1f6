"""Whether the cell was still changing: a latency that rises from window to window."""

from __future__ import annotations

from math import inf

from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks._kind import Passive
from plimsoll.supply.drift import void_reason

_NAME = "drift"
_WINDOWS_MIN = 6


def _judge(cell: Cell, target: Target) -> Check | None:
    if len(cell.windows) < _WINDOWS_MIN or cell.ended_early:
        return None
    rising = void_reason(cell, inf, held=True)
    if rising is not None:
        return Check(name=_NAME, passed=False, reason=rising)
    return Check(name=_NAME, passed=True, reason=f"no trend over {len(cell.windows)} windows")


CHECK = Passive(
    title="the storage was not changing meanwhile",
    help="Tests the windows of the cell for a rising latency (Mann and Kendall's rank test). A short cell cannot say more:"
    " --check steady measures until the storage is steady. It warns.",
    judge=_judge,
)
