"""The slope of a series with steps: the median of the slopes between any two days of one level part (Theil 1950, Sen 1968), with
the interval that Kendall's variance gives (Sen 1968), widened where neighbours are alike (Hamed and Rao 1998, first lag).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plimsoll.predict.trend.robust import median, neighbour_correlation

PAIRED_MAX = 1_000
"""Days that are paired each with each; of more, neighbours are taken together first."""
_ROUNDING = 1e-9
"""Of the values: what is left of them below that is the arithmetic's, and says nothing."""
SIGMAS = 1.6449
"""Of a normal distribution 90 % lie within so many standard deviations."""


@dataclass(frozen=True)
class Slope:
    """Per day, with its 90 % interval."""

    per_day: float
    low: float
    high: float

    @property
    def deviation(self) -> float:
        """Its standard deviation."""
        return (self.high - self.low) / (2 * SIGMAS)


def slope_between(
    days: np.ndarray, values: np.ndarray, parts: Sequence[slice], apart_max: float = np.inf
) -> float:
    """The median slope of pairs within a part that are no further apart; 0 where there are no two days."""
    slopes = _pair_slopes(days, values, parts, apart_max)
    return median(slopes) if len(slopes) else 0.0


def slope_of(days: np.ndarray, values: np.ndarray, parts: Sequence[slice]) -> Slope:
    """The slope of days without gaps in `values` (gaps are in `days`), and how sure it is."""
    slopes = np.sort(_pair_slopes(days, values, parts))
    if not len(slopes):
        return Slope(0.0, -np.inf, np.inf)
    middle = median(slopes)
    rest = np.concatenate([values[part] - middle * days[part] for part in parts])
    rest = rest - np.repeat(
        [median(rest[part]) for part in parts], [part.stop - part.start for part in parts]
    )
    is_rounding = np.abs(rest).max() <= _ROUNDING * np.abs(values).max()
    alike = 0.0 if is_rounding else neighbour_correlation(rest)
    counts = np.array([part.stop - part.start for part in parts], float)
    variance = float((counts * (counts - 1) * (2 * counts + 5)).sum()) / 18 * (1 + alike) / (1 - alike)
    half = SIGMAS * np.sqrt(variance)
    low = int(np.floor((len(slopes) - half) / 2))
    high = int(np.ceil((len(slopes) + half) / 2))
    return Slope(
        middle,
        float(slopes[low]) if low >= 0 else -np.inf,
        float(slopes[high]) if high < len(slopes) else np.inf,
    )


def _pair_slopes(
    days: np.ndarray, values: np.ndarray, parts: Sequence[slice], apart_max: float = np.inf
) -> np.ndarray:
    together = -(-len(days) // PAIRED_MAX)
    return np.concatenate(
        [np.empty(0), *(_slopes_within(days[part], values[part], together, apart_max) for part in parts)]
    )


def _slopes_within(days: np.ndarray, values: np.ndarray, together: int, apart_max: float) -> np.ndarray:
    if together > 1:
        whole = len(days) // together * together
        days, values = (one[:whole].reshape(-1, together).mean(axis=1) for one in (days, values))
    apart, rise = (np.subtract.outer(one, one) for one in (days, values))
    # Below the diagonal stand the pairs of a day and an earlier one, each once.
    wanted = (apart > 0) & (apart <= apart_max)
    return rise[wanted] / apart[wanted]
