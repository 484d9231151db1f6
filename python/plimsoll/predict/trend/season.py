"""What repeats by the hour of the day and the day of the week, chosen by what it explains for the figures that it takes.

Candidates are compared by generalized cross-validation (Craven and Wahba 1979): the squares left over, made dearer by each figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from plimsoll.facts.trend import SeasonKind
from plimsoll.predict.trend.grid import WEEK_DAYS, Grid
from plimsoll.predict.trend.robust import column_medians, sigma

PERIODS_MIN = 3
"""What was seen twice may be chance."""
_CLIPPED_AT = 4.0
"""Standard deviations from the middle of its step of the week, beyond which a value is taken for so far and no further."""
_ROUNDS = 3
_Maker = tuple[SeasonKind, Callable[[], np.ndarray], np.ndarray, int]
"""A kind, what makes it, which of its figures stands for each step, and how many figures it takes."""


@dataclass(frozen=True)
class Season:
    """What to add for each step of the week, 0 on average, and how many figures that took."""

    kind: SeasonKind
    of_week: np.ndarray
    figures: int

    def at(self, grid: Grid) -> np.ndarray:
        """What it adds at each step."""
        return self.of_week[grid.slot_of_week]


def season_of(grid: Grid, rest: np.ndarray) -> Season:
    """The season of what is left when the trend is taken away."""
    clipped = _clipped(grid, rest)
    known = np.isfinite(clipped)
    best = min(_candidates(grid, clipped, known), key=lambda one: _cost(grid, clipped, known, one))
    mean = float(best.at(grid)[known].mean()) if known.any() else 0.0
    return Season(best.kind, best.of_week - mean, best.figures)


def none(grid: Grid) -> Season:
    """No season at all."""
    return Season("none", np.zeros(grid.slots_per_week), 1)


def _clipped(grid: Grid, rest: np.ndarray) -> np.ndarray:
    """What single hours do that are unlike all others must not become the rule for them."""
    weeks = grid.by_week(rest)
    if np.isfinite(weeks).sum(axis=0).max(initial=0) < PERIODS_MIN:
        return rest
    middle = column_medians(weeks)[grid.slot_of_week]
    reach = _CLIPPED_AT * sigma(rest - middle)
    return rest if reach == 0 else np.clip(rest, middle - reach, middle + reach)


def _candidates(grid: Grid, rest: np.ndarray, known: np.ndarray) -> Iterator[Season]:
    """Those of which each figure would rest on enough values."""
    yield none(grid)
    makers: list[_Maker] = [
        ("weekday", lambda: _weekday_means(grid, rest, known), grid.weekday, WEEK_DAYS),
    ]
    if grid.steps_per_day > 1:
        makers += _of_hours(grid, rest, known)
    for kind, make, slots, figures in makers:
        if _is_seen(grid, known, kind, slots):
            yield Season(kind, make(), figures)


def _of_hours(grid: Grid, rest: np.ndarray, known: np.ndarray) -> list[_Maker]:
    """Those that tell the steps of a day apart."""
    many, week = grid.steps_per_day, grid.slots_per_week
    return [
        ("day", lambda: _day_means(grid, rest, known), grid.slot_of_day, many),
        ("day and weekday", lambda: _both(grid, rest, known), grid.slot_of_day, many + WEEK_DAYS - 1),
        ("hour of week", lambda: _means(rest, known, grid.slot_of_week, week), grid.slot_of_week, week),
    ]


def _is_seen(grid: Grid, known: np.ndarray, kind: SeasonKind, slots: np.ndarray) -> bool:
    """Whether every step of the season is known often enough; one with weekdays also every weekday."""
    if "week" in kind:
        is_known = np.isfinite(grid.daily(np.where(known, 0.0, np.nan)))
        weekdays = grid.weekday[:: grid.steps_per_day][is_known]
        if np.bincount(weekdays, minlength=WEEK_DAYS).min() < PERIODS_MIN:
            return False
    counts = np.bincount(slots[known], minlength=int(slots.max(initial=0)) + 1)
    return bool(counts.min() >= PERIODS_MIN)


def _means(rest: np.ndarray, known: np.ndarray, slots: np.ndarray, count: int) -> np.ndarray:
    sums = np.bincount(slots[known], rest[known], count)
    return sums / np.maximum(np.bincount(slots[known], minlength=count), 1)


def _weekday_means(grid: Grid, rest: np.ndarray, known: np.ndarray) -> np.ndarray:
    return np.repeat(_means(rest, known, grid.weekday, WEEK_DAYS), grid.steps_per_day)


def _day_means(grid: Grid, rest: np.ndarray, known: np.ndarray) -> np.ndarray:
    return np.tile(_means(rest, known, grid.slot_of_day, grid.steps_per_day), WEEK_DAYS)


def _both(grid: Grid, rest: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The hour's part and the weekday's part beside each other, each of what the other leaves (gaps make them uneven)."""
    hours = days = np.zeros(grid.slots_per_week)
    slots = grid.slot_of_week
    for _ in range(_ROUNDS):
        hours = _day_means(grid, rest - days[slots], known)
        days = _weekday_means(grid, rest - hours[slots], known)
    return hours + days


def _cost(grid: Grid, rest: np.ndarray, known: np.ndarray, season: Season) -> float:
    count = int(known.sum())
    if season.figures >= count:
        return float("inf")
    left = (rest - season.at(grid))[known]
    return float((left**2).sum()) / (count - season.figures) ** 2
