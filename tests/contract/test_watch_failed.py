"""`plimsoll watch` beside reads that fail: a loop device whose file became shorter."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

import command
from committing import at_work
from loop_device import Loop
from plimsoll.base.errors import ExitStatus
from plimsoll.native import block_probe

MIB = 1 << 20
READS = """
import mmap, os, sys, time
disk = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
into = mmap.mmap(-1, 8192)
while True:
    for at in (0, 32 << 20):
        try:
            os.preadv(disk, [into], at)
        except OSError:
            pass
    time.sleep(0.001)
"""
"""Two blocks, one after the other; the second is behind the end."""


def test_reads_that_fail_reach_headline_and_status_and_moved_nothing(tmp_path: Path) -> None:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    if not os.access("/dev/shm", os.W_OK) or shutil.which("losetup") is None:
        pytest.skip("no loop device can be made of a file in memory here")
    file = Path("/dev/shm", f"plimsoll-failed-{os.getpid()}")
    try:
        file.write_bytes(b"x" * (64 * MIB))
        loop = Loop(file, "--direct-io=on")
        os.truncate(file, 16 * MIB)
        try:
            with at_work([sys.executable, "-c", READS, loop.path]):
                ended = command.plimsoll("watch", "--runtime", "2s", "--device", loop.path.name, "--json")
        finally:
            loop.detach()
    finally:
        file.unlink()
    rows = [row for row in json.loads(ended.stdout)["data"]["rows"] if row["operation"] == "read"]
    (read,) = [row for row in rows if row["role"].startswith("python")]
    assert ended.returncode == ExitStatus.ANSWER_IS_NO
    assert 0 < read["errors"] < read["ios"]
    assert read["mb_per_s"] == pytest.approx(
        read["iops"] * 8_192 / 1e6 * (1 - read["errors"] / read["ios"]), rel=1e-6
    )
