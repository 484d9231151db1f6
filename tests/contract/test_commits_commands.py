"""Commits of a process that runs another program from some moment on, as the probe in this machine's kernel sees them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from plimsoll.native import block_probe, commit_probe
from plimsoll.native.commit_probe import CommitProbe

COMMITS = 3
FLUSHES_AND_RUNS = """
import os, sys
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.write(log, b"begun")
os.fsync(log)
os.execv(sys.argv[2], sys.argv[2:])
"""


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
