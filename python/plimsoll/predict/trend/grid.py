"""Points of any spacing on even steps of an hour to a day. What nobody measured is NaN and stays a gap, never 0.

Times are seconds since 1970 by the series' own clock, so that midnight is a multiple of 86,400. 1970-01-01 was a Thursday.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plimsoll.predict.trend.robust import column_means

DAY_S = 86_400
WEEK_DAYS = 7
STEPS_S = (3_600, 7_200, 10_800, 14_400, 21_600, 28_800, 43_200, DAY_S)
"""Each divides a day, so that an hour of a day is always the same step."""
_FIRST_WEEKDAY = 3
_ABOUT = 0.95
"""Reports of an hour last some seconds more or less."""
COVERED_SHARE_MIN = 0.5
"""Of a step: where less of it was measured, it is a gap."""
_STEPS_COVERED_MAX = 2.05
"""A mean over more steps than this says nothing of each of them."""
_ENDS_DAYS = 2
"""The midnight before the first point, and the end of the last, which may last two days."""
STEPS_MAX = 200_000
"""Twenty years of hours: a date that is a slip of the pen must not take all memory."""


@dataclass(frozen=True)
class Points:
    """What was measured: a value from `begin_s` on for `duration_s`. `weight` counts what each mean is of (waits, I/Os); None: the
    values are amounts, which instances add up."""

    begin_s: np.ndarray
    duration_s: np.ndarray
    value: np.ndarray
    weight: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.begin_s)

    def where(self, kept: np.ndarray) -> Points:
        """Some of them."""
        weight = None if self.weight is None else self.weight[kept]
        return Points(self.begin_s[kept], self.duration_s[kept], self.value[kept], weight)


@dataclass(frozen=True)
class Grid:
    """A value for each step from `start_s`, a midnight, on; NaN where it is not known."""

    start_s: int
    step_s: int
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.values)

    @property
    def steps_per_day(self) -> int:
        """How many steps a day has."""
        return DAY_S // self.step_s

    @cached_property
    def day(self) -> np.ndarray:
        """Days since the start, of the middle of each step."""
        return (np.arange(len(self)) + 0.5) * (self.step_s / DAY_S)

    @cached_property
    def known(self) -> np.ndarray:
        """Which steps are no gaps."""
        return np.isfinite(self.values)

    @cached_property
    def slot_of_day(self) -> np.ndarray:
        """Which step of its day each is."""
        return np.arange(len(self)) % self.steps_per_day

    @cached_property
    def weekday(self) -> np.ndarray:
        """0 is Monday."""
        first = self.start_s // DAY_S + _FIRST_WEEKDAY
        return (first + np.arange(len(self)) // self.steps_per_day) % WEEK_DAYS

    @property
    def slot_of_week(self) -> np.ndarray:
        """Which step of its week each is."""
        return self.weekday * self.steps_per_day + self.slot_of_day

    @property
    def slots_per_week(self) -> int:
        """How many steps a week has."""
        return WEEK_DAYS * self.steps_per_day

    def time_s(self, index: int) -> int:
        """When a step begins."""
        return self.start_s + index * self.step_s

    def having(self, values: np.ndarray) -> Grid:
        """The same steps with other values."""
        return Grid(self.start_s, self.step_s, values)

    def first(self, count: int) -> Grid:
        """The first of them."""
        return self.having(self.values[:count])

    def beyond(self, count: int) -> Grid:
        """The same start with `count` more steps, all unknown: for what lies ahead."""
        return self.having(np.full(len(self) + count, np.nan))

    def by_week(self, values: np.ndarray) -> np.ndarray:
        """A row for each week, a column for each step of it, from Monday on; NaN where there is nothing."""
        lead = int(self.slot_of_week[0])
        width = self.slots_per_week
        rows = -(-(lead + len(values)) // width)
        padded = np.full(rows * width, np.nan)
        padded[lead : lead + len(values)] = values
        return padded.reshape(rows, width)

    def by_day(self, values: np.ndarray) -> np.ndarray:
        """A column for each day, a row for each step of it. The last day may be cut."""
        width = self.steps_per_day
        days = -(-len(values) // width)
        padded = np.full(days * width, np.nan)
        padded[: len(values)] = values
        return padded.reshape(days, width).T

    def daily(self, values: np.ndarray) -> np.ndarray:
        """The mean of what each day knows; NaN where it knows nothing."""
        return column_means(self.by_day(values))


def step_for(points: Sequence[Points]) -> int:
    """The shortest step that most points fill."""
    usual = float(np.median(np.concatenate([one.duration_s for one in points])))
    return next((step for step in STEPS_S if usual * _ABOUT <= step), DAY_S)


def is_too_long(points: Points, step_s: int) -> np.ndarray:
    """Which points are means over several steps."""
    return points.duration_s > _STEPS_COVERED_MAX * step_s


def are_too_far(points: Sequence[Points], step_s: int) -> list[np.ndarray]:
    """Which points lie further from the one in the middle than a grid reaches, as by a year that somebody mistyped."""
    begins = np.concatenate([one.begin_s for one in points])
    middle = float(np.quantile(begins, 0.5, method="lower"))
    reach_s = STEPS_MAX * step_s / 2 - _ENDS_DAYS * DAY_S
    return [np.abs(one.begin_s - middle) > reach_s for one in points]


def span_of(points: Sequence[Points], step_s: int) -> tuple[int, int]:
    """The midnight before all of them, and how many steps reach the last."""
    begin = min(float(one.begin_s.min()) for one in points)
    end = max(float((one.begin_s + one.duration_s).max()) for one in points)
    start = int(begin // DAY_S) * DAY_S
    # A report that ends some seconds after the hour begins no new one.
    return start, max(1, int(np.ceil((end - start) / step_s - (1 - _ABOUT))))


def laid(points: Points, start_s: int, step_s: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The value of each step, and the weight behind it. Means are weighed by what they are of, amounts by how long they lasted."""
    sums, weights, covered = np.zeros(count), np.zeros(count), np.zeros(count)
    first = np.floor((points.begin_s - start_s) / step_s).astype(int)
    end_s = points.begin_s + points.duration_s
    per_s = 1.0 if points.weight is None else points.weight / points.duration_s
    for further in range(int(_STEPS_COVERED_MAX) + 2):
        at = first + further
        begin = start_s + at * step_s
        overlap = np.minimum(end_s, begin + step_s) - np.maximum(points.begin_s, begin)
        inside = (overlap > 0) & (at >= 0) & (at < count)
        weight = (overlap * per_s)[inside]
        sums += np.bincount(at[inside], weight * points.value[inside], count)
        weights += np.bincount(at[inside], weight, count)
        covered += np.bincount(at[inside], overlap[inside], count)
    is_known = (covered >= _covered_min(covered, step_s)) & (weights > 0)
    return np.where(is_known, sums / np.where(is_known, weights, 1.0), np.nan), weights


