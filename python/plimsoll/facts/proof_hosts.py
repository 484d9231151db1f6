"""A proof whose sessions were driven from several hosts: what those of each host did.

Instants are the server's own clock, the one that all hosts have in common.
"""

from __future__ import annotations

from datetime import datetime

from plimsoll.facts._fact import Fact, Text
from plimsoll.facts.latency import LatencyUs


class ProofHost(Fact):
    """One host's sessions together."""

    host: str
    """As it was named."""
    sessions: int
    """How many of the sessions it drove."""
    operations: int
    """Operations that count; of one that was lost those that it had told of."""
    operations_per_s: float | None = None
    """Each session's operations over its own time in the window, summed; None where there are none."""
    latency_us: LatencyUs | None = None
    """Of all kinds of operations together; None where there are none."""
    begun_at: datetime | None = None
    """When its first operation began, warm-up included; None where it told of none."""
    ended_at: datetime | None = None
    """When its last operation in the window ended; None where it told of none."""
    lost_because: Text | None = None
    """Why nothing more came of it; None where it was there to the end."""


class ProofHosts(Fact):
    """All hosts that sessions were driven from."""

    hosts: tuple[ProofHost, ...]
    """In the order in which they were named."""
    start_spread_us: float | None = None
    """From the first host's first operation to the last host's first, in microseconds; None where one did none, and where
    sessions begin only when something is due."""
    complete_s: float | None = None
    """How much of the window all hosts were there, where one was lost, in seconds; None where none was."""
    complete_operations_per_s: float | None = None
    """What all of them did in that time; None where none was lost, or one before the first second of the window had ended."""

    @property
    def left(self) -> list[str]:
        """Names of those that were there to the end."""
        return [one.host for one in self.hosts if one.lost_because is None]
