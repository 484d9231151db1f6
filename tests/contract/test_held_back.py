"""Demands of a real PostgreSQL on a device that the kernel throttles, and on the same device without the throttle."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from databases_fixture import context
from loop_device import Loop
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.demand.collect import collect
from plimsoll.facts import Demand
from plimsoll.ports.clock import SystemClock
from plimsoll.proof import pgbench
from throttled import throttled

READS_PER_S = 1500
CLIENTS = 16
BACKING_BYTES = 1 << 30
SCALE = 20
MEMORY = Path("/dev/shm")
WATCHED_S = 12.0

pytestmark = pytest.mark.timeout(300)


@contextmanager
def mounted_loop(place: Path, reads_per_s: int | None) -> Iterator[Path]:
    """A file system on a loop device of the test's own, throttled for this process and its children."""
    if os.geteuid() != 0:
        pytest.skip("loop devices and control groups are for root")
    with ExitStack() as stack:
        backing = MEMORY / f"plimsoll-held-{os.getpid()}.dat"
        stack.callback(backing.unlink, missing_ok=True)
        with backing.open("wb") as file:
            file.truncate(BACKING_BYTES)
        subprocess.run(
            ["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", backing], check=True
        )
        loop = Loop(backing, "--direct-io=on")
        stack.callback(loop.detach)
        subprocess.run(["mount", "-o", "noatime", loop.path, place], check=True)
        stack.callback(subprocess.run, ["umount", place], check=True)
        place.chmod(0o755)
        if reads_per_s is not None:
            stack.enter_context(throttled(str(loop.path), reads_per_s))
        yield place


@pytest.fixture
def place() -> Iterator[Path]:
    """Where other accounts may go: the server does not run as root."""
    made = Path("/var/tmp") / f"plimsoll-held-{os.getpid()}"
    made.mkdir(mode=0o755)
    yield made
    made.rmdir()


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


def test_clients_on_a_throttled_device_are_held_back(place: Path, tmp_path: Path) -> None:
    if shutil.which("mkfs.ext4") is None:
        pytest.skip("mkfs.ext4 is not installed (package e2fsprogs)")
    with mounted_loop(place, READS_PER_S) as folder, context(tmp_path, SystemClock()) as (ctx, _):
        demand = demand_of(ctx, folder, None)
    assert demand.peak is not None
    assert demand.mean is not None
    assert demand.mean.iops == pytest.approx(READS_PER_S, rel=0.1)
    assert demand.held_back is not None
    assert demand.held_back.is_held_back, demand.held_back.reason
    assert "held-back" in {note.code for note in demand.notes}


def test_the_same_clients_at_a_rate_on_the_free_device_are_not(place: Path, tmp_path: Path) -> None:
    if shutil.which("mkfs.ext4") is None:
        pytest.skip("mkfs.ext4 is not installed (package e2fsprogs)")
    with mounted_loop(place, None) as folder, context(tmp_path, SystemClock()) as (ctx, _):
        demand = demand_of(ctx, folder, 300.0)
    assert demand.held_back is not None
    assert demand.held_back.is_held_back is False, demand.held_back.reason
