"""Whether a series of values fell from one level to another for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import fmean

_LEVEL_MIN = 3
"""Fewest values on each side of a cliff."""
_FALL_MIN = 1.5
"""Neighbouring rounds of a shared machine differ by less than this."""
_EXPLAINED_MIN = 0.8
"""Share of the variance that the two levels must explain; a steady decline explains 0.75 of its own by two levels."""


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
