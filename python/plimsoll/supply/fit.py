"""Where the long-run quantile crosses its limit, and how surely that is known.

The quantile lies at its limit where the share of I/Os beyond the limit is the share that may be: 1 in 100 for p99. Unlike the
quantile of a short trial, that share has no bias, whatever the trial's length and however alike neighbouring latencies are. So
shares of trials may be pooled, which is what merging their distributions does. Near the crossing the log ratio (odds of being
beyond the limit / odds that may be) is taken as a straight line over the log rate, and fitted by the score equations of a
binomial model whose noise is as large as the trials show it to be (quasi-likelihood, Wedderburn 1974). The interval is where
Rao's score test (1948), with Student's t, does not turn a crossing down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import exp, log, log1p, sqrt
from typing import NamedTuple

from plimsoll.native.statistics import student_95


class Point(NamedTuple):
    """What one trial says of one objective: I/Os of its class, those that took longer than the limit, and the share that may."""

    rate: float
    beyond: float
    ios: float
    allowed: float

    @property
    def ratio(self) -> float:
        """Beyond / as many as may be: above 1 is a miss."""
        return self.beyond / (self.allowed * self.ios)


class _Spot(NamedTuple):
    """A point as the curve sees it: log rate, log odds of what may be beyond the limit, I/Os, and how many are beyond it."""

    x: float
    base: float
    ios: float
    beyond: float
    may_be: float

    @classmethod
    def of(cls, point: Point) -> _Spot:
        """What lies beyond the limit counts up to eight times what may: further off the curve is not straight, and one queue that
        ran away, or one stall, would outweigh all other trials."""
        ios = min(1.0, _CLIP * point.allowed) * point.ios
        may_be = point.allowed * point.ios
        return cls(log(point.rate), log(may_be / (ios - may_be)), ios, min(point.beyond, ios), may_be)


SLOPE = 6.0
"""Of log odds over log rate, where nothing is known: that of an M/M/1 queue at half its capacity, p99 at ten service times."""
_SLOPES = tuple(exp(log(400.0) * step / 16) for step in range(17))
_PRIOR = 1.5
"""Standard deviation of the slope's logarithm before there is a trial."""
_RISE = 0.7
"""Trials are spread so that the odds double from the middle to the outer ones."""
_SPREAD_MIN, _SPREAD_MAX = 0.004, 0.06
_CLIP = 8.0
_NEAR = 6.0
"""Times as many, or as few, beyond the limit as may be: further from the crossing the line is not straight."""
_WIDE = 0.35
"""The same in log rate, where the curve is flat."""
_NEAR_MIN = 5
_HALF_WIDTH_MIN = log1p(0.02)
"""No line is known closer than that: trials of another minute differ by as much."""
_STEP_HIGH, _STEP_LOW = 20.0, 0.1
_AGREE_MIN = 2
_STEP_SPREAD = 0.6
"""Of the gap of a step, so that trials go to both of its ends again: one that held there may have been lucky."""
_STEEP = 20.0
"""Of a queue near its capacity, where a trial may end before it has shown that it grows."""
_REACH = log(1.5)
"""In log rate: how far beyond its trials a crossing may be put."""
_NOISE = 20.0
"""Of a trial's share, as a multiple of chance, before it is known: late I/Os come in such clusters."""
_NOISE_OF_SLOPE_MAX = 30.0
"""One outlier must not hide from the slope what all other trials say."""
_TOO_FEW = 2.0
"""The noise of few trials, chosen as they came, is rather larger than they show."""
_NONE = 1 / (1 + exp(25.0))
_ROUNDS, _HALVINGS = 2, 22


def spread(slope: float) -> float:
    """How far from the crossing trials tell most, as a share of its rate: near it where the curve is steep, further where flat."""
    return min(max(_RISE / slope, _SPREAD_MIN), _SPREAD_MAX)


@dataclass(frozen=True)
class Fit:
    """The crossing, I/Os per second, with its 95 % interval; `slope` is that of log odds over log rate."""

    crossing: float
    ci95: tuple[float, float]
    slope: float

    @property
    def width(self) -> float:
        """Upper end of the interval / lower end."""
        return self.ci95[1] / self.ci95[0]


