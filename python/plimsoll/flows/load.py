"""Demand of a PostgreSQL of our own under pgbench: what the demo and `--database embedded` look at.

Its transactions come at half the rate that a short look at full speed reached. At full speed they would be held back by this very
storage, and say nothing of what a database asks for that has users.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.demand.collect import collect
from plimsoll.facts import Demand
from plimsoll.proof import pgbench

_SCALE = 30
"""450 MB of accounts before a cache of 16 MB: nearly every read is one of the device."""
_CLIENTS = 8
_LOOK_S = 2.0
_RATE_SHARE = 0.5
_SETTLE_S = 1.0
_AFTER_S = 5.0
"""The load goes on a little longer than the watch, which ends it."""


def demand_under_pgbench(ctx: Context, seconds: float, folder: Path | None = None) -> Demand:
    """Makes a database on direct I/O in `folder`, drives it with pgbench's own mix, and watches it for `seconds`."""
    with under_pgbench(ctx, seconds, folder) as server, embedded.connected(ctx, server) as connection:
        return collect(ctx, connection, seconds)


@contextmanager
def under_pgbench(ctx: Context, seconds: float, folder: Path | None = None) -> Iterator[embedded.Server]:
    """Such a database while it is driven, for `seconds` and a little longer; the load ends with the block."""
    with embedded.running(ctx, folder) as server:
        pgbench.initialise(ctx, server.url, _SCALE, programs=server.programs)
        lasting_s = seconds + _SETTLE_S + _AFTER_S
        load = _start(ctx, server, lasting_s, _highest_tps(ctx, server) * _RATE_SHARE)
        try:
            ctx.clock.sleep(_SETTLE_S)
            yield server
        finally:
            load.stop()


def _highest_tps(ctx: Context, server: embedded.Server) -> float:
    """Transactions per second of callers who never rest."""
    ctx.progress("load", "a first look at what the database can do")
    return _start(ctx, server, _LOOK_S).wait().tps or 1.0


def _start(
    ctx: Context, server: embedded.Server, seconds: float, rate_per_s: float | None = None
) -> pgbench.Pgbench:
    return pgbench.start(
        ctx, server.url, seconds=seconds, clients=_CLIENTS, rate_per_s=rate_per_s, programs=server.programs
    )
