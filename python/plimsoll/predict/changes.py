"""By how much a figure of one side differs from the same of another, and how sure that is.

Figures are compared as logarithms, so that twice and half weigh the same. Where both sides were repeated, the interval is Welch's
over the repeats; where each is one run with an interval of its own, both half-widths together make that of the ratio (delta
method). One run each without any says nothing of how sure the change is, and then no statement is made.

Source: B. L. Welch, The generalization of Student's problem when several different population variances are involved, Biometrika 34
(1947), with the degrees of freedom of his equation; for ratios G. Casella and R. L. Berger, Statistical Inference, 5.5.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import fmean, variance
from typing import Literal

from plimsoll.native.statistics import mean_ci95, student_95

Basis = Literal["runs", "repeats", "own", "none"]
_EQUAL_SHARE = 1e-12
"""Less than that apart are the same number, reckoned in another order."""


@dataclass(frozen=True)
class Sample:
    """A figure of one side: of each of its runs, or of the only run with what that says of its own spread."""

    values: tuple[float, ...]
    """One for each run."""
    repeats: tuple[float, ...] = ()
    """Of a single run: its own repeats of the measurement."""
    own_ci95: tuple[float, float] | None = None
    """Of a single run: the interval that it reckoned itself."""

    @property
    def mean(self) -> float | None:
        """Geometric, so that a change is the ratio of two of them; arithmetic where one is not above zero. None of no runs."""
        if not self.values:
            return None
        return exp(_log_mean(self.values)) if self._is_geometric else fmean(self.values)

    @property
    def ci95(self) -> tuple[float, float] | None:
        """Of the mean over runs; else what the only run says of itself."""
        if len(self.values) <= 1:
            return self.own_ci95
        if not self._is_geometric:
            return mean_ci95(self.values)
        found = mean_ci95(_logs(self.values))
        return None if found is None else (exp(found[0]), exp(found[1]))

    @property
    def _is_geometric(self) -> bool:
        """One run's value stays what it is, to the last digit."""
        return len(self.values) > 1 and all(value > 0 for value in self.values)

    @property
    def count(self) -> int:
        """Of runs, or of a single run's own repeats."""
        return max(len(self.values), len(self.repeats))


@dataclass(frozen=True)
class Change:
    """The second against the first: `share` 0.12 is 12 % more."""

    share: float | None
    ci95: tuple[float, float] | None
    basis: Basis

    @property
    def told(self) -> Literal["more", "less", "same", "unknown"]:
        """What the interval says."""
        if self.share is None or self.ci95 is None:
            return "unknown"
        if self.ci95[0] <= 0 <= self.ci95[1]:
            return "same"
        return "more" if self.share > 0 else "less"


def change_of(first: Sample, second: Sample) -> Change:
    """The second side against the first; unknown where one has no value or one that is not above zero."""
    if not _is_positive(first) or not _is_positive(second):
        return Change(None, None, "none")
    basis, one, other = _compared(first, second)
    gain = _log_mean(other or second.values) - _log_mean(one or first.values)
    half = _half_width(basis, one, other, first, second)
    share = 0.0 if abs(gain) < _EQUAL_SHARE else exp(gain) - 1
    return Change(share, None if half is None else (exp(gain - half) - 1, exp(gain + half) - 1), basis)


def _is_positive(sample: Sample) -> bool:
    return bool(sample.values) and all(value > 0 for value in (*sample.values, *sample.repeats))


def _compared(first: Sample, second: Sample) -> tuple[Basis, Sequence[float], Sequence[float]]:
    """What the statement rests on. A side that was repeated beside one that was not is none: the spread of one is unknown."""
    counts = len(first.values), len(second.values)
    if min(counts) > 1:
        return "runs", first.values, second.values
    if max(counts) > 1:
        return "none", (), ()
    if len(first.repeats) > 1 and len(second.repeats) > 1:
        return "repeats", first.repeats, second.repeats
    has_own = first.own_ci95 is not None and second.own_ci95 is not None
    return ("own" if has_own else "none"), (), ()


def _half_width(
    basis: Basis, one: Sequence[float], other: Sequence[float], first: Sample, second: Sample
) -> float | None:
    if basis in ("runs", "repeats"):
        return _welch_half_width(_logs(one), _logs(other))
    if basis == "own":
        return sqrt(_relative_half(first) ** 2 + _relative_half(second) ** 2)
    return None


def _welch_half_width(first: Sequence[float], second: Sequence[float]) -> float:
    """Half of the interval of the difference of two means."""
    parts = [(variance(values) / len(values), len(values) - 1) for values in (first, second)]
    error = sum(part for part, _ in parts)
    spread = sum(part**2 / freedom for part, freedom in parts)
    return student_95(error**2 / spread) * sqrt(error) if spread > 0 else 0.0


def _relative_half(sample: Sample) -> float:
    low, high = sample.own_ci95 or (0.0, 0.0)
    return (high - low) / 2 / sample.values[0]


def _logs(values: Sequence[float]) -> list[float]:
    return [log(value) for value in values]


def _log_mean(values: Sequence[float]) -> float:
    return fmean(_logs(values))
