"""Demand of a PostgreSQL of our own under pgbench: what the demo and `--database embedded` look at."""

from __future__ import annotations

from pathlib import Path

from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.demand.collect import collect
from plimsoll.facts import Demand
from plimsoll.proof import pgbench

_SCALE = 30
"""450 MB of accounts before a cache of 16 MB: nearly every read is one of the device."""
_CLIENTS = 4
_SETTLE_S = 1.0
_AFTER_S = 5.0
"""The load goes on a little longer than the watch, which ends it."""


def demand_under_pgbench(ctx: Context, seconds: float, folder: Path | None = None) -> Demand:
    """Makes a database on direct I/O in `folder`, drives it with pgbench's own mix, and watches it for `seconds`."""
    with embedded.running(ctx, folder) as server:
        pgbench.initialise(ctx, server.url, _SCALE, programs=server.programs)
        lasting_s = seconds + _SETTLE_S + _AFTER_S
        load = pgbench.start(ctx, server.url, seconds=lasting_s, clients=_CLIENTS, programs=server.programs)
        try:
            ctx.clock.sleep(_SETTLE_S)
            with embedded.connected(ctx, server) as connection:
                return collect(ctx, connection, seconds)
        finally:
            load.stop()
