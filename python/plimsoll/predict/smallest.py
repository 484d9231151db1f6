"""The 95 % interval of the smallest of several figures that are each known with an interval of their own.

The smallest of several estimates is rather too small than too large, and whichever is smallest, the true smallest one may be any
of those near it. So its interval comes from all of them: the logarithm of each is normal on either side of its estimate, which
is its median, and the smallest lies below x unless all of them lie above. In closed form, without random numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, prod
from statistics import NormalDist

_NORMAL = NormalDist()
_TAIL = 0.025
_Z = _NORMAL.inv_cdf(1 - _TAIL)
_HALVINGS = 60


@dataclass(frozen=True)
class Estimate:
    """A figure above zero and its 95 % interval, which holds it."""

    value: float
    ci95: tuple[float, float]

    def share_above(self, x: float) -> float:
        """How likely the true figure lies above `x`."""
        low, high = self.ci95
        width = log(self.value / low) if x < self.value else log(high / self.value)
        distance = log(x / self.value)
        if width <= 0:
            return 1.0 if x < self.value else 0.0
        return 1 - _NORMAL.cdf(distance / (width / _Z))


def interval_of_smallest(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """The 95 % interval of the smallest of the true figures; of a single estimate its own. They do not depend on each other."""
    if len(estimates) == 1:
        return estimates[0].ci95
    low, high = min(e.ci95[0] for e in estimates), max(e.ci95[1] for e in estimates)
    if low <= 0:
        return low, min(e.ci95[1] for e in estimates)
    return _where(estimates, _TAIL, low / high * low, high), _where(
        estimates, 1 - _TAIL, low / high * low, high
    )


def _where(estimates: Sequence[Estimate], share: float, low: float, high: float) -> float:
    """Below which figure the smallest lies with that probability, by halving."""
    lower, upper = log(low), log(high)
    for _ in range(_HALVINGS):
        middle = (lower + upper) / 2
        below = 1 - prod(estimate.share_above(exp(middle)) for estimate in estimates)
        lower, upper = (middle, upper) if below < share else (lower, middle)
    return exp((lower + upper) / 2)
