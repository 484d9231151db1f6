"""Where a level changes for good: the cheapest cut of a series into level parts, each cut at a price (optimal partitioning,
Jackson et al. 2005, with the penalty of Yao 1988 raised for noise whose neighbours are alike).

The noise is told from means of neighbouring blocks, which a few steps hardly touch.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from plimsoll.native.statistics import cheapest_cuts
from plimsoll.predict.trend.robust import column_medians, median, sigma

DAYS_MIN = 7
"""A level that lasts for less is a few odd days, and no step."""
_PRICE = 4.0
"""Times the logarithm of the length, in variances of the noise: 2 is what Yao asks where the variance is known."""
ALIKE_MAX = 0.75
"""Correlation of neighbouring days: beyond that a level wanders, and neither steps nor a line are to be told from chance."""
_ADDED_UP_MAX = (1 + ALIKE_MAX) / (1 - ALIKE_MAX) ** 2
"""The variance over many days by that from one day to the next, of noise whose neighbours are so alike."""
_MEDIAN_SHARE_MIN = 0.5
"""Of a cut's price, that medians have to save as well: they are less sure than means, and a step moves both."""
_CLIPPED_AT = 3.0
_BLOCKS_MIN = 8


def long_run_variance(days: np.ndarray) -> float:
    """The variance of a day's noise, as it adds up over days: no less than that from one day to the next, and no more than what
    `ALIKE_MAX` makes of that, so that many steps are not taken for noise."""
    block = DAYS_MIN if len(days) >= _BLOCKS_MIN * DAYS_MIN else max(1, len(days) // _BLOCKS_MIN)
    sums = np.concatenate([[0.0], np.cumsum(days)])
    means = (sums[block:] - sums[:-block]) / block
    apart = means[block:] - means[:-block]
    daily = sigma(np.diff(days)) ** 2
    return float(np.clip(sigma(apart) ** 2 * block, daily, daily * _ADDED_UP_MAX)) / 2


def clipped(days: np.ndarray) -> np.ndarray:
    """Single days no further from the middle of their week than three deviations: a step moves that middle, a day does not."""
    reach = DAYS_MIN // 2
    padded = np.concatenate([np.full(reach, np.nan), days, np.full(reach, np.nan)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, DAYS_MIN)
    middle = column_medians(windows.T)
    limit = _CLIPPED_AT * sigma(days - middle)
    return days if limit == 0 else np.clip(days, middle - limit, middle + limit)


def cuts_of(days: np.ndarray) -> list[int]:
    """Where new levels begin in values without gaps and slope; none of a series too short to have one."""
    if len(days) < 2 * DAYS_MIN:
        return []
    return cheapest_cuts(days.tolist(), price_of(days), DAYS_MIN)


def price_of(days: np.ndarray) -> float:
    """What a cut has to save in squares; of a series without noise more than rounding does."""
    rounding = 1e-9 * float(np.abs(days).max(initial=0.0))
    return _PRICE * float(np.log(len(days))) * max(long_run_variance(days), rounding**2)


def needed(days: np.ndarray, values: np.ndarray, cuts: Sequence[int], price: float) -> list[int]:
    """Those cuts that save their price when the slope may be another without them: a wrong slope and a step look alike."""
    kept = list(cuts)
    while kept:
        whole = _left_over(days, values, kept)
        saved = [_left_over(days, values, [one for one in kept if one != cut]) - whole for cut in kept]
        if min(saved) >= price:
            break
        del kept[int(np.argmin(saved))]
    return kept


def lasting(days: np.ndarray, cuts: Sequence[int], price: float) -> list[int]:
    """Those cuts at which the middle of the days changes: two odd days at the end move the mean of a week, and no level."""
    kept = list(cuts)
    while kept:
        parts = parts_of(len(days), kept)
        saved = [_saved_by_medians(days[before], days[after]) for before, after in pairwise(parts)]
        if min(saved) >= _MEDIAN_SHARE_MIN * price:
            break
        del kept[int(np.argmin(saved))]
    return kept


def _saved_by_medians(before: np.ndarray, after: np.ndarray) -> float:
    apart = median(after) - median(before)
    return apart**2 * len(before) * len(after) / (len(before) + len(after))


def _left_over(days: np.ndarray, values: np.ndarray, cuts: Sequence[int]) -> float:
    """The squares that levels and one slope leave."""
    across = along = up = 0.0
    for part in parts_of(len(days), cuts):
        day, value = days[part] - days[part].mean(), values[part] - values[part].mean()
        across += float((day * value).sum())
        along += float((day**2).sum())
        up += float((value**2).sum())
    return up - (across**2 / along if along > 0 else 0.0)


def sharpened(values: np.ndarray, about: int, reach: int, before: float, after: float) -> int:
    """The very step at which values near `about` leave one level for another: where the sum of deviations is least."""
    low, high = max(0, about - reach), min(len(values), about + reach)
    part = values[low:high]
    gain = np.where(np.isfinite(part), np.abs(part - before) - np.abs(part - after), 0.0)
    sums = np.concatenate([[0.0], np.cumsum(gain)])
    return low + int(np.argmin(sums))


def parts_of(count: int, cuts: Sequence[int]) -> list[slice]:
    """The level parts between cuts."""
    edges = [0, *cuts, count]
    return [slice(low, high) for low, high in pairwise(edges)]
