"""What lies ahead of a fit, how sure that is, and when nothing is said of it.

A band holds 90 % of what single steps will be: the spread of what the fit left, and how sure level and slope are. It reaches no
further ahead than the series reaches back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plimsoll.predict.trend.grid import WEEK_DAYS, Grid
from plimsoll.predict.trend.model import ROUNDING, Fit, fit
from plimsoll.predict.trend.robust import column_medians, neighbour_correlation, sigma
from plimsoll.predict.trend.slope import SIGMAS
from plimsoll.predict.trend.steps import ALIKE_MAX, long_run_variance

DAYS_MIN = 14
"""With values: of less neither slope nor weekday can be told, and no new level is known to stay."""
ODD_SIGMAS = 5.0
"""How far the middle of a day lies from the fit, in what days usually do, to be unlike the others."""
KNOWN_SHARE_MIN = 0.5
"""Of the days: where more are gaps, nobody knows whether those that are known are usual ones."""
DAYS_PER_STEP_MIN = 28
"""Where levels change more often than this, the next change comes before the forecast ends."""
HORIZON_DAYS_MAX = 365
HELD_OUT_SHARE = 0.2
"""Of the series, that the rest has to foresee before anything is said of what is to come."""
HELD_SHARE_MIN = 0.7
"""Of what was held out, that has to lie within the band; 0.9 is meant."""
HELD_STEPS_MIN = 12
"""Fewer held-out steps say nothing."""
LINE_SHARE_MIN = 0.9
"""Of the variance of days, what slope and steps explain: of so clear a line it may wander about it, as a size does that grows."""
_LOW, _HIGH = 0.05, 0.95
_QUANTILES = np.linspace(0.005, 0.995, 100)
_MEDIAN_VARIANCE = np.pi / 2
"""A median is less sure than a mean by so much, of normal noise."""
_PER_DAY = 4
"""Moments of a day at which a limit is looked for."""


@dataclass(frozen=True)
class Band:
    """The middle of what is expected, and what 90 % lie between."""

    middle: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True)
class Left:
    """Days until a limit is reached, with the 90 % interval; None: not as far as can be foreseen."""

    days: float | None
    low: float | None
    high: float | None
    horizon_days: int


@dataclass(frozen=True)
class Ahead:
    """What follows from a fit."""

    of: Fit

    @property
    def horizon_days(self) -> int:
        """How many days ahead anything is said."""
        return min(HORIZON_DAYS_MAX, len(self.of.grid) // self.of.grid.steps_per_day)

    @cached_property
    def rest_quantiles(self) -> np.ndarray:
        """How what is left is spread, made wider by the figures that were told from it."""
        known = self.of.rest[self.of.grid.known]
        middle = float(np.median(known))
        spare = max(1, len(known) - self.of.figures)
        return middle + (np.quantile(known, _QUANTILES) - middle) * np.sqrt(len(known) / spare)

    def deviation(self, day: np.ndarray) -> np.ndarray:
        """How sure the trend is on a day, as a standard deviation."""
        daily = self.of.grid.daily(self.of.rest)
        days = self.of.line.part_days[-1]
        level = _MEDIAN_VARIANCE * long_run_variance(daily[np.isfinite(daily)]) / days
        last = len(daily) - days / 2
        return np.sqrt(level + (self.of.line.slope.deviation * (day - last)) ** 2)

    def band(self, count: int) -> Band:
        """The next `count` steps, each by itself."""
        grid = self.of.grid.beyond(count)
        middle = self.of.line.at(grid) + self.of.season.at(grid)
        sure = SIGMAS * self.deviation(grid.day)
        low, high = (float(np.interp(share, _QUANTILES, self.rest_quantiles)) for share in (_LOW, _HIGH))
        band = Band(middle, middle - np.hypot(low, sure), middle + np.hypot(high, sure))
        return Band(*(part[-count:] for part in (band.middle, band.low, band.high)))

    def by_day(self) -> Band:
        """Each day up to the horizon: the mean of its steps, and what 90 % of them lie between."""
        grid = self.of.grid
        first = -(-len(grid) // grid.steps_per_day)
        days = first + np.arange(self.horizon_days)
        weekday = (grid.weekday[0] + days) % WEEK_DAYS
        trend = self.of.line.levels[-1] + self.of.line.slope.per_day * (days + 0.5)
        sure = SIGMAS * self.deviation(days + 0.5)
        mean, low, high = (part[weekday] for part in self._weekday_spread)
        return Band(
            trend + mean,
            trend + mean - np.hypot(mean - low, sure),
            trend + mean + np.hypot(high - mean, sure),
        )

    @cached_property
    def _weekday_spread(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of each weekday the mean, and both ends, of season and rest together."""
        season = self.of.season.of_week.reshape(WEEK_DAYS, -1)
        mixed = (season[:, :, None] + self.rest_quantiles).reshape(WEEK_DAYS, -1)
        return mixed.mean(axis=1), np.quantile(mixed, _LOW, axis=1), np.quantile(mixed, _HIGH, axis=1)

    @cached_property
    def _edges(self) -> tuple[float, float]:
        """By how much the low steps, the 5th of 100, and the busy ones, the 95th, lie above the trend."""
        mixed = self.of.season.of_week[:, None] + self.rest_quantiles
        low, high = np.quantile(mixed, (_LOW, _HIGH))
        return float(low), float(high)

    @property
    def end_day(self) -> float:
        """Days from the start of the series to its end."""
        return len(self.of.grid) / self.of.grid.steps_per_day

    def edge_at_end(self, is_floor: bool = False) -> float:
        """What the busy steps are at the end of the series; of a floor the low ones."""
        return float(self._edge_on(np.array([self.end_day]), is_floor)[0])

    def _edge_on(self, day: np.ndarray, is_floor: bool) -> np.ndarray:
        return self.of.line.levels[-1] + self.of.line.slope.per_day * day + self._edges[0 if is_floor else 1]

    def left(self, limit: float, is_floor: bool = False) -> Left:
        """When the busy steps rise to `limit`, or the low ones fall to it, counted from the end of the series."""
        ahead = np.arange(self.horizon_days * _PER_DAY + 1) / _PER_DAY
        line = self._edge_on(self.end_day + ahead, is_floor) - limit
        beyond = -line if is_floor else line
        sure = SIGMAS * self.deviation(self.end_day + ahead)
        days, low, high = (_first(ahead, one >= 0) for one in (beyond, beyond + sure, beyond - sure))
        return Left(days, low, high, self.horizon_days)


