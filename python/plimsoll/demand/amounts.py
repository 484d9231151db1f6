"""How much I/O there was of one sort in an interval, and that as a rate. None is unknown; nothing unknown is ever taken for 0."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.facts import ClassDemand, Database


@dataclass(frozen=True)
class Amount:
    """I/Os, their bytes and the time they took. None is unknown; `+` of unknown and known is unknown."""

    ops: float | None = 0.0
    bytes: float | None = 0.0
    time_ms: float | None = 0.0

    def __add__(self, other: Amount) -> Amount:
        return Amount(
            plus(self.ops, other.ops), plus(self.bytes, other.bytes), plus(self.time_ms, other.time_ms)
        )


UNKNOWN = Amount(None, None, None)


@dataclass(frozen=True)
class Rate:
    """Turns amounts of an interval into rates."""

    duration_s: float
    database: Database

    def per_s(self, amount: float | None) -> float | None:
        """An amount of the interval for each of its seconds."""
        return None if amount is None else amount / self.duration_s

    def demand(self, amount: Amount, source: str) -> ClassDemand:
        """A class without a log; its latency is known where the server times I/O."""
        timed = self.database.io_timing is True
        return ClassDemand(
            ops_per_s=self.per_s(amount.ops),
            bytes_per_s=self.per_s(amount.bytes),
            latency_us_mean=mean_us(amount.time_ms, amount.ops) if timed else None,
            source=source,
        )


def plus(one: float | None, other: float | None) -> float | None:
    """The sum; unknown when either is."""
    return None if one is None or other is None else one + other


def times(count: float | None, size: int) -> float | None:
    """The product; unknown when the count is."""
    return None if count is None else count * size


def mean_us(time_ms: float | None, ops: float | None) -> float | None:
    """Microseconds for each; unknown when there was none."""
    return None if time_ms is None or not ops else time_ms * 1000 / ops
