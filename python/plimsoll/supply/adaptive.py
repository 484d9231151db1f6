"""Chooses the points of a calibration where the curve bends, instead of walking a fixed grid.

Shorter points show the way: the load doubles until a doubling wins less than a twentieth, one leap to eight times that load looks
whether the curve had only paused, and the gaps beside the most powerful load are halved until the rates on their two sides
are within 3 %. What the answer rests on, the knee and the highest rates, is then measured for the full time. The knee is the one of
`plimsoll.supply.knee`, which measures the loads that may be it in turn afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, sqrt

from plimsoll.facts import Point
from plimsoll.supply.calibration import Course, Ended
from plimsoll.supply.knee import look_s, power, small_row

_GREW = 1.05
"""A doubling that wins less has left the slope."""
CLOSE = 1.03
"""Neighbours of the knee whose rates are this near to one another hold it to within as much."""
_LEAP = 8
_LEAP_GREW = 1.10
SAME = 0.98
"""Rates this near to one another are one plateau; noise widens it."""
_NEAR_POWER, _APART = 0.7, 1.5
"""Loads with so much of the highest power may be the knee; such a ratio between loads leaves too much untried."""
_MIXED_SHARE = 1 / 2
_CONFIRMATIONS_MAX = 3


@dataclass(frozen=True)
class Reach:
    """How deep the queues may go; 0 for a kind of I/O that is left alone."""

    small_max: int
    large_max: int
    mixed: bool = False
    """Whether the small I/Os are measured beside the large ones too, each at its best load."""


class Axis:
    """Small or large I/Os alone, by load."""

    def __init__(
        self,
        at: Callable[[int, float], Point],
        rate: Callable[[Point], float | None],
        full_s: float,
        depth_max: int,
    ) -> None:
        self._at, self._rate, self._full_s, self._depth_max = at, rate, full_s, depth_max
        self._look_s = look_s(full_s)
        self._points: dict[int, Point] = {}
        self._full: set[int] = set()

    def look(self, depth: int) -> float:
        """The rate at a load, measured long enough to show the way."""
        if depth not in self._points:
            self._points[depth] = self._at(depth, self._look_s)
        return self.rate_at(depth)

    def full(self, depth: int) -> None:
        """Measures a load at full length, once."""
        if depth not in self._full:
            self._points[depth] = self._at(depth, self._full_s)
            self._full.add(depth)

    def rate_at(self, depth: int) -> float:
        """What was measured at a load, the longer measurement if there were two."""
        return self._rate(self._points[depth]) or 0.0

    @property
    def depths(self) -> list[int]:
        """Loads measured so far."""
        return sorted(self._points)

    def climb(self, start: int = 1) -> None:
        """Doubles the load until that wins nothing any more, here and eight times further on."""
        depth, before = min(start, self._depth_max), 0.0
        while True:
            rate = self.look(depth)
            if rate < _GREW * before and not self._leap(depth, rate):
                return
            if depth >= self._depth_max:
                return
            depth, before = min(2 * depth, self._depth_max), rate

    def _leap(self, depth: int, rate: float) -> bool:
        """Whether the rate still grows far beyond a load where it seemed to have stopped."""
        far = min(_LEAP * depth, self._depth_max)
        return far > depth and self.look(far) > max(_LEAP_GREW, 1 + self._noise(depth, far)) * rate

    def plateau(self, among: Sequence[int] = ()) -> int:
        """The lightest load whose rate is the highest, but for noise; of all loads or of some."""
        depths = among or self.depths
        best = max(depths, key=self.rate_at)
        return next(depth for depth in depths if self._alike(depth, best))

    def highest(self) -> int:
        """The plateau's load, measured at full length, and so is a heavier one of which chance made a look seem higher."""
        best = self.plateau()
        for _ in range(_CONFIRMATIONS_MAX):
            self.full(best)
            top = max(self.depths, key=self.rate_at)
            if self.rate_at(best) < SAME * self.rate_at(top):
                self.full(top)
            if self.plateau() <= best:
                break
            best = self.plateau()
        return best

    def point(self, depth: int) -> Point:
        """What was measured at a load."""
        return self._points[depth]

    def latency_us_at(self, depth: int) -> float:
        """Mean latency of the small I/Os at a load; endless where none has ended."""
        latency_us = self._points[depth].small_latency_us_mean
        return inf if latency_us is None else latency_us

    def may_beat(self, depth: int, best: int) -> bool:
        """Whether the power at a load may be higher than at `best`, but for chance; it goes with the square of the rate."""
        least = power(self._points[best]) * (1 - 2 * self._noise(depth, best))
        return power(self._points[depth]) > least

    def _alike(self, depth: int, best: int) -> bool:
        return self.rate_at(depth) >= self.rate_at(best) * min(SAME, 1 - self._noise(depth, best))

    def _noise(self, *depths: int) -> float:
        """What chance alone may make of the ratio of two rates: twice the spread of their Poisson counts."""
        counts = [max(1, cell.ios) for cell in (self._points[depth].cell for depth in depths) if cell]
        return 2 * sqrt(sum(1 / count for count in counts))