def _first(ahead: np.ndarray, is_there: np.ndarray) -> float | None:
    return float(ahead[np.argmax(is_there)]) if is_there.any() else None


@dataclass(frozen=True)
class Trial:
    """How much of what was held out lay within the band that the rest gave; None: too little to tell."""

    held_share: float | None = None


def tried(found: Fit) -> Trial:
    """Foresees the last part of a series from the rest, up to the first step in it."""
    grid = found.grid
    count = int((1 - HELD_OUT_SHARE) * len(grid)) // grid.steps_per_day * grid.steps_per_day
    before = grid.first(count)
    if np.isfinite(before.daily(before.values)).sum() < DAYS_MIN:
        return Trial()
    end = min([cut for cut in found.line.cuts if cut >= count], default=len(grid))
    held = grid.values[count:end]
    known = np.isfinite(held)
    if known.sum() < HELD_STEPS_MIN:
        return Trial()
    band = Ahead(fit(before)).band(len(held))
    inside = (held >= band.low) & (held <= band.high)
    return Trial(float(inside[known].mean()))


def too_little(grid: Grid) -> str | None:
    """Why there is not enough for a fit; None: there is."""
    daily = np.isfinite(grid.daily(grid.values))
    known, days = int(daily.sum()), len(daily)
    if known < DAYS_MIN:
        return f"values of {known} day{'' if known == 1 else 's'} are too few for a forecast, which takes {DAYS_MIN}"
    if known < KNOWN_SHARE_MIN * days:
        return f"of {days:,} days {days - known:,} are gaps"
    return None


def too_poor(found: Fit, trial: Trial) -> str | None:
    """Why a fit says nothing of what is to come; None: it does."""
    days = len(found.grid) / found.grid.steps_per_day
    cuts = len(found.line.cuts)
    if cuts > 1 and days < DAYS_PER_STEP_MIN * cuts:
        return f"its level changed {cuts} times in {days:,.0f} days, and may again"
    if (why := _unsettled(found)) is not None:
        return why
    if not np.isfinite(found.line.slope.deviation):
        return f"its slope cannot be told from {days:,.0f} days"
    if found.line_share < LINE_SHARE_MIN and neighbour_correlation(found.grid.daily(found.rest)) > ALIKE_MAX:
        return "its level wanders: each day lies where the day before left it, and not along a line"
    if trial.held_share is not None and trial.held_share < HELD_SHARE_MIN:
        return (
            f"of its last fifth {100 * trial.held_share:.0f} % lie where a forecast from the days before puts 90 %, "
            "so that the next would be no better"
        )
    return None


def _unsettled(found: Fit) -> str | None:
    """Why nobody knows yet at which level it goes on; None: it lies where it was."""
    odd = odd_days_at_end(found)
    if odd:
        last = "its last day is" if odd == 1 else f"its last {odd} days are"
        return f"{last} not where the days before lead, and nobody knows yet whether that stays"
    newest = _days_at_last_level(found)
    if found.line.cuts and newest < DAYS_MIN:
        days = "1 day" if newest == 1 else f"{newest} days"
        return f"{days} at its new level are too few for a forecast, which takes {DAYS_MIN}"
    return None


def _days_at_last_level(found: Fit) -> int:
    """With values, and no more than lie behind the very step."""
    since = len(found.grid) - max(found.line.cuts, default=0)
    return min(found.line.part_days[-1], -(-since // found.grid.steps_per_day))


def odd_days_at_end(found: Fit) -> int:
    """How many days, the last one among them, lie further from the fit than days do, all on one side; 0 where as many in a row
    did so before, and the band knows of them.

    A day counts by its middle: a single hour makes none odd. Days of which less than half of the usual is known say nothing.
    """
    steps = found.grid.by_day(found.rest)
    known = np.isfinite(steps).sum(axis=0)
    told = np.flatnonzero(known >= max(1.0, np.median(known[known > 0]) / 2))
    middles = column_medians(steps)[told]
    middles = middles - np.median(middles)  # what is skewed has its middle beside its mean on every day
    usual = max(sigma(middles), ROUNDING * float(np.nanmax(np.abs(found.grid.values))))
    sides = np.where(np.abs(middles) > ODD_SIGMAS * usual, np.sign(middles), 0.0)
    runs = np.split(sides, np.flatnonzero(np.diff(sides)) + 1)
    last, longest = runs[-1], max((len(run) for run in runs[:-1] if run[0] == runs[-1][0]), default=0)
    return len(last) if last[0] and len(last) > longest else 0
