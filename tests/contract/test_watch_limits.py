"""`plimsoll watch --limits` beside a program that asks a disk for more at once than its scheduler has room for."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import command
from committing import at_work
from loop_device import MIB, Loop
from plimsoll.native import block_probe

DEPTH = 600
"""More than the 256 requests that a scheduler of a loop device has room for."""


@pytest.fixture
def disk() -> Iterator[Path]:
    """A loop device in memory with a scheduler."""
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        file = Path(folder, "disk")
        with file.open("wb") as made:
            made.truncate(64 * MIB)
        loop = Loop(file)
        try:
            scheduler = Path("/sys/block", loop.path.name, "queue/scheduler")
            if "mq-deadline" not in scheduler.read_text():
                pytest.skip("this kernel has no scheduler mq-deadline")
            loop.set_queue("scheduler", "mq-deadline")
            yield loop.path
        finally:
            loop.detach()


def test_room_of_a_scheduler_that_is_full_is_told(disk: Path) -> None:
    fio = shutil.which("fio")
    if fio is None:
        pytest.skip("fio is not installed")
    load = [
        "--rw=randread",
        "--bs=4k",
        "--direct=1",
        "--ioengine=libaio",
        f"--iodepth={DEPTH}",
        "--time_based",
        "--thread",  # Else its jobs are processes of their own, which outlive it.
    ]
    words = [fio, "--name=many", f"--filename={disk}", "--runtime=100", "--size=64m", *load]
    with at_work(words):
        done = command.plimsoll("watch", "--runtime", "5s", "--limits", "--device", disk.name, "--json")
    data = command.document(done)["data"]
    found = {one["name"]: one for one in data["limits"]}
    nr_requests = int(Path("/sys/block", disk.name, "queue/nr_requests").read_text())
    if tells_what_a_scheduler_holds(disk.name):
        assert found["nr_requests"]["value"] == nr_requests, found
        assert found["nr_requests"]["used_max"] <= nr_requests
        assert "in its scheduler (mq-deadline)" in found["nr_requests"]["advice"]
    else:
        unseen = [note["message"] for note in data["notes"] if note["code"] == "limits-unseen"]
        assert any(f"{disk.name} has a scheduler (mq-deadline)" in words for words in unseen), unseen
    assert found["queue_depth"]["value"] < nr_requests


def tells_what_a_scheduler_holds(disk: str) -> bool:
    """Whether this kernel does so by itself, or by debugfs."""
    major, minor = platform.release().split(".")[:2]
    debugfs = Path("/sys/kernel/debug/block", disk)
    return (int(major), int(minor.split("-")[0])) >= (6, 16) or os.access(debugfs, os.R_OK)
