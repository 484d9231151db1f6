"""What a measurement's intervals, slopes and trends are made of: each method once, by libraries (`statrs`, `nalgebra`) in Rust.

What only long series of reports need (seasons, change points) is scipy's and statsmodels', in an extra.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from plimsoll import _core

_SHARE_95 = 0.975
"""Both ends of a 95 % interval leave 2.5 % outside."""


def student_95(freedom: float) -> float:
    """How many standard errors half of a 95 % interval is, by Student's t.

    `freedom` may be a fraction (effective sample sizes are); below 1 it counts as 1, for which 12.7 is wide enough to warn.
    """
    return student_quantile(_SHARE_95, freedom)


def student_quantile(share: float, freedom: float) -> float:
    """The value below which that share of Student's t lies; `freedom` below 1 counts as 1."""
    return _core.student_quantile(share, max(1.0, freedom))


def mean_ci95(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the mean of at least two independent values."""
    return mean_interval(values, 0.05)


def mean_interval(values: Sequence[float], misses: float) -> tuple[float, float]:
    """The interval that misses the mean of at least two independent values in that share of cases, half on each side."""
    mean = fmean(values)
    half = student_quantile(1 - misses / 2, len(values) - 1) * stdev(values) / len(values) ** 0.5
    return mean - half, mean + half


def normal_cdf(z: float) -> float:
    """The share of the standard normal distribution below `z`."""
    return _core.normal_cdf(z)


def theil_sen_slope(points: Sequence[tuple[float, float]]) -> float | None:
    """The median of the slopes between any two points x, y (Theil 1950, Sen 1968); None where no two differ in x."""
    return _core.theil_sen_slope(points)


def mann_kendall_z(values: Sequence[float]) -> float:
    """The standard score of Mann and Kendall's rank test (Mann 1945, Kendall 1975): positive for a rising series, not corrected
    for ties, which latencies hardly have."""
    return _core.mann_kendall_z(values)


def cheapest_cuts(values: Sequence[float], price: float, shortest: int) -> list[int]:
    """Where new level parts of at least `shortest` values begin, so that the squares that they leave and the price of each cut are
    together the least (optimal partitioning, Jackson et al. 2005)."""
    return _core.cheapest_cuts(values, price, shortest)


@dataclass(frozen=True)
class LeastSquares:
    """A weighted linear fit. `covariance_unscaled`, times the variance of a point of weight 1, is the coefficients' covariance."""

    coefficients: list[float]
    covariance_unscaled: list[list[float]]
    residual: float
    """The weighted sum of squares that was not explained."""


def least_squares(
    rows: Sequence[Sequence[float]], values: Sequence[float], weights: Sequence[float]
) -> LeastSquares | None:
    """Fits `values` by the terms of `rows`, each row of the same length. None where the rows cannot tell the terms apart."""
    fitted = _core.least_squares(rows, values, weights)
    return None if fitted is None else LeastSquares(*fitted)
