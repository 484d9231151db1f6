"""A database's own times of its I/Os, watched while a load steps up beside it.

They see what the block layer does not: a limit set above it, and what a request waits for before it becomes one. The mean is over
all I/Os that the server times, forced writes of its log among them; those that the system's cache answered are in it too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.databases import AskPassword, Connection, open_database
from plimsoll.demand import intervals
from plimsoll.facts import DemandInterval, Snapshot
from plimsoll.supply.guard import LOOK_S, Guard

_IOS_MIN = 20.0


class ServerWitness:
    """The times of one server; of a server that does not time its I/Os nothing."""

    words = "the database's own times of its I/Os"

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._before: Snapshot | None = None

    def latency_us(self) -> float | None:
        """Mean latency since the last call, microseconds; None where too little was done, or the server did not answer."""
        try:
            now = self._connection.snapshot()
        except PlimsollError:
            self._before = None
            return None
        before, self._before = self._before, now
        return (
            None if before is None else mean_us(intervals.between(before, now, self._connection.database)[0])
        )


def mean_us(interval: DemandInterval) -> float | None:
    """Of all I/Os and forced writes that were timed; None of fewer than twenty."""
    timed = [(io.ops_per_s, io.latency_us_mean) for io in interval.classes.values()]
    timed += [(io.syncs_per_s, io.sync_latency_us_mean) for io in interval.classes.values()]
    known = [(rate, mean) for rate, mean in timed if rate and mean is not None]
    rate = sum(one for one, _ in known)
    if rate * interval.duration_s < _IOS_MIN:
        return None
    return sum(one * mean for one, mean in known) / rate


@contextmanager
def server_beside(
    ctx: Context, guard: Guard | None, location: str | None, ask_password: AskPassword | None
) -> Iterator[None]:
    """The database at `location` is a witness of the guard until the block ends; nothing without the one or the other."""
    if guard is None or location is None:
        yield
        return
    with open_database(ctx, location, ask_password) as connection:
        witness = ServerWitness(connection)
        ctx.progress("guard", "looking how long the database's own I/Os take without a load of ours")
        guard.add(witness, ctx.cancel, LOOK_S)
        try:
            yield
        finally:
            guard.witnesses.remove(witness)