def fit(points: Sequence[Point], blind: float = 0.0) -> Fit | None:
    """None with fewer than three trials or without two different rates.

    A queue that grows by less than the share `blind` of the rate would not have been seen within a trial, where the curve is steep.
    """
    known = [point for point in points if point.ios > 0]
    if len(known) < 3 or len({point.rate for point in known}) < 2:
        return None
    step = edge(known)
    if step is not None:
        return _at_step(*step, blind)
    curve = _Curve.through([_Spot.of(point) for point in known])
    low, high = curve.ends()
    at = curve.crossing
    ends = exp(min(low, at - _HALF_WIDTH_MIN)), exp(max(high, at + _HALF_WIDTH_MIN))
    unseen = 1 - blind if curve.slope > _STEEP else 1.0
    fitted = Fit(exp(at), (ends[0] * unseen, ends[1]), curve.slope)
    agreed = _agreed(known)
    between = None if agreed is None else _at_step(*agreed, blind)
    return fitted if between is None or between.width > fitted.width else between


def _agreed(points: Sequence[Point]) -> tuple[float, float] | None:
    """A rate up to which no trial had more than hardly anything beyond the limit, with two of them there or above; and one from
    which on nearly all I/Os of each were late, with two of them. None where there are no such rates.

    A throttle that lets go in lumps holds in one trial and misses in the next at rates close to its own, by so much that no
    curve fits. Further below and above it all trials agree.
    """
    by_rate = sorted(points, key=lambda point: (point.rate, -point.ratio))
    clear = list(takewhile(lambda point: point.ratio <= _STEP_LOW, by_rate))
    late = list(takewhile(lambda point: point.ratio >= _STEP_HIGH, reversed(by_rate)))
    if min(len(clear), len(late)) < _AGREE_MIN:
        return None
    return clear[-_AGREE_MIN].rate, late[-1].rate


def edge(points: Sequence[Point]) -> tuple[float, float] | None:
    """Highest rate that held and lowest that missed, where the curve is a step: no overlap, hardly anything beyond the limit
    below it, and very much above.

    A throttled device is like that: where between the two it breaks, no trial has said.
    """
    held = max((point for point in points if point.ratio <= 1), default=None)
    missed = min((point for point in points if point.ratio > 1), default=None)
    if held is None or missed is None or held.rate >= missed.rate:
        return None
    return (held.rate, missed.rate) if missed.ratio > _STEP_HIGH * max(held.ratio, _STEP_LOW) else None


def _at_step(low: float, high: float, blind: float) -> Fit:
    least = exp(_HALF_WIDTH_MIN)
    return Fit(
        (low * high) ** 0.5,
        (low * (1 - blind) / least, high * least),
        min(_SLOPES[-1], _RISE / (_STEP_SPREAD * log(high / low))),
    )


@dataclass(frozen=True)
class _Curve:
    """A straight line of log odds over log rate, through the trials near its crossing. Rates are logarithms here."""

    points: Sequence[_Spot]
    slope: float
    crossing: float
    noise: float
    """Variance of a trial's I/Os beyond the limit, as a multiple of what chance alone makes it."""
    slant: float
    """Standard error of the sum of I/Os beyond the limit that a wrong slope makes: none where the trials surround the crossing."""

    @classmethod
    def through(cls, points: Sequence[_Spot]) -> _Curve:
        close, noise = _near(points), _NOISE
        slope = about = 0.0
        for _ in range(_ROUNDS):
            slope = _steepness(close, min(noise, _NOISE_OF_SLOPE_MAX))
            about = _level(close, slope)
            noise = _noise(close, slope, about)
        found = _Sums.of(close, slope, about)
        error = 1 / sqrt(found.squares / noise + 1 / (_PRIOR * slope) ** 2)
        return cls(close, slope, about, noise, found.moment * error)

    def ends(self) -> tuple[float, float]:
        """Between which crossings the trials do not contradict."""
        limit = student_95(len(self.points) - 2)
        low, high = self.crossing - _REACH, self.crossing + _REACH
        return (
            _root(lambda at: self._score(at) + limit, low, high),
            _root(lambda at: self._score(at) - limit, low, high),
        )

    def _score(self, at: float) -> float:
        """How many standard deviations too many lie beyond the limit for a crossing there."""
        sums = _Sums.of(self.points, self.slope, at)
        return sums.excess / sqrt(self.noise * sums.weight + self.slant**2)


