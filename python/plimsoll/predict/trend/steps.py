"""Where a level changes for good: the cheapest cut of a series into level parts, each cut at a price (optimal partitioning,
Jackson et al. 2005, with the penalty of Yao 1988 raised for noise whose neighbours are alike).

The noise is told from means of neighbouring blocks, which a few steps hardly touch.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from plimsoll.predict.trend.robust import column_medians, sigma

DAYS_MIN = 7
"""A level that lasts for less is a few odd days, and no step."""
_PRICE = 4.0
"""Times the logarithm of the length, in variances of the noise: 2 is what Yao asks where the variance is known."""
_CLIPPED_AT = 3.0
_BLOCKS_MIN = 8


def long_run_variance(days: np.ndarray) -> float:
    """The variance of a day's noise, as it adds up over days: no less than that from one day to the next."""
    block = DAYS_MIN if len(days) >= _BLOCKS_MIN * DAYS_MIN else max(1, len(days) // _BLOCKS_MIN)
    sums = np.concatenate([[0.0], np.cumsum(days)])
    means = (sums[block:] - sums[:-block]) / block
    apart = means[block:] - means[:-block]
    return max(sigma(apart) ** 2 * block, sigma(np.diff(days)) ** 2) / 2


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
    count = len(days)
    noise = long_run_variance(days) if count >= 2 * DAYS_MIN else 0.0
    if noise == 0:
        return _exact_cuts(days) if count >= 2 * DAYS_MIN else []
    return _cheapest(days, _PRICE * noise * float(np.log(count)))


def _exact_cuts(days: np.ndarray) -> list[int]:
    """Of a series without noise: a price beyond rounding."""
    scale = float(np.abs(days).max(initial=0.0)) or 1.0
    return _cheapest(days, (1e-9 * scale) ** 2)


def _cheapest(days: np.ndarray, price: float) -> list[int]:
    count = len(days)
    centred = days - days.mean()
    sums = np.concatenate([[0.0], np.cumsum(centred)])
    squares = np.concatenate([[0.0], np.cumsum(centred**2)])
    best = np.full(count + 1, np.inf)
    best[0] = -price
    before = np.zeros(count + 1, int)
    for end in range(DAYS_MIN, count + 1):
        begins = np.arange(0, end - DAYS_MIN + 1)
        length = end - begins
        cost = squares[end] - squares[begins] - (sums[end] - sums[begins]) ** 2 / length
        total = best[begins] + cost + price
        before[end] = int(begins[np.argmin(total)])
        best[end] = total[before[end]]
    return _backwards(before, count)


def _backwards(before: np.ndarray, count: int) -> list[int]:
    found: list[int] = []
    at = int(before[count])
    while at > 0:
        found.append(at)
        at = int(before[at])
    return found[::-1]


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
