"""How far another host's clock is ahead of ours, and how far that can be wrong.

The one exchange with the shortest round trip is taken: however its time is divided between there and back, the offset
is wrong by half of it at most. Source: the clock filter of NTP, RFC 5905, section 10.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

EXCHANGES = 50
"""Over a pipe of ssh these take a few milliseconds; over a distant link some seconds."""


@dataclass(frozen=True)
class Exchange:
    """One question after the time: when it was asked, what the other clock showed, and when the answer was there."""

    asked_ns: int
    shown_ns: int
    answered_ns: int

    @property
    def round_trip_ns(self) -> int:
        """There and back."""
        return self.answered_ns - self.asked_ns


@dataclass(frozen=True)
class Offset:
    """What is to be taken off the other clock; true to `error_ns` to both sides."""

    ahead_ns: float
    error_ns: float


def offset_of(exchanges: Iterable[Exchange]) -> Offset:
    """By the quickest of them."""
    best = min(exchanges, key=lambda one: one.round_trip_ns)
    half_ns = best.round_trip_ns / 2
    return Offset(best.shown_ns - (best.asked_ns + half_ns), half_ns)
