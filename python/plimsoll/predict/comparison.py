"""Two proofs beside each other: by how much one did more, with an interval that knows that seconds resemble their neighbours.

Rates of a run's seconds are not independent: a checkpoint slows several in a row. Their mean's error is therefore taken from as
many independent seconds as the autocorrelation leaves; the ratio's interval follows from both by the delta method.

Source: A. M. Law, Simulation Modeling and Analysis, chapter 9 (autocorrelated output; effective sample size).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean, pvariance

from plimsoll.base.errors import UsageError
from plimsoll.facts import Proof
from plimsoll.native.statistics import student_95

SECONDS_MIN = 5
_COMMIT = "commit"
_WHERE_IT_LISTENS = frozenset(
    {"unix_socket_directories", "listen_addresses", "port", "socket", "pid_file", "external_pid_file"}
)
"""Every embedded server has a folder of its own."""


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
    differences: tuple[str, ...]
    """Settings that are not the same in both."""
    doubts: tuple[str, ...] = ()
    """Why the comparison may not be believed: a proof that does not hold."""

    @property
    def words(self) -> str:
        """`12 % ± 3 % more, 95 %`, or that no difference can be told; and why it may not be believed."""
        return f"{self._change_words}{doubted(self.doubts)}"

    @property
    def _change_words(self) -> str:
        if self.half_width is None:
            return f"{abs(self.change):.1%} {_more(self.change)}; the windows are too short to say how sure that is"
        if abs(self.change) <= self.half_width:
            return f"no difference can be told: {self.change:+.1%} ± {self.half_width:.1%}, 95 %"
        return f"{abs(self.change):.1%} ± {self.half_width:.1%} {_more(self.change)}, 95 %"


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
    return Comparison(
        one,
        other,
        change,
        _half_width(one, other),
        tuple(differences(first, second)),
        tuple(proof_doubts(first, second)),
    )


def _rate(proof: Proof) -> Rate:
    """The proof's own rate, with the error that its seconds give it."""
    found = rate_of(seconds_of(proof))
    return found if proof.operations_per_s is None else replace(found, mean=proof.operations_per_s)


def _half_width(one: Rate, other: Rate) -> float | None:
    if one.error is None or other.error is None or not one.mean or not other.mean:
        return None
    relative = sqrt((one.error / one.mean) ** 2 + (other.error / other.mean) ** 2)
    return student_95(min(one.independent, other.independent) - 1) * relative * other.mean / one.mean


def proof_doubts(first: Proof, second: Proof) -> Iterator[str]:
    """A doubt for each of the two that does not hold."""
    for which, proof in (("first", first), ("second", second)):
        if not proof.holds:
            yield f"the {which} proof does not hold: {proof.doubts[0] if proof.doubts else 'its reason is unknown'}"


def doubted(doubts: Sequence[str]) -> str:
    """What a headline says of doubts, of the first of them; nothing without any."""
    return f"; this may not be believed: {doubts[0]}" if doubts else ""


def differences(first: Proof, second: Proof) -> list[str]:
    """What is not the same in both: workload, settings, database."""
    found = [*_unlike(first.settings, second.settings, "{}", "unset"), *_of_servers(first, second)]
    if first.workload != second.workload:
        found.insert(0, f"workload: {first.workload} and {second.workload}")
    if first.database.version != second.database.version or first.database.kind != second.database.kind:
        found.append(
            f"database: {first.database.kind} {first.database.version} and {second.database.kind} {second.database.version}"
        )
    return found


def _unlike(one: Mapping[str, str], other: Mapping[str, str], shown: str, absent: str) -> list[str]:
    return [
        f"{shown.format(name)}: {one.get(name, absent)} and {other.get(name, absent)}"
        for name in sorted(one.keys() | other.keys())
        if one.get(name) != other.get(name)
    ]


def _of_servers(first: Proof, second: Proof) -> list[str]:
    """Settings of the servers that are not defaults; where a server listens is no difference."""
    if first.server_settings is None or second.server_settings is None:
        known = first.server_settings is not None or second.server_settings is not None
        return ["settings of the server: known of one proof alone"] if known else []
    one, other = (
        {name: value for name, value in settings.items() if name not in _WHERE_IT_LISTENS}
        for settings in (first.server_settings, second.server_settings)
    )
    return _unlike(one, other, "{} of the server", "default or hidden")
