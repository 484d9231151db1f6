"""Whether the rate fell to a lower level within the cell and stayed there: then its mean is a rate that was never held.

It is what a drive does whose cache or erased blocks are used up, and what a burst credit does that runs out.
"""

from __future__ import annotations

from statistics import fmean

from plimsoll.base.levels import Cliff, find_cliff
from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks import host_noise
from plimsoll.supply.checks._cells import is_virtual
from plimsoll.supply.checks._kind import Passive

_NAME = "cliff"
_WINDOWS_MIN = 6
_LEVEL_S_MIN = 1.0
"""A level of real storage lasts so long at least; there is no chance in virtual time."""
_STAYS_MIN = 2
"""Fewest windows at the lower level of which it is said that it stayed."""
_RAISED_MIN = 1.1
"""A faster beginning that raises the mean by less is no reason to doubt it."""
_FILLED_SHARE_MAX = 0.1
_NOISE_FALL_MAX = 4.0
"""So many times the rate may fall because others began their work; deeper only where they have most of a CPU."""
_NOISE_SHARE = 0.5


def _judge(cell: Cell, target: Target) -> Check | None:
    if len(cell.windows) < _WINDOWS_MIN or cell.ended_early or cell.arrivals.kind != "closed":
        return None
    windows = cell.windows[_filling(cell) :]
    found = find_cliff([window.iops for window in windows], level_min=1)
    if found is None or fmean(window.iops for window in windows) < _RAISED_MIN * found.after:
        return Check(
            name=_NAME, passed=True, reason=f"no fall to a lower level over {len(cell.windows)} windows"
        )
    at_s = windows[found.index].start_s
    if _is_too_short(cell, at_s) or len(windows) - found.index < _STAYS_MIN:
        return _untold(cell, found, at_s)
    fell = f"the rate fell from {found.before:,.0f} to {found.after:,.0f} I/Os per second after {at_s:.2f} s and stayed there"
    figures = {"cliff_at_s": at_s, "before_iops": found.before, "after_iops": found.after}
    lost = [path.losses for path in cell.paths]
    if cell.outages or any(lost):
        reason = f"{fell}; a connection to the server was lost meanwhile, and that may be why: measure again"
        return Check(name=_NAME, passed=None, reason=reason, figures=figures)
    noise = host_noise.CHECK.judge(cell, target)
    if noise is not None and noise.passed is False and _explains(noise, found):
        reason = f"{fell}; the machine was busy (host_noise), and that may be why: measure again"
        return Check(name=_NAME, passed=None, reason=reason, figures=figures)
    return Check(name=_NAME, passed=False, reason=f"{fell}: the first part was credit", figures=figures)


def _explains(noise: Check, found: Cliff) -> bool:
    """Whether others on the CPUs may be why: a moment of waiting does not make storage a hundred times slower."""
    waited, stolen = noise.figures.get("processor_wait_share", 0.0), noise.figures["steal_processors"]
    return found.before <= _NOISE_FALL_MAX * found.after or max(waited, stolen) > _NOISE_SHARE


def _filling(cell: Cell) -> int:
    """Windows at the beginning that count the filling of the queue: what is handed over at once, for nobody was waiting before."""
    filled = sum(group.jobs * group.depth for group in cell.groups)
    first = cell.windows[0]
    return int(not cell.warm_up_s and filled > _FILLED_SHARE_MAX * first.iops * first.duration_s)


def _is_too_short(cell: Cell, before_s: float) -> bool:
    """Whether a level lasted for so little time that a neighbour on a shared device explains it."""
    return not is_virtual(cell) and min(before_s, cell.runtime_s - before_s) < _LEVEL_S_MIN


def _untold(cell: Cell, found: Cliff, at_s: float) -> Check:
    """A level that was too short to be called one: whether it is one, only a longer run can tell."""
    reason = (
        f"the rate fell from {found.before:,.0f} to {found.after:,.0f} I/Os per second after {at_s:.2f} of"
        f" {cell.runtime_s:.2f} s, and whether for good cannot be told: measure for longer"
    )
    return Check(name=_NAME, passed=None, reason=reason)


CHECK = Passive(
    title="the rate was held to the end",
    help="Looks for one moment in a closed loop at which the rate fell to a lower level for good, by a third at least. What came"
    " before was a cache that filled up, erased blocks that were used up, or burst credit; the headline is then the rate after it."
    " Open where the machine was busy and the rate fell to a quarter at most, where a connection to an NFS server was lost, and"
    " where one of the two levels lasted for less than a second, or the lower one for a tenth of the cell.",
    judge=_judge,
    decides=True,
)
