"""Where a noisy latency curve crosses its objective, and how surely that is known.

Each trial near the crossing gives a rate and a ratio (measured quantile / limit). Between log rate and log ratio a straight
line is fitted by Theil and Sen's medians (Sen 1968), which a few stalls of a shared machine do not move. The line is put
where nine fresh trials in ten are expected to hold, not at the crossing itself, where it would be every other one.
The interval is a percentile bootstrap over the trials (Efron 1979) with a fixed seed, so equal trials give an equal answer.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, log1p
from statistics import median
from typing import NamedTuple

from plimsoll.native.statistics import normal_cdf, student_95, theil_sen_slope


class Point(NamedTuple):
    """One trial: its rate per second, the worst ratio of measured quantile to limit, and how long it lasted."""

    rate: float
    ratio: float
    seconds: float


_CLIP = log(3.0)
"""Far beyond the limit the curve is no straight line; a queue that ran away counts as three times the limit."""
_HOLD_Z = 1.28
"""Standard score of nine in ten: four of five fresh trials at such a rate hold with a probability of 0.92."""
_SLOPE_MIN = 0.1
_BAND = 1.35
_RISE = 0.2
"""Trials are spread so that the ratio changes by about a fifth from the middle to the outer ones."""
_SPREAD_MIN = 0.008
_SPREAD_MAX = 0.05
_SPREADS = 7.0
_GAP_MAX = 1.03
_STEP_HIGH = 2.0
_WIDE_BAND = 3.0
"""Trials down to a third of the rate give a slope that the one at the crossing cannot lie below, as latency curves bend upwards."""
_RESAMPLES = 1000


def spread(slope: float) -> float:
    """How far from the crossing trials tell most, as a share of its rate: near it where the curve is steep, further where flat."""
    return min(max(_RISE / slope, _SPREAD_MIN), _SPREAD_MAX)


def near(points: Sequence[Point], rate: float, within: float = _SPREAD_MAX) -> list[Point]:
    """The trials close enough to the crossing for a straight line: a few spreads away at most, but never fewer than four."""
    by_distance = sorted(points, key=lambda point: abs(log(point.rate / rate)))
    reach = log1p(_SPREADS * within)
    return [
        point for count, point in enumerate(by_distance) if count < 4 or abs(log(point.rate / rate)) <= reach
    ]


def slope_floor(points: Sequence[Point], rate: float) -> float:
    """The least slope that the curve can have at `rate`, from the trials below it."""
    below = [point for point in points if rate / _WIDE_BAND <= point.rate <= rate * _BAND]
    return max(_SLOPE_MIN, theil_sen_slope([_spot(point) for point in below]) or 0.0)


@dataclass(frozen=True)
class Fit:
    """A straight line between log rate and log ratio. `deviation` is that of single trials of the longest length."""

    slope: float
    intercept: float
    deviation: float
    rate_min: float
    rate_max: float

    @property
    def middle(self) -> float:
        """The rate at which every other trial holds."""
        return self._rate(0.0)

    @property
    def crossing(self) -> float:
        """The rate at which nine trials in ten hold."""
        return self._rate(_HOLD_Z)

    @property
    def blur(self) -> float:
        """How far a single trial misplaces the line, as a share of the rate (one standard deviation)."""
        return self.deviation / self.slope

    def _rate(self, z: float) -> float:
        """Not further from the trials than they bear."""
        wanted = exp(max(-50.0, min(50.0, -(self.intercept + z * self.deviation) / self.slope)))
        return min(max(wanted, self.rate_min / _BAND), self.rate_max * _BAND)


def fit(points: Sequence[Point], slope_min: float = _SLOPE_MIN) -> Fit | None:
    """None with fewer than three points or without two different rates."""
    rates = [point.rate for point in points]
    if len(points) < 3 or len(set(rates)) < 2:
        return None
    spots = [_spot(point) for point in points]
    slope = max(slope_min, theil_sen_slope(spots) or 0.0)
    intercept = median(y - slope * x for x, y in spots)
    longest = max(point.seconds for point in points)
    residuals = [
        (y - intercept - slope * x) * (point.seconds / longest) ** 0.5
        for (x, y), point in zip(spots, points, strict=True)
    ]
    return Fit(slope, intercept, _deviation(residuals), min(rates), max(rates))


def interval(
    points: Sequence[Point], slope_min: float = _SLOPE_MIN, seed: int = 1
) -> tuple[float, float] | None:
    """95 % interval of the crossing over resampled trials; None where the trials do not bear one.

    Percentiles of few trials lie too close together; they are taken further out, as Hesterberg (2015, section 4.3) does.
    """
    chance = random.Random(seed)
    samples = (chance.choices(points, k=len(points)) for _ in range(_RESAMPLES))
    fits = (fit(sample, slope_min) for sample in samples)
    found = sorted(fitted.crossing for fitted in fits if fitted is not None)
    if len(found) < _RESAMPLES // 2:
        return None
    out = round(_tail(len(points)) * len(found))
    return found[out], found[-1 - out]


def _tail(trials: int) -> float:
    """The share of resamples beyond each end: 2.5 % for many trials, less for few.

    By Student's t, with the two degrees of freedom less that the fit has used up.
    """
    freedom = max(1, trials - 2)
    return normal_cdf(-student_95(freedom) * (trials / freedom) ** 0.5)


def edge(points: Sequence[Point]) -> tuple[float, float] | None:
    """Highest rate that held and lowest that missed, where the curve is a cliff: no overlap, a narrow gap and a high step.

    A throttled device is like that. A straight line does not describe it, and need not: the gap itself is the answer.
    """
    held = max((point for point in points if point.ratio <= 1), default=None)
    missed = min((point for point in points if point.ratio > 1), default=None)
    if held is None or missed is None or not held.rate < missed.rate <= held.rate * _GAP_MAX:
        return None
    return (held.rate, missed.rate) if missed.ratio > _STEP_HIGH * held.ratio else None


def _spot(point: Point) -> tuple[float, float]:
    return log(point.rate), max(-_CLIP, min(_CLIP, log(max(point.ratio, 1e-9))))


def _deviation(residuals: Sequence[float]) -> float:
    """Standard deviation from the median of distances, enlarged for the two parameters that the fit has used up."""
    freedom = len(residuals) / max(1, len(residuals) - 2)
    return 1.4826 * median(map(abs, residuals)) * freedom**0.5
