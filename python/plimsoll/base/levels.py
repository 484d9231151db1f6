"""Whether a series of values fell from one level to another for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile
from statistics import fmean

_LEVEL_MIN = 3
"""Fewest values on each side of a cliff."""
_FALL_MIN = 1.5
"""Neighbouring rounds of a shared machine differ by less than this."""
_EXPLAINED_MIN = 0.8
"""Share of the variance that the two levels must explain; a steady decline explains 0.75 of its own by two levels."""

_SETTLED_FALL_MIN = 2.0
"""A first part that is uneven is so many times as high as the level on which the values settled."""
_ALIKE_MAX = 1.25
"""Values of one level differ by no more than that from the lowest to the highest."""


@dataclass(frozen=True)
class Cliff:
    """One change of level: `index` is the first value of the lower one."""

    index: int
    before: float
    after: float


def find_cliff(values: Sequence[float], level_min: int = _LEVEL_MIN) -> Cliff | None:
    """The one place where the values fell to a lower level for good; None when two levels do not describe them well.

    `level_min` is the fewest values on each side of it. Every place is tried;
    the one with the least squares left over is taken (a piecewise constant fit with one change point).
    """
    mean = fmean(values) if values else 0.0
    around = [value - mean for value in values]
    whole = sum(value * value for value in around)
    cuts = range(level_min, len(values) - level_min + 1)
    if whole <= 0 or not cuts:
        return None
    # Around the mean the sums on both sides are opposite, so what two levels explain follows from one of them.
    sums = list(accumulate(around))
    explained = {cut: sums[cut - 1] ** 2 * (1 / cut + 1 / (len(values) - cut)) for cut in cuts}
    cut = max(explained, key=explained.__getitem__)
    before, after = fmean(values[:cut]), fmean(values[cut:])
    fell = before >= _FALL_MIN * after and min(values[:cut]) > max(values[cut:])
    return Cliff(cut, before, after) if fell and explained[cut] >= _EXPLAINED_MIN * whole else None


def find_settled(values: Sequence[float]) -> Cliff | None:
    """The place from which on the values stayed at one low level, however uneven they were before; None for none.

    Three or more at the end are alike; all before them, but for the one within which they fell, are far above each of these.
    """
    tail = _tail_of(values)
    first = len(values) - tail
    if min(tail, first) < _LEVEL_MIN:
        return None
    before, after = values[:first], values[first:]
    low = max(after)
    settled = low > 0 and min(before[:-1]) >= _FALL_MIN * low and before[-1] > low
    several = fmean(before) >= _SETTLED_FALL_MIN * fmean(after)
    return Cliff(first, fmean(before), fmean(after)) if settled and several else None


def _tail_of(values: Sequence[float]) -> int:
    """How many values at the end are alike."""
    alike = takewhile(
        lambda many: max(values[-many:]) <= _ALIKE_MAX * min(values[-many:]), range(1, len(values) + 1)
    )
    return max(alike, default=0)