@dataclass(frozen=True)
class _Sums:
    """Over trials: how many more lie beyond the limit than a curve says; the weight of the trials, and its first and second moment
    over log rate, about the crossing and about their own middle."""

    excess: float
    weight: float
    moment: float
    squares: float

    @classmethod
    def of(cls, points: Sequence[_Spot], slope: float, crossing: float) -> _Sums:
        shares = [_share(point, slope, crossing) for point in points]
        both = list(zip(points, shares, strict=True))
        weights = [point.ios * share * (1 - share) for point, share in both]
        places = [point.x - crossing for point in points]
        total = max(sum(weights), 1e-9)
        moment = sum(weight * x for weight, x in zip(weights, places, strict=True))
        squares = sum(weight * (x - moment / total) ** 2 for weight, x in zip(weights, places, strict=True))
        return cls(sum(point.beyond - point.ios * share for point, share in both), total, moment, squares)


def _share(point: _Spot, slope: float, crossing: float) -> float:
    """The share beyond the limit that a curve says, never quite none or all."""
    at = point.base + slope * (point.x - crossing)
    return 1 / (1 + exp(-at)) if -25.0 < at < 25.0 else (_NONE if at < 0 else 1 - _NONE)


def _near(points: Sequence[_Spot]) -> list[_Spot]:
    """Trials that say where the crossing is, never fewer than five: at their rates some, but not very many lie beyond the limit."""
    blocks = _monotone(points)
    inside = [point for block in blocks if 1 / _NEAR <= _pooled(block) <= _NEAR for point in block]
    last = max((number for number, block in enumerate(blocks) if _pooled(block) <= 1), default=0)
    around = [block[-1] for block in blocks[last : last + 1]] + [
        block[0] for block in blocks[last + 1 : last + 2]
    ]
    about = sum(point.x for point in around) / len(around)
    by_distance = sorted(points, key=lambda point: abs(point.x - about))
    kept = {id(point) for point in (*inside, *by_distance[:_NEAR_MIN])}
    return [point for point in points if id(point) in kept and abs(point.x - about) <= _WIDE] or list(points)


def _monotone(points: Sequence[_Spot]) -> list[list[_Spot]]:
    """Trials by rate, in blocks whose pooled ratios rise: neighbours that do not are pooled (Ayer and others 1955)."""
    blocks: list[list[_Spot]] = []
    for point in sorted(points, key=lambda point: point.x):
        blocks.append([point])
        while len(blocks) > 1 and _pooled(blocks[-2]) >= _pooled(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    return blocks


def _pooled(block: Sequence[_Spot]) -> float:
    return sum(point.beyond for point in block) / sum(point.may_be for point in block)


def _level(points: Sequence[_Spot], slope: float) -> float:
    """The crossing at which the curve says as many as were seen, not far from the trials."""
    rates = [point.x for point in points]
    return _root(lambda at: _excess(points, slope, at), min(rates) - _REACH, max(rates) + _REACH)


def _excess(points: Sequence[_Spot], slope: float, crossing: float) -> float:
    return sum([point.beyond - point.ios * _share(point, slope, crossing) for point in points])


def _steepness(points: Sequence[_Spot], noise: float) -> float:
    """How steep the curve is: the most likely of the slopes that queues have, which are held to be alike at first."""

    def cost(slope: float) -> float:
        surprise = _deviance(points, slope, _level(points, slope)) / noise
        return surprise + (log(slope / SLOPE) / _PRIOR) ** 2

    return min(_SLOPES, key=cost)


def _deviance(points: Sequence[_Spot], slope: float, crossing: float) -> float:
    total = 0.0
    for point in points:
        said, seen = _share(point, slope, crossing), min(1.0, point.beyond / point.ios)
        total += point.ios * seen * log(seen / said) if seen > 0 else 0.0
        total += point.ios * (1 - seen) * log((1 - seen) / (1 - said)) if seen < 1 else 0.0
    return 2 * total


def _noise(points: Sequence[_Spot], slope: float, crossing: float) -> float:
    """Pearson's statistic over the degrees of freedom that level and slope leave; no less than chance."""
    total = 0.0
    for point in points:
        share = _share(point, slope, crossing)
        total += (point.beyond - point.ios * share) ** 2 / (point.ios * share * (1 - share))
    return max(1.0, _TOO_FEW * total / max(1, len(points) - 2))


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where it passes zero, or the end at which it comes nearest."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2