def _covered_min(covered: np.ndarray, step_s: int) -> float:
    """Half of a step; of a series that covers less everywhere, as one report of a quarter of an hour each day does, what is
    usual for it."""
    touched = covered[covered > 0]
    usual = float(np.median(touched)) if len(touched) else 0.0
    return max(1.0, min(COVERED_SHARE_MIN * step_s, _ABOUT * usual))


@dataclass(frozen=True)
class Part:
    """One instance's share of a series, on the common steps."""

    name: str
    values: np.ndarray
    weights: np.ndarray

    @cached_property
    def life(self) -> slice:
        """From its first known step to its last: outside of it the instance was not there, inside it is missing."""
        at = np.flatnonzero(np.isfinite(self.values))
        return slice(0, 0) if not len(at) else slice(int(at[0]), int(at[-1]) + 1)


def together(parts: Sequence[Part], are_means: bool) -> np.ndarray:
    """All instances as one: amounts added, means weighed. A step in which an instance is missing that was there before and
    after is not known."""
    if len(parts) == 1:
        return parts[0].values
    sums, weights = np.zeros(len(parts[0].values)), np.zeros(len(parts[0].values))
    is_missing, is_there = np.zeros(len(sums), bool), np.zeros(len(sums), bool)
    for part in parts:
        known = np.isfinite(part.values)
        lives = np.zeros(len(sums), bool)
        lives[part.life] = True
        # Of means nothing was waited for where the weight is 0: such an instance is there and adds nothing.
        idle = lives & ~known & (part.weights == 0) if are_means else np.zeros(len(sums), bool)
        is_missing |= lives & ~known & ~idle
        is_there |= known
        weight = part.weights if are_means else np.ones(len(sums))
        sums += np.where(known, weight * np.where(known, part.values, 0.0), 0.0)
        weights += np.where(known, weight, 0.0)
    total = sums / np.where(weights > 0, weights, 1.0) if are_means else sums
    return np.where(is_there & ~is_missing, total, np.nan)
