"""Commits of a process that runs another program from some moment on, as the probe in this machine's kernel sees them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from committing import at_work
from plimsoll.base.errors import WorldError
from plimsoll.flows import commits as flow
from plimsoll.native import block_probe, commit_probe
from plimsoll.native.commit_probe import CommitProbe
from plimsoll.observe import log_flushes
from plimsoll.requests.commits import CommitsRequest
from simulated import context

COMMITS = 3
FLUSHES_AND_RUNS = """
import os, sys
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.write(log, b"begun")
os.fsync(log)
os.execv(sys.argv[2], sys.argv[2:])
"""
FLUSHES = """
import os, sys, time
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
while True:
    os.write(log, b"one")
    os.fsync(log)
    time.sleep(0.01)
"""
HOME = {"PYTHONHOME": sys.base_prefix}
"""A copy of Python finds its library by it."""


@pytest.fixture
def probe() -> Iterator[CommitProbe]:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    started = commit_probe.start()
    yield started
    started.stop()


def test_commits_of_a_process_that_becomes_a_command_are_the_commands(
    probe: CommitProbe, tmp_path: Path
) -> None:
    """Both are one row of one process between two looks."""
    data = tmp_path / "data"
    dd = shutil.which("dd") or pytest.skip("dd is not installed")
    words = (dd, "if=/dev/zero", f"of={data}", "bs=4k", f"count={COMMITS}", "oflag=dsync", "status=none")
    commit_probe.read(probe)
    process = subprocess.Popen((sys.executable, "-c", FLUSHES_AND_RUNS, tmp_path / "log", *words))
    assert process.wait(60) == 0
    rows, counts = commit_probe.read(probe)
    assert counts["lost_rows"] == 0
    (row,) = (one for one in rows if one["owner_pid"] == process.pid)
    assert (row["kind"], row["commits"]) == ("sync", 1 + COMMITS)
    assert (row["command"], row["title"]) == (os.path.basename(dd), dd)


def test_what_goes_by_the_name_of_a_server_and_is_none_leaves_what_commits_beside_it(
    probe: CommitProbe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any user may call a program so: it has no function that flushes a log. Here by another, for tests beside this."""
    monkeypatch.setattr(log_flushes, "COMMANDS", ("elephant",))
    foreign, writer = tmp_path / "elephant", tmp_path / "logwriter"
    for copy in (foreign, writer):
        shutil.copy(os.path.realpath(sys.executable), copy)
    with (
        at_work((foreign, "-c", "import time; time.sleep(60)"), env=HOME) as pid,
        at_work((writer, "-c", FLUSHES, tmp_path / "log"), env=HOME),
        context(tmp_path / "journals") as ctx,
    ):
        with pytest.raises(WorldError) as refused:
            commit_probe.see_log_flushes(probe, f"/proc/{pid}/exe")
        run = flow.watch_commits(ctx, CommitsRequest(watched_s=2.0))
    assert refused.value.id == "probe-refused"
    assert run.commits is not None
    (note,) = (note.message for note in run.commits.notes if note.code == "followers-unseen")
    assert str(foreign) in note
    assert writer.name in {row.role for row in run.commits.rows}
