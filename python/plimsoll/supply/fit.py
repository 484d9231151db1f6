"""Where a noisy latency curve crosses its objective, and how surely that is known.

Each trial near the crossing gives a rate and a ratio (measured quantile / limit). Between log rate and log ratio a straight
line is fitted by Theil and Sen's medians (Sen 1968), which a few stalls of a shared machine do not move. The line is put
where a fresh trial is expected to hold four times in five, not at the crossing itself, where it would hold every other time.
The interval is a percentile bootstrap over the trials (Efron 1979) with a fixed seed, so equal trials give an equal answer.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import exp, log
from statistics import median

Point = tuple[float, float]
"""(rate per second, worst ratio of measured quantile to its limit)."""

_CLIP = log(3.0)
"""Far beyond the limit the curve is no straight line; a queue that ran away counts as three times the limit."""
_HOLD_Z = 0.84
"""Standard score of four in five."""
_SLOPE_MIN = 0.3
_BAND = 1.35
_RESAMPLES = 1000


def near(points: Sequence[Point], rate: float) -> list[Point]:
    """The trials close enough to the crossing for a straight line."""
    return [point for point in points if rate / _BAND <= point[0] <= rate * _BAND]


def crossing(points: Sequence[Point]) -> float | None:
    """The rate at which four in five trials hold. None with fewer than three points or without two different rates."""
    if len(points) < 3 or len({rate for rate, _ in points}) < 2:
        return None
    spots = [(log(rate), _clipped(ratio)) for rate, ratio in points]
    slope = max(_SLOPE_MIN, _theil_sen(spots))
    intercept = median(y - slope * x for x, y in spots)
    residuals = [y - intercept - slope * x for x, y in spots]
    deviation = 1.4826 * median(abs(r) for r in residuals)
    return exp(-(intercept + _HOLD_Z * deviation) / slope)


def interval(points: Sequence[Point], seed: int = 1) -> tuple[float, float] | None:
    """95 % interval of `crossing` over resampled trials; None where the trials do not bear one."""
    chance = random.Random(seed)
    found = sorted(
        rate
        for rate in (crossing(chance.choices(points, k=len(points))) for _ in range(_RESAMPLES))
        if rate is not None
    )
    if len(found) < _RESAMPLES // 2:
        return None
    return found[int(0.025 * len(found))], found[int(0.975 * len(found)) - 1]


def _clipped(ratio: float) -> float:
    return max(-_CLIP, min(_CLIP, log(max(ratio, 1e-9))))


def _theil_sen(spots: Sequence[Point]) -> float:
    slopes = [
        (y2 - y1) / (x2 - x1)
        for i, (x1, y1) in enumerate(spots)
        for x2, y2 in spots[i + 1 :]
        if abs(x2 - x1) > 1e-6
    ]
    return median(slopes) if slopes else 0.0
