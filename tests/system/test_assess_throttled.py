"""Verdicts on devices that the kernel throttles: the whole demand is judged, and neither a late counter nor a demand that its own
storage held back makes a wrong one.

It runs as root and only when it is named: `.venv/bin/pytest -m system tests/system/test_assess_throttled.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import judged_demands
import simulated
from clients_demand import clients_demand
from databases_fixture import context
from judged_demands import judge, verdict_of, with_scan
from loop_device import Loop
from mounted_loop import mounted_loop
from plimsoll.context import Context
from plimsoll.facts import Demand, Verdict
from plimsoll.ports.clock import SystemClock
from throttled import throttled

SPAN_BYTES = 256 << 20
MEMORY = Path("/dev/shm")
WATCHED_S = 30.0
SELECTS_PER_S = 960
"""At this rate sessions handed in their counters so late that one second had 17 reads and the next 4,053."""

pytestmark = [pytest.mark.system, pytest.mark.timeout(900)]


@pytest.fixture(autouse=True)
def _root() -> None:
    if os.geteuid() != 0:
        pytest.skip("loop devices and control groups are for root")


@contextmanager
def device(reads_per_s: int | None = None, read_bytes_per_s: int | None = None) -> Iterator[Loop]:
    """Of the test's own, and its name may be confirmed: a database writes as well."""
    with ExitStack() as stack:
        backing = MEMORY / f"plimsoll-assess-{os.getpid()}.dat"
        stack.callback(backing.unlink, missing_ok=True)
        with backing.open("wb") as file:
            for _ in range(SPAN_BYTES >> 20):
                file.write(os.urandom(1 << 20))
        loop = Loop(backing, "--direct-io=on")
        stack.callback(loop.detach)
        stack.enter_context(throttled(str(loop.path), reads_per_s, read_bytes_per_s=read_bytes_per_s))
        yield loop


def throttled_demand(tmp_path: Path, reads_per_s: int, rate_per_s: float | None) -> Demand:
    """What a PostgreSQL on a throttled device of its own was seen to ask for."""
    with (
        mounted_loop() as (folder, loop), throttled(str(loop.path), reads_per_s),
        context(tmp_path, SystemClock()) as (ctx, _),
    ):  # fmt: skip
        return clients_demand(ctx, folder, WATCHED_S, rate_per_s)


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with simulated.context(tmp_path / "assessing") as made:
        yield made


def judged_on(ctx: Context, demand: Demand, loop: Loop, tmp_path: Path, slo: str = "p99=20ms") -> Verdict:
    destroy = (loop.confirmed,)
    return verdict_of(judge(ctx, demand, str(loop.path), tmp_path, trial_s=None, slo=slo, destroy=destroy))


@pytest.mark.parametrize(("mb_per_s", "carries"), [(18, False), (200, True)])
def test_a_scan_in_seconds_with_fewer_ios_decides(
    ctx: Context, tmp_path: Path, mb_per_s: int, carries: bool
) -> None:
    whole = judged_demands.whole(with_scan())
    with device(read_bytes_per_s=mb_per_s * 1_000_000) as loop:
        verdict = judged_on(ctx, whole, loop, tmp_path, slo="p99=100ms")
    assert verdict.carries is carries, verdict.reason


def test_a_demand_that_was_held_back_makes_no_yes(ctx: Context, tmp_path: Path) -> None:
    demand = throttled_demand(tmp_path / "held", 1500, None)
    assert demand.held_back is not None
    assert demand.held_back.is_held_back, demand.held_back.reason
    with device(reads_per_s=4000) as loop:
        faster = judged_on(ctx, demand, loop, tmp_path)
    with device(reads_per_s=800) as loop:
        slower = judged_on(ctx, demand, loop, tmp_path)
    assert faster.carries is None, faster.reason
    assert (
        f"held back by its own storage, so the answer stays open: {demand.held_back.reason}" in faster.reason
    )
    assert slower.carries is False, slower.reason


def test_counters_that_come_late_make_no_wrong_verdict(ctx: Context, tmp_path: Path) -> None:
    """Sessions hand in their counters once a second at most, so that a second may show up to two seconds' reads. Over all of
    them together the mean is exact, and the load stays the same."""
    demand = throttled_demand(tmp_path / "late", 8000, SELECTS_PER_S)
    assert demand.peak is not None
    assert demand.mean is not None
    reads_per_s = demand.mean.iops or 0.0
    assert (demand.peak.iops or 0) < 1.5 * reads_per_s
    with device(reads_per_s=round(3 * reads_per_s)) as loop:
        faster = judged_on(ctx, demand, loop, tmp_path)
    with device(reads_per_s=round(reads_per_s / 2)) as loop:
        slower = judged_on(ctx, demand, loop, tmp_path)
    assert (faster.carries, slower.carries) == (True, False), (faster.reason, slower.reason)
