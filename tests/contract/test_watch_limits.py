"""`plimsoll watch --limits` beside a program that asks a disk for more at once than its scheduler has room for."""

from __future__ import annotations

import os
import platform
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import command
from committing import at_work
from dialled_disk import dialled
from loop_device import Loop
from plimsoll.native import block_probe
from plimsoll.observe.device_check import Counters

DEPTH = 600
"""More than the 256 requests that a scheduler of a loop device has room for."""
LAW = "law=constant,mean=10ms"
"""So slow that who asks is ahead of it on any host."""
PATIENCE_S = 60.0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A slow loop device with a scheduler."""
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    with dialled(tmp_path / "lab", LAW) as slow:
        loop = Loop(slow.path, "--direct-io=on")
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
        wait_until_full(disk.name)
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


def wait_until_full(disk: str) -> None:
    """Until its scheduler and the disk hold as many as the first has room for."""
    room = int(Path("/sys/block", disk, "queue/nr_requests").read_text())
    deadline_s = time.monotonic() + PATIENCE_S
    while Counters().in_flight().get(disk, 0) < room:
        assert time.monotonic() < deadline_s, "nobody asked for that much"
        time.sleep(0.02)


def tells_what_a_scheduler_holds(disk: str) -> bool:
    """Whether this kernel does so by itself, or by debugfs."""
    major, minor = platform.release().split(".")[:2]
    debugfs = Path("/sys/kernel/debug/block", disk)
    return (int(major), int(minor.split("-")[0])) >= (6, 16) or os.access(debugfs, os.R_OK)
