"""How throughput grows with sessions: Gunther's Universal Scalability Law, fitted to a sweep.

X(N) = a N / (1 + s (N - 1) + k N (N - 1)). N / X is linear in three terms, so weighted least squares give it exactly; where a
term would be negative it is left out, and of all legal fits the closest is taken. Intervals come from the fit's own residuals, by
the delta method.

Source: N. J. Gunther, Guerrilla Capacity Planning (Springer 2007), chapters 4 to 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from plimsoll.base.units import format_change
from plimsoll.facts import Scalability, SweepPoint
from plimsoll.native.statistics import LeastSquares, least_squares, student_95

KNEE_GAIN = 1.2
"""A doubling of sessions that brings less than a fifth more is past the knee."""
_POINTS_MIN = 4
"""Three figures through three points fit whatever they are."""
_R2_MIN = 0.8
"""A curve that explains less of the points than this is none."""
_ROUNDING = 1e-11

Matrix = list[list[float]]


def scalability(points: Sequence[SweepPoint]) -> Scalability | None:
    """The law's three figures; None for fewer than four points that did anything, and where the law does not describe them."""
    known = [point for point in points if point.operations_per_s > 0]
    if len(known) < _POINTS_MIN:
        return None
    fits = [_fit(known, terms) for terms in ((0, 1, 2), (0, 1), (0, 2), (0,))]
    legal = [fit for fit in fits if fit is not None and fit.values[0] > 0 and min(fit.values) >= 0]
    found = _facts(known, min(legal, key=lambda fit: fit.residual)) if legal else None
    return found if found is not None and found.contention <= 1 and (found.r2 or 0.0) >= _R2_MIN else None


def knee(points: Sequence[SweepPoint]) -> tuple[int | None, str]:
    """The number of sessions beyond which a doubling no longer brings a fifth more, and why."""
    ordered = sorted(points, key=lambda point: point.sessions)
    for before, after in pairwise(ordered):
        if before.operations_per_s <= 0:
            continue
        doublings = (after.sessions / before.sessions - 1) or 1.0
        gain = 1 + (after.operations_per_s / before.operations_per_s - 1) / doublings
        if gain < KNEE_GAIN:
            words = f"from {before.sessions} to {after.sessions} sessions throughput changes by {format_change(gain - 1)}"
            return before.sessions, words
    if not ordered:
        return None, "nothing was measured"
    most = ordered[-1].sessions
    return None, f"throughput still grew at {most} sessions, the most that were tried: try {2 * most}"


@dataclass(frozen=True)
class _Fitted:
    """Values of 1/a, s/a and k/a, 0 where a term was left out; their covariance where it is known; what was not explained."""

    values: list[float]
    covariance: Matrix | None
    residual: float


def _fit(points: Sequence[SweepPoint], terms: tuple[int, ...]) -> _Fitted | None:
    """Weighted so that each point counts by its relative error: the error of N / X grows with N / X. None where the points cannot
    tell the terms apart."""
    seconds = [point.sessions / point.operations_per_s for point in points]
    rows = [[_term(point.sessions, term) for term in terms] for point in points]
    fitted = least_squares(rows, seconds, [1 / value**2 for value in seconds])
    if fitted is None:
        return None
    values = [0.0] * 3
    for term, value in zip(terms, fitted.coefficients, strict=True):
        # What is nothing but the rounding of sums is nothing.
        values[term] = value if abs(value) > _ROUNDING * abs(fitted.coefficients[0]) else 0.0
    freedom = len(points) - len(terms)
    return _Fitted(values, _covariance(fitted, terms, freedom) if freedom > 0 else None, fitted.residual)


def _covariance(fitted: LeastSquares, terms: tuple[int, ...], freedom: int) -> Matrix:
    """Of all three terms; 0 for those that were left out."""
    covariance = [[0.0] * 3 for _ in range(3)]
    for i, one in enumerate(terms):
        for j, other in enumerate(terms):
            covariance[one][other] = fitted.covariance_unscaled[i][j] * fitted.residual / freedom
    return covariance


def _term(sessions: int, term: int) -> float:
    return (1.0, sessions - 1.0, sessions * (sessions - 1.0))[term]


def _facts(points: Sequence[SweepPoint], fitted: _Fitted) -> Scalability:
    base, contention, coherency = (
        fitted.values[0],
        fitted.values[1] / fitted.values[0],
        fitted.values[2] / fitted.values[0],
    )
    freedom = len(points) - sum(value > 0 for value in fitted.values)
    return Scalability(
        per_session=1 / base,
        contention=contention,
        contention_ci95=_of_a_share(_interval(fitted, 1, freedom)),
        coherency=coherency,
        coherency_ci95=_interval(fitted, 2, freedom),
        peak_sessions=_peak(points, contention, coherency),
        r2=_r2(points, 1 / base, contention, coherency),
    )


def _peak(points: Sequence[SweepPoint], contention: float, coherency: float) -> float | None:
    """Where the curve turns, if that was measured: nothing is known of what lies beyond the points."""
    if coherency <= 0 or contention >= 1:
        return None
    peak = sqrt((1 - contention) / coherency)
    sessions = [point.sessions for point in points]
    return peak if min(sessions) <= peak <= max(sessions) else None


def _interval(fitted: _Fitted, term: int, freedom: int) -> tuple[float, float] | None:
    """Of a ratio of two fitted values, cut off at 0."""
    if fitted.covariance is None or freedom < 1:
        return None
    base, value, cov = fitted.values[0], fitted.values[term], fitted.covariance
    ratio = value / base
    variance = (cov[term][term] - 2 * ratio * cov[0][term] + ratio**2 * cov[0][0]) / base**2
    half = student_95(freedom) * sqrt(max(0.0, variance))
    return max(0.0, ratio - half), ratio + half


def _of_a_share(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if interval is None else (min(1.0, interval[0]), min(1.0, interval[1]))


def _r2(
    points: Sequence[SweepPoint], per_session: float, contention: float, coherency: float
) -> float | None:
    rates = [point.operations_per_s for point in points]
    mean = sum(rates) / len(rates)
    total = sum((rate - mean) ** 2 for rate in rates)
    missed = sum(
        (point.operations_per_s - throughput(point.sessions, per_session, contention, coherency)) ** 2
        for point in points
    )
    return 1 - missed / total if total else None


def throughput(sessions: float, per_session: float, contention: float, coherency: float) -> float:
    """Operations per second that the law gives for so many sessions."""
    return per_session * sessions / (1 + contention * (sessions - 1) + coherency * sessions * (sessions - 1))
