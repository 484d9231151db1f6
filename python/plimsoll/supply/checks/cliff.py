"""Whether the rate fell to a lower level within the cell and stayed there: then its mean is a rate that was never held.

It is what a drive does whose cache or erased blocks are used up, and what a burst credit does that runs out.
"""

from __future__ import annotations

from plimsoll.base.units import counted
from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks._kind import Passive
from plimsoll.supply.checks._levels import excuse, is_too_short
from plimsoll.supply.level_change import LevelChange, can_change, fallen

_NAME = "cliff"


def _judge(cell: Cell, target: Target) -> Check | None:
    if not can_change(cell):
        return None
    found = fallen(cell)
    if found is None:
        return Check(
            name=_NAME, passed=True, reason=f"no fall to a lower level over {len(cell.windows)} windows"
        )
    if is_too_short(cell, found):
        return _untold(cell, found)
    fell = f"the rate fell from {found.before:,.0f} to {found.after:,.0f} I/Os per second after {found.at_s:.2f} s and stayed there"
    if (excused := excuse(cell, target, found)) is not None:
        return Check(name=_NAME, passed=None, reason=f"{fell}; {excused}", figures=found.figures)
    return Check(name=_NAME, passed=False, reason=f"{fell}; {_why(cell)}", figures=found.figures)


def _why(cell: Cell) -> str:
    """What may be the cause; the rates alone do not tell it."""
    if cell.errors:
        return f"{counted(cell.errors, 'I/O')} failed meanwhile, and that may be why"
    return "the first part may have been credit: a burst allowance, a cache that filled up, erased blocks"


def _untold(cell: Cell, found: LevelChange) -> Check:
    """A level that was too short to be called one: whether it is one, only a longer run can tell."""
    reason = (
        f"the rate fell from {found.before:,.0f} to {found.after:,.0f} I/Os per second after {found.at_s:.2f} of"
        f" {cell.runtime_s:.2f} s, and whether for good cannot be told: measure for longer"
    )
    return Check(name=_NAME, passed=None, reason=reason)


CHECK = Passive(
    title="the rate was held to the end",
    help="Looks for one moment in a closed loop at which the rate fell to a lower level for good: by a third at least, "
    "or to less than half of an uneven first part. What came before may have been a cache that filled up, erased "
    "blocks that were used up, or burst credit; the headline is then the rate after the window in which it fell. "
    "Open where the machine was busy and the rate fell to a quarter at most, where a connection to an NFS server "
    "was lost, and where one of the two levels lasted for less than a second, or the lower one for a tenth of the "
    "cell.",
    judge=_judge,
    decides=True,
)