def small_axis(course: Course, depth_max: int, seconds: float) -> Axis:
    """Small I/Os alone."""
    return Axis(lambda depth, s: course.at(depth, 0, s), lambda at: at.small_iops, seconds, depth_max)


def large_axis(course: Course, depth_max: int, seconds: float) -> Axis:
    """Large I/Os alone."""
    return Axis(lambda depth, s: course.at(0, depth, s), lambda at: at.large_mb_per_s, seconds, depth_max)


def calibrate_adaptively(course: Course, reach: Reach, seconds: float) -> None:
    """Measures the points that matter, as far as it gets. `seconds` is the full time of a point."""
    try:
        _calibrate(course, reach, seconds)
    except Ended:
        return


def _calibrate(course: Course, reach: Reach, seconds: float) -> None:
    small_best = large_best = 0
    if reach.small_max:
        small_best = _small(course, reach.small_max, seconds)
    if reach.large_max:
        axis = large_axis(course, reach.large_max, seconds)
        axis.climb()
        large_best = axis.highest()
    if reach.mixed and small_best and large_best:
        course.at(small_best, large_best, _MIXED_SHARE * seconds)


def _small(course: Course, depth_max: int, seconds: float) -> int:
    """The knee's load, after knee and highest rate were measured at full length."""
    axis = small_axis(course, depth_max, seconds)
    axis.climb()
    best = _settled(course, axis)
    if axis.highest() > best:
        best = _settled(course, axis)
    _fill(course, axis)
    return best


def _settled(course: Course, axis: Axis) -> int:
    """The most powerful load once it has been measured at full length, and its neighbours where they may be it."""
    _close_in(course, axis)
    best = _most_powerful(course)
    for _ in range(_CONFIRMATIONS_MAX):
        axis.full(best)
        _look_beside(axis, best)
        _close_in(course, axis)
        found = _most_powerful(course)
        if found == best:
            break
        best = found
    return best


def _close_in(course: Course, axis: Axis) -> None:
    """Halves the gaps beside the most powerful load, as long as the rate changes across them."""
    while True:
        best = _most_powerful(course)
        around = _neighbours(axis.depths, best)
        gaps = [gap for gap in pairwise(around) if axis.rate_at(gap[1]) >= CLOSE * axis.rate_at(gap[0])]
        between = {middle(low, high) for low, high in gaps} - set(around)
        if not between:
            return
        for depth in sorted(between):
            axis.look(depth)


def _fill(course: Course, axis: Axis) -> None:
    """Looks between loads far apart of which one may be the knee: where none was tried, the knee may lie anywhere."""
    for low, high in pairwise(small_row(course.points)):
        highest = max(power(point) for point in small_row(course.points))
        near = max(power(low), power(high)) >= _NEAR_POWER * highest
        if near and high.small_depth > _APART * low.small_depth:
            depth = middle(low.small_depth, high.small_depth)
            if low.small_depth < depth < high.small_depth:
                axis.look(depth)


def _look_beside(axis: Axis, best: int) -> None:
    """Measures at full length the neighbours that chance may have kept from being the most powerful load.

    One whose rate is within 3 % gets no full time for it: the knee's rate would be as good as the same.
    """
    for depth in _neighbours(axis.depths, best):
        rates = axis.rate_at(depth), axis.rate_at(best)
        if depth != best and axis.may_beat(depth, best) and max(rates) >= CLOSE * min(rates):
            axis.full(depth)


def middle(low: int, high: int) -> int:
    """The whole number nearest to half way, by ratio."""
    return round(sqrt(low * high))


def _neighbours(depths: list[int], best: int) -> list[int]:
    at = depths.index(best)
    return depths[max(0, at - 1) : at + 2]


def _most_powerful(course: Course) -> int:
    """The load of the knee; 1 as long as nothing was measured without errors."""
    row = small_row(course.points)
    return max(row, key=power).small_depth if row else 1
