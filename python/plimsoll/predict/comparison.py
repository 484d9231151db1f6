"""Two proofs beside each other: by how much one did more, with an interval that knows that seconds resemble their neighbours.

Rates of a run's seconds are not independent: a checkpoint slows several in a row. Their mean's error is therefore taken from as
many independent seconds as the autocorrelation leaves; the ratio's interval follows from both by the delta method.

Source: A. M. Law, Simulation Modeling and Analysis, chapter 9 (autocorrelated output; effective sample size).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean, pvariance

from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_change, format_share
from plimsoll.facts import Proof
from plimsoll.native.statistics import student_95

SECONDS_MIN = 5
_COMMIT = "commit"


@dataclass(frozen=True)
class Rate:
    """A mean rate with the standard error that its own seconds give it; None for too few of them."""

    mean: float
    error: float | None
    independent: float
    """How many independent seconds the window is worth."""

    @property
    def ci95(self) -> tuple[float, float] | None:
        """The interval of the mean."""
        if self.error is None:
            return None
        half = student_95(self.independent - 1) * self.error
        return self.mean - half, self.mean + half


@dataclass(frozen=True)
class Comparison:
    """The second run against the first. `change` 0.12 is 12 % more; `half_width` its 95 % interval; None where it is unknown."""

    first: Rate
    second: Rate
    change: float
    half_width: float | None

    @property
    def words(self) -> str:
        """`12 % ± 3 % more, 95 %`, or that no difference can be told."""
        if self.half_width is None:
            return f"{format_share(abs(self.change), 1)} {_more(self.change)}; the windows are too short to say how sure that is"
        if abs(self.change) <= self.half_width:
            return f"no difference can be told: {format_change(self.change, 1)} ± {format_share(self.half_width, 1)}, 95 %"
        return f"{format_share(abs(self.change), 1)} ± {format_share(self.half_width, 1)} {_more(self.change)}, 95 %"


def _more(change: float) -> str:
    return "more" if change >= 0 else "less"


def seconds_of(proof: Proof) -> list[float]:
    """Operations per second of each slice of the window; 0 where no operation ended in one."""
    pieces = [piece for piece in proof.slices if piece.operation != _COMMIT]
    if not pieces:
        return []
    width_s = pieces[0].duration_s
    rates = [0.0] * (round(max(piece.start_s for piece in pieces) / width_s) + 1)
    for piece in pieces:
        rates[round(piece.start_s / width_s)] += piece.operations / width_s
    return rates


def rate_of(seconds: Sequence[float]) -> Rate:
    """The mean rate, and how well it is known."""
    mean = fmean(seconds) if seconds else 0.0
    if len(seconds) < SECONDS_MIN:
        return Rate(mean, None, float(len(seconds)))
    spread = pvariance(seconds, mean)
    worth = max(2.0, len(seconds) / _inflation(seconds, mean, spread))
    return Rate(mean, sqrt(spread * len(seconds) / (len(seconds) - 1) / worth), worth)


def _inflation(seconds: Sequence[float], mean: float, spread: float) -> float:
    """One and twice the sum of the correlations over lags until one is not positive, a quarter of the window at most."""
    if spread == 0:
        return 1.0
    total, count = 1.0, len(seconds)
    for lag in range(1, max(2, count // 4)):
        pairs = zip(seconds, seconds[lag:], strict=False)
        rho = sum((one - mean) * (other - mean) for one, other in pairs) / (count * spread)
        if rho <= 0:
            break
        total += 2 * rho
    return total


def compare(first: Proof, second: Proof) -> Comparison:
    """The second against the first. Raises UsageError `proof-none` where the first did nothing."""
    one, other = _rate(first), _rate(second)
    if not one.mean:
        raise UsageError(
            "proof-none",
            "the first proof did nothing, so that nothing can be more or less",
            "Compare two runs that did something.",
        )
    change = other.mean / one.mean - 1
    return Comparison(one, other, change, _half_width(one, other))


def _rate(proof: Proof) -> Rate:
    """The proof's own rate, with the error that its seconds give it."""
    found = rate_of(seconds_of(proof))
    return found if proof.operations_per_s is None else replace(found, mean=proof.operations_per_s)


def _half_width(one: Rate, other: Rate) -> float | None:
    if one.error is None or other.error is None or not one.mean or not other.mean:
        return None
    relative = sqrt((one.error / one.mean) ** 2 + (other.error / other.mean) ** 2)
    return student_95(min(one.independent, other.independent) - 1) * relative * other.mean / one.mean
