"""Series whose season, slope and step are known, for tests and for the bench of trends; and what a fit makes of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plimsoll.predict.trend.forecast import HELD_OUT_SHARE, Ahead, too_poor, tried
from plimsoll.predict.trend.grid import DAY_S, Grid
from plimsoll.predict.trend.model import fit

HOURS = 24
HOUR_S = 3_600
MONDAY_S = 4 * DAY_S
"""1970-01-05."""
SLOPE_PER_DAY, STEP, LEVEL = 2.0, 60.0, 500.0
NOISE = 10.0
"""Standard deviation of an hour."""
DAYS = 150


@dataclass(frozen=True)
class Made:
    """A series of hours, and the hour at which its level steps up."""

    grid: Grid
    step_at: int


def made(seed: int, days: int = DAYS, alike: float = 0.5, gap_share: float = 0.05) -> Made:
    """Hours with a day's and a weekend's season, a slope, a step, noise whose neighbours are `alike`, and hours left out."""
    draw = np.random.default_rng(seed)
    count = days * HOURS
    hour = np.arange(count)
    step_at = int(count * draw.uniform(0.2, 0.6))
    day_season = draw.uniform(20, 60) * np.sin(2 * np.pi * (hour % HOURS - 6) / HOURS)
    weekend = np.where(hour // HOURS % 7 >= 5, -draw.uniform(10, 40), 0.0)
    level = LEVEL + SLOPE_PER_DAY * (hour + 0.5) / HOURS + STEP * (hour >= step_at)
    values = level + day_season + weekend + _noise(draw, count, alike)
    values[draw.random(count) < gap_share] = np.nan
    values[[0, -1]] = level[[0, -1]]
    return Made(Grid(MONDAY_S, DAY_S // HOURS, values), step_at)


def _noise(draw: np.random.Generator, count: int, alike: float) -> np.ndarray:
    fresh = draw.normal(size=count) * NOISE * np.sqrt(1 - alike**2)
    noise = np.empty(count)
    noise[0] = fresh[0] / np.sqrt(1 - alike**2)
    for at in range(1, count):
        noise[at] = alike * noise[at - 1] + fresh[at]
    return noise


@dataclass(frozen=True)
class Told:
    """What the first four fifths of a series said, held against what was made and against the rest."""

    covered_share: float
    slope_error: float
    step_off: int
    """Points that are known between the step and where it was found; the whole length where none was found."""
    steps_invented: int
    """Steps that were found beside it."""
    refused: str | None


def told(one: Made) -> Told:
    """The fit of the first part, and its band over the last."""
    count = int((1 - HELD_OUT_SHARE) * len(one.grid)) // HOURS * HOURS
    found = fit(one.grid.first(count))
    band = Ahead(found).band(len(one.grid) - count)
    held = one.grid.values[count:]
    known = np.isfinite(held)
    inside = (held >= band.low) & (held <= band.high)
    cuts = found.line.cuts
    return Told(
        covered_share=float(inside[known].mean()),
        slope_error=abs(found.line.slope.per_day / SLOPE_PER_DAY - 1),
        step_off=min((_points_between(one, cut) for cut in cuts), default=len(one.grid)),
        steps_invented=max(0, len(cuts) - 1),
        refused=too_poor(found, tried(found)),
    )


def _points_between(one: Made, cut: int) -> int:
    low, high = sorted((cut, one.step_at))
    return int(one.grid.known[low:high].sum())
