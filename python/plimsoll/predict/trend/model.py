"""A series as season, steps and one slope: what each leaves is what the others are told from, until they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plimsoll.predict.trend.grid import Grid
from plimsoll.predict.trend.robust import median
from plimsoll.predict.trend.season import PERIODS_MIN, Season, none, season_of
from plimsoll.predict.trend.slope import Slope, slope_between, slope_of
from plimsoll.predict.trend.steps import clipped, cuts_of, lasting, needed, parts_of, price_of, sharpened

_ROUNDS = 3
_CUT_ROUNDS_MAX = 5
_NEAR_DAYS = 14
"""Pairs no further apart hardly ever have a step between them, so that the first slope is not that of the steps."""
_SHARPENED_DAYS = 2
ROUNDING = 1e-9
"""Sums of equal values may differ by this share, which is no season."""


@dataclass(frozen=True)
class Line:
    """Level parts that rise by one slope: from each of `cuts` (steps of the grid) on the next of `levels` holds."""

    slope: Slope
    cuts: tuple[int, ...]
    levels: tuple[float, ...]
    part_days: tuple[int, ...]
    """How many days with values each part has."""

    def at(self, grid: Grid) -> np.ndarray:
        """The trend at each step; beyond the last the last level goes on."""
        part = np.searchsorted(np.array(self.cuts), np.arange(len(grid)), side="right")
        return np.array(self.levels)[part] + self.slope.per_day * grid.day


@dataclass(frozen=True)
class Fit:
    """What a series is made of, and what that leaves."""

    grid: Grid
    season: Season
    line: Line
    rest: np.ndarray
    """What season and trend leave; NaN in gaps."""

    @property
    def figures(self) -> int:
        """How many figures were told from the values."""
        return self.season.figures + len(self.line.levels) + 1

    @property
    def line_share(self) -> float:
        """Of the variance of days without their season, what slope and steps explain; 1 where days do not vary."""
        known = self.grid.known
        level = np.where(known, self.grid.values - self.season.at(self.grid), np.nan)
        days, rest = (self.grid.daily(one) for one in (level, self.rest))
        days = days[np.isfinite(days)]
        total = float(((days - days.mean()) ** 2).sum())
        return 1 - float(np.nansum(rest**2)) / total if _vary(days) else 1.0

    @property
    def explained_share(self) -> float | None:
        """Of the variance, what season, steps and slope explain together; None of a series that does not vary."""
        known = self.grid.values[self.grid.known]
        total = float(((known - known.mean()) ** 2).sum())
        return 1 - float((self.rest[self.grid.known] ** 2).sum()) / total if _vary(known) else None


def fit(grid: Grid) -> Fit:
    """The fit of a grid of which at least one step is known."""
    level = _weekly(grid)
    season, line = none(grid), None
    is_varied = _vary(grid.values[grid.known])
    for _ in range(_ROUNDS):
        if is_varied:
            season = season_of(grid, grid.values - level)
        line = _line(grid, grid.values - season.at(grid), line)
        level = line.at(grid)
    assert line is not None, "there is more than no round"
    return Fit(grid, season, line, grid.values - level - season.at(grid))


def _vary(values: np.ndarray) -> bool:
    """Whether they do, by more than rounding."""
    return float(np.ptp(values)) > ROUNDING * float(np.abs(values).max())


def _weekly(grid: Grid) -> np.ndarray:
    """The middle of each seven days, joined by lines that go on at both ends, so that no season takes up a slope; of a short series
    that of all."""
    width = grid.slots_per_week
    whole = len(grid) // width
    middles = [
        (start + width / 2, median(part[np.isfinite(part)]))
        for start in range(0, whole * width, width)
        if np.isfinite(part := grid.values[start : start + width]).any()
    ]
    if len(middles) < PERIODS_MIN:
        return np.full(len(grid), float(np.median(grid.values[grid.known])))
    at, level = (np.array(part, float) for part in zip(*middles, strict=True))
    steps = np.arange(len(grid))
    rises = np.diff(level) / np.diff(at)
    before = np.minimum(steps - at[0], 0.0) * rises[0]
    return np.interp(steps, at, level) + before + np.maximum(steps - at[-1], 0.0) * rises[-1]


def _line(grid: Grid, values: np.ndarray, before: Line | None) -> Line:
    """Steps and slope of values without season, by their days; those of the round before are where the search begins."""
    daily = grid.daily(values)
    at = np.flatnonzero(np.isfinite(daily))
    # The middle of what is known of each day: half a day is not of its noon.
    days, means = grid.daily(np.where(grid.known, grid.day, np.nan))[at], daily[at]
    cuts = _agreed(days, means, before)
    parts = parts_of(len(days), cuts)
    slope = slope_of(days, means, parts)
    levels = tuple(median(means[part] - slope.per_day * days[part]) for part in parts)
    flat = values - slope.per_day * grid.day
    sharp = (
        sharpened(
            flat, int(at[cut]) * grid.steps_per_day, _SHARPENED_DAYS * grid.steps_per_day, before, after
        )
        for cut, before, after in zip(cuts, levels[:-1], levels[1:], strict=True)
    )
    return Line(slope, tuple(sharp), levels, tuple(part.stop - part.start for part in parts))


def _agreed(days: np.ndarray, means: np.ndarray, before: Line | None) -> Sequence[int]:
    """Steps are told from what the slope leaves, and the slope from what lies between steps, until neither changes."""
    cuts: list[int] | None = None
    if before is None:
        slope = slope_between(days, means, parts_of(len(days), []), apart_max=_NEAR_DAYS)
    else:
        slope = before.slope.per_day
    for _ in range(_CUT_ROUNDS_MAX):
        found = cuts_of(clipped(means - slope * days))
        if found == cuts:
            break
        cuts = found
        slope = slope_between(days, means, parts_of(len(days), cuts))
    flat = clipped(means - slope * days)
    price = price_of(flat)
    return lasting(flat, needed(days, flat, cuts, price), price) if cuts else []
