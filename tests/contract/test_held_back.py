"""Demands of a real PostgreSQL on a device that the kernel throttles, and on the same device without the throttle."""

from __future__ import annotations

from pathlib import Path

import pytest

import simulated
from clients_demand import clients_demand
from databases_fixture import context
from judged_demands import judge, verdict_of
from mounted_loop import mounted_loop
from plimsoll.ports.clock import SystemClock
from throttled import throttled

READS_PER_S = 1500
FASTER, SLOWER = "sim:law=constant,mean=20us", "sim:law=constant,mean=2ms"
WATCHED_S = 12.0

pytestmark = pytest.mark.timeout(300)


def test_clients_on_a_throttled_device_are_held_back(tmp_path: Path) -> None:
    """By storage that carries more it cannot be told whether the demand is carried; by storage that carries less it can."""
    with (
        mounted_loop() as (folder, loop),
        throttled(str(loop.path), READS_PER_S),
        context(tmp_path, SystemClock()) as (ctx, _),
    ):
        demand = clients_demand(ctx, folder, WATCHED_S, None)
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
    assert (
        f"held back by its own storage, so the answer stays open: {demand.held_back.reason}" in faster.reason
    )


def test_the_same_clients_at_a_rate_on_the_free_device_are_not(tmp_path: Path) -> None:
    with mounted_loop() as (folder, _), context(tmp_path, SystemClock()) as (ctx, _):
        demand = clients_demand(ctx, folder, WATCHED_S, 300.0)
    assert demand.held_back is not None
    assert demand.held_back.is_held_back is False, demand.held_back.reason
