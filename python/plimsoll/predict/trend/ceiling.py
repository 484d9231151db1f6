"""Whether something held a series at a ceiling: a storage that can do no more shows what it gave, and not what it was asked for.

Such a series lies at one value for many hours of most days, and hardly ever just below it, while its other hours vary.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plimsoll.predict.trend.grid import Grid

DAYS = 28
"""The last ones: a ceiling may have been another one before."""
DAYS_SHARE_MIN = 0.5
"""Of these days, that have hours at the ceiling and others."""
OTHERS_SHARE_MIN = 0.25
"""Of a day's steps, that lie elsewhere: a value that hardly ever changes is held by nothing."""
SHARE_MIN = 0.05
"""Of all steps, that lie at the ceiling: fewer are busy hours that are alike by chance."""
STEPS_PER_DAY_MIN = 4
_NEAR = 0.01
_BELOW = 0.03
"""Of the value: no further than `_NEAR` from it is at the ceiling; between both is just below."""
_TIMES_BELOW_MIN = 3.0
"""So many more steps lie at the ceiling than in twice the room below it: a season that turns has more there as well, but not so."""
_TOP = 0.99
"""Of the steps, that lie below the ceiling or at it: a spike lies above."""


@dataclass(frozen=True)
class Held:
    """The ceiling, and which share of the last steps lie at it."""

    value: float
    share: float


def held_at(grid: Grid) -> Held | None:
    """The ceiling of the last weeks; None where nothing looks like one."""
    steps = grid.by_day(grid.values)[:, -DAYS:]
    known = np.isfinite(steps)
    if len(steps) < STEPS_PER_DAY_MIN or not known.any():
        return None
    top = float(np.quantile(steps[known], _TOP))
    if top <= 0:
        return None
    near = known & (np.abs(steps - top) <= _NEAR * top)
    below = known & (steps < (1 - _NEAR) * top) & (steps >= (1 - _BELOW) * top)
    count, others = known.sum(axis=0), (known & ~near).sum(axis=0)
    is_held = near.any(axis=0) & (others >= OTHERS_SHARE_MIN * count)
    share = float(near.sum() / known.sum())
    is_often = is_held.sum() >= DAYS_SHARE_MIN * (count > 0).sum() and share >= SHARE_MIN
    return Held(top, share) if is_often and near.sum() >= _TIMES_BELOW_MIN * below.sum() else None
