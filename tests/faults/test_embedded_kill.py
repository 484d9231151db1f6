"""A process that runs an embedded database is killed: the next start ends the server and removes its files."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from databases_fixture import PARENT, context
from plimsoll.context import Context
from plimsoll.context.scratch import reclaim
from plimsoll.databases import embedded
from plimsoll.ports import processes
from plimsoll.proof import pgbench

PROGRAM = """
import sys, time
from pathlib import Path
from databases_fixture import context, PARENT
from plimsoll.databases import embedded
from plimsoll.proof import pgbench
with context(Path(sys.argv[1])) as (ctx, _):
    with embedded.running(ctx, Path(sys.argv[2])) as server:
        pgbench.initialise(ctx, server.url, 1, programs=server.programs)
        load = pgbench.start(ctx, server.url, seconds=60, clients=2, programs=server.programs)
        print(server.cluster.home, server.process.pid, load._process.pid, flush=True)
        time.sleep(60)
"""


@pytest.fixture
def parent(ctx: Context) -> Path:
    """A folder of this test alone that an unprivileged server may enter."""
    return ctx.scratch.new_folder(PARENT, "kill", mode=0o755)


def start_program(journal: Path, parent: Path) -> subprocess.Popen[str]:
    """The program above, on its way."""
    tests = Path(__file__).parent.parent
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(journal), str(parent)],
        env={**os.environ, "PYTHONPATH": str(tests)},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_killed_under_load(tmp_path: Path, parent: Path, wheel: Path) -> None:
    child = start_program(tmp_path / "child", parent)
    assert child.stdout is not None
    folder, *pids = child.stdout.readline().split()
    known = [processes.identity(int(pid)) for pid in pids]
    child.kill()
    child.wait()
    child.stdout.close()
    assert all(one is not None and processes.is_alive(one) for one in known), (
        "they outlive their killed parent"
    )
    assert folder in reclaim(tmp_path / "child").taken
    assert not any(one is not None and processes.is_alive(one) for one in known)
    assert not list(parent.iterdir())
    assert not list((tmp_path / "child").rglob("*.journal"))


@pytest.mark.parametrize("delay_s", [0.45, 0.6, 0.75, 0.9])
def test_killed_at_any_moment_of_the_start(tmp_path: Path, parent: Path, wheel: Path, delay_s: float) -> None:
    child = start_program(tmp_path / "child", parent)
    time.sleep(delay_s)
    child.kill()
    child.communicate()
    reclaim(tmp_path / "child")
    assert not list(parent.iterdir())
    assert not processes.inside_folder(parent)


def test_a_load_that_is_cancelled_ends(tmp_path: Path, server_18: embedded.Server) -> None:
    with context(tmp_path) as (ctx, _):
        load = pgbench.start(
            ctx, server_18.url, seconds=60, script="select 1;", clients=1, programs=server_18.programs
        )
        deadline = time.monotonic() + 20
        while not load.seconds() and time.monotonic() < deadline:
            time.sleep(0.05)
        ctx.cancel.set()
        result = load.wait()
        assert result.ended_early
        assert (result.transactions or 0) > 0
        assert load.poll() is not None
