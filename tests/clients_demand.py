"""What pgbench's clients ask of a real PostgreSQL, as its counters show it."""

from __future__ import annotations

from pathlib import Path

from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.demand.collect import collect
from plimsoll.facts import Demand
from plimsoll.proof import pgbench

CLIENTS = 16
SCALE = 8
"""A hundred megabytes, six times the cache of our own server."""
_WARM_UP_S, _PATIENCE_S = 2.0, 60.0


def clients_demand(ctx: Context, folder: Path, seconds: float, rate_per_s: float | None) -> Demand:
    """What sixteen clients ask for who look up one row at a time: as fast as they are answered, or at a rate."""
    with embedded.running(ctx, folder) as server:
        pgbench.initialise(ctx, server.url, SCALE, programs=server.programs)
        load = pgbench.start(
            ctx, server.url, seconds=seconds + _PATIENCE_S, clients=CLIENTS, script="select-only", rate_per_s=rate_per_s,
            programs=server.programs,
        )  # fmt: skip
        try:
            ctx.clock.sleep(_WARM_UP_S)
            with embedded.connected(ctx, server) as connection:
                return collect(ctx, connection, seconds)
        finally:
            load.stop()
