"""Where the rate of a cell went to another level and stayed there: that level is its rate, and not the mean of both.

What a drive does whose cache or erased blocks are used up, what a burst credit does that runs out, and what a limit does
that somebody lifts meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from plimsoll.base.levels import Cliff, find_cliff, find_settled
from plimsoll.facts import Cell, Window

_WINDOWS_MIN = 6
STAYS_MIN = 2
"""Fewest windows at the last level of which it is said that it stayed."""
_DIFFERS_MIN = 1.1
"""A beginning that moves the mean by less is no reason to doubt it."""
_WITHIN_MIN = 1.25
"""A window so far above those before it is one in which the rate changed."""
_FILLED_SHARE_MAX = 0.1


@dataclass(frozen=True)
class LevelChange:
    """One change of level, with its moment and both levels in I/Os per second."""

    at_s: float
    """When the window began in which it changed."""
    before: float
    after: float
    """Of the windows after that one, where two or more are left."""
    held_from_s: float
    """When the first of these began."""
    windows_after: int
    """From the window on in which it changed."""

    @property
    def figures(self) -> dict[str, float]:
        """As a check bears them."""
        return {
            "cliff_at_s": self.at_s,
            "before_iops": self.before,
            "after_iops": self.after,
            "held_from_s": self.held_from_s,
        }


def can_change(cell: Cell) -> bool:
    """Whether a level of its own can be seen in a cell: a rate that was asked for does not change by itself."""
    return len(cell.windows) >= _WINDOWS_MIN and not cell.ended_early and cell.arrivals.kind == "closed"


def fallen(cell: Cell) -> LevelChange | None:
    """The fall to a lower level that it kept; None for none, or for one that hardly moves the mean."""
    if not can_change(cell):
        return None
    windows = cell.windows[_filling(cell) :]
    rates = [window.iops for window in windows]
    found = find_cliff(rates, level_min=1) or find_settled(rates)
    if found is None or fmean(rates) < _DIFFERS_MIN * found.after:
        return None
    return _change(windows, found)


def risen(cell: Cell) -> LevelChange | None:
    """The rise to a higher level that it kept; None as for a fall, and where it stood still before, which is a stall."""
    if not can_change(cell):
        return None
    windows = cell.windows
    rates = [window.iops for window in windows]
    found = find_cliff(rates[::-1], level_min=STAYS_MIN)
    if found is None or found.before < _DIFFERS_MIN * fmean(rates):
        return None
    first = len(rates) - found.index
    if not all(rates[:first]):
        return None
    if rates[first - 1] > _WITHIN_MIN * fmean(rates[: first - 1]):
        # It rose within the last window of the lower level.
        first -= 1
    return _change(windows, Cliff(first, fmean(rates[:first]), found.before))


def _change(windows: tuple[Window, ...], found: Cliff) -> LevelChange:
    left = len(windows) - found.index
    held = windows[found.index + (left > STAYS_MIN) :]
    return LevelChange(
        at_s=windows[found.index].start_s,
        before=found.before,
        after=fmean(window.iops for window in held),
        held_from_s=held[0].start_s,
        windows_after=left,
    )


def _filling(cell: Cell) -> int:
    """Windows at the beginning that count the filling of the queue: what is handed over at once, for nobody was waiting before."""
    filled = sum(group.jobs * group.depth for group in cell.groups)
    first = cell.windows[0]
    return int(not cell.warm_up_s and filled > _FILLED_SHARE_MAX * first.iops * first.duration_s)
