"""Demands of a real PostgreSQL on a device that the kernel throttles, and on the same device without the throttle."""

from __future__ import annotations

from pathlib import Path

import pytest

import simulated
from databases_fixture import context
from judged_demands import judge, verdict_of
from mounted_loop import mounted_loop
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.demand.collect import collect
from plimsoll.facts import Demand
from plimsoll.ports.clock import SystemClock
from plimsoll.proof import pgbench
from throttled import throttled

READS_PER_S = 1500
CLIENTS = 16
SCALE = 20
FASTER, SLOWER = "sim:law=constant,mean=20us", "sim:law=constant,mean=2ms"
WATCHED_S = 12.0

pytestmark = pytest.mark.timeout(300)


def demand_of(ctx: Context, folder: Path, rate_per_s: float | None) -> Demand:
    """What sixteen clients ask for who each read one block at a time: as fast as they are answered, or at a rate."""
    with embedded.running(ctx, folder) as server:
        pgbench.initialise(ctx, server.url, SCALE, programs=server.programs)
        load = pgbench.start(
            ctx, server.url, seconds=WATCHED_S + 30, clients=CLIENTS, script="select-only", rate_per_s=rate_per_s,
            programs=server.programs,
        )  # fmt: skip
        try:
            ctx.clock.sleep(2.0)
            with embedded.connected(ctx, server) as connection:
                return collect(ctx, connection, WATCHED_S)
        finally:
            load.stop()


def test_clients_on_a_throttled_device_are_held_back(tmp_path: Path) -> None:
    """By storage that carries more it cannot be told whether the demand is carried; by storage that carries less it can."""
    with (
        mounted_loop() as (folder, loop),
        throttled(str(loop.path), READS_PER_S),
        context(tmp_path, SystemClock()) as (ctx, _),
    ):
        demand = demand_of(ctx, folder, None)
    assert demand.peak is not None
    assert demand.mean is not None
    assert demand.mean.iops == pytest.approx(READS_PER_S, rel=0.1)
    assert demand.held_back is not None
    assert demand.held_back.is_held_back, demand.held_back.reason
    assert "held-back" in {note.code for note in demand.notes}
    with simulated.context(tmp_path / "journals") as ctx:
        faster = verdict_of(judge(ctx, demand, FASTER, tmp_path))
        slower = verdict_of(judge(ctx, demand, SLOWER, tmp_path))
    assert (faster.carries, slower.carries) == (None, False)
    assert "The headroom is at most" in faster.reason


def test_the_same_clients_at_a_rate_on_the_free_device_are_not(tmp_path: Path) -> None:
    with mounted_loop() as (folder, _), context(tmp_path, SystemClock()) as (ctx, _):
        demand = demand_of(ctx, folder, 300.0)
    assert demand.held_back is not None
    assert demand.held_back.is_held_back is False, demand.held_back.reason
