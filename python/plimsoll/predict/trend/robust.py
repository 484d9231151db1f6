"""Medians and quantiles of columns with gaps, and what a median deviates: NaN is a gap, and an empty column stays one."""

from __future__ import annotations

import numpy as np

MAD_TO_SIGMA = 1.4826
"""Of a normal distribution the standard deviation is so many times the median absolute deviation."""


def column_medians(matrix: np.ndarray) -> np.ndarray:
    """The median of what each column knows."""
    return column_quantiles(matrix, 0.5)


def column_quantiles(matrix: np.ndarray, share: float) -> np.ndarray:
    """What that share of each column does not exceed, between neighbours in proportion."""
    ordered = np.sort(matrix, axis=0)
    known = np.isfinite(matrix).sum(axis=0)
    columns = np.arange(matrix.shape[1])
    place = share * np.maximum(known - 1, 0)
    below = np.floor(place).astype(int)
    low, high = ordered[below, columns], ordered[np.minimum(below + 1, np.maximum(known - 1, 0)), columns]
    return np.where(known > 0, low + (place - below) * (high - low), np.nan)


def column_means(matrix: np.ndarray) -> np.ndarray:
    """The mean of what each column knows."""
    known = np.isfinite(matrix).sum(axis=0)
    return np.where(known > 0, np.nansum(matrix, axis=0) / np.maximum(known, 1), np.nan)


def median(values: np.ndarray) -> float:
    """The median of one value or more without gaps, as `np.median` gives it, which takes long to begin: a fit asks for hundreds."""
    half = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, half)[half])
    low, high = np.partition(values, (half - 1, half))[half - 1 : half + 1]
    return float((low + high) / 2)


def sigma(values: np.ndarray) -> float:
    """The standard deviation by the median absolute deviation from the median; 0 where nothing is known."""
    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0
    return MAD_TO_SIGMA * median(np.abs(known - median(known)))


def neighbour_correlation(values: np.ndarray) -> float:
    """How alike neighbours are, 0 to 0.9, of the pairs of which both are known."""
    centred = values - np.mean(values[np.isfinite(values)]) if np.isfinite(values).any() else values
    both = np.isfinite(centred[1:]) & np.isfinite(centred[:-1])
    if both.sum() < 3:
        return 0.0
    one, other = centred[:-1][both], centred[1:][both]
    spread = float(np.sqrt((one**2).sum() * (other**2).sum()))
    return 0.0 if spread == 0 else float(np.clip((one * other).sum() / spread, 0.0, 0.9))
