"""`plimsoll watch` counts each way in which a program can ask for I/O as the program does, and each flush that it waits for.

Each way has a size of its own, so that one watch tells them apart.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from loop_device import Loop
from plimsoll.native import block_probe

MIB = 1 << 20
IOS = 400
"""No more than there are blocks of the largest size: no block is read twice."""
PATIENCE_S = 60.0
WAYS = {
    "buffered": ("--ioengine=psync", "--direct=0"),
    "direct": ("--ioengine=psync", "--direct=1"),
    "libaio": ("--ioengine=libaio", "--iodepth=8", "--direct=1"),
    "io_uring": ("--ioengine=io_uring", "--iodepth=8", "--direct=1"),
    "polled queue": ("--ioengine=io_uring", "--iodepth=8", "--direct=1", "--sqthread_poll=1"),
    "workers of io_uring": ("--ioengine=io_uring", "--iodepth=8", "--direct=1", "--force_async=1"),
}
FLUSHES = 300
WRITER = """
import os, sys
file = os.open(sys.argv[1], os.O_WRONLY)
for number in range(int(sys.argv[2])):
    os.pwrite(file, bytes(4096), 4096 * number)
    os.fdatasync(file)
"""
REQUESTS = 4
"""Of the disk: of so few the kernel takes the next each time, and of many the same again."""
READS_BEHIND = 300
"""Enough that each of them is used again."""
SIZES = {way: 4_096 << number for number, way in enumerate(WAYS)}


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    if shutil.which("fio") is None:
        pytest.skip("fio is not installed")
    file = tmp_path / "file"
    file.write_bytes(random.Random(1).randbytes(64 * MIB))
    made = Loop(file)
    # Neighbours would become one request, which is one I/O.
    for name, value in (("nomerges", "2"), ("scheduler", "none"), ("nr_requests", str(REQUESTS))):
        made.set_queue(name, value)
    yield made
    made.detach()


def fio(target: Path, *words: str) -> dict[str, Any]:
    """What it says it did."""
    job = ("fio", "--name=known", f"--filename={target}", f"--number_ios={IOS}", "--output-format=json")
    done = subprocess.run([*job, *words], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["jobs"][0]


def asked(data: dict[str, Any], operation: str) -> int:
    """I/Os of that kind, of all who were seen."""
    return sum(row["ios"] for row in data["rows"] if row["operation"] == operation)


def tells_begins() -> bool:
    """Whether this kernel tells when each request is made; else requests for a flush are not seen."""
    probe = block_probe.start()
    try:
        return probe.begin() == "block_io_start"
    finally:
        probe.stop()


def use_requests_again(disk: Path) -> None:
    """By a process of its own: a busy kernel does not tell the end of some I/Os, which then shows."""
    words = ("dd", f"if={disk}", "of=/dev/null", "bs=4096", f"count={READS_BEHIND}", "iflag=direct")
    subprocess.run(words, check=True, capture_output=True, timeout=100)
    subprocess.run(["sync", "--data", disk], check=True, timeout=100)


def wait_for_tick(events: Path) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not (events.exists() and '"kind":"tick"' in events.read_text()):
        assert time.monotonic() < deadline_s, "no tick"
        time.sleep(0.02)


def test_each_way_of_asking_is_counted_as_its_program_does(loop: Loop, tmp_path: Path) -> None:
    events = tmp_path / "events"
    words = ["watch", "--every", "200ms", "--device", str(loop.path), "--json", "--events", str(events)]
    with command.started(*words) as watching:
        wait_for_tick(events)
        for way, options in WAYS.items():
            done = fio(loop.path, "--rw=randread", f"--bs={SIZES[way]}", *options)
            assert done["read"]["total_ios"] == IOS, way
        subprocess.run([sys.executable, "-c", WRITER, loop.path, str(FLUSHES)], check=True, timeout=100)
        use_requests_again(loop.path)
        watching.send_signal(signal.SIGINT)
        told, _ = watching.communicate(timeout=PATIENCE_S)
    data = json.loads(told)["data"]
    reads = [row for row in data["rows"] if (row["role"], row["operation"]) == ("fio", "read")]
    sizes: Counter[int | None] = Counter()
    for row in reads:
        sizes.update({size["bytes_max"]: size["ios"] for size in row["sizes"]})
    assert sizes == dict.fromkeys(SIZES.values(), IOS), reads
    assert sum(row["ios"] for row in reads) == IOS * len(WAYS)
    assert sum(row["bytes"] for row in reads) == IOS * sum(SIZES.values())
    assert asked(data, "write") == FLUSHES
    check_flushes(data)
    check_disk(data, loop.path.name)


def check_flushes(data: dict[str, Any]) -> None:
    """Each of the writer's, and the one behind them, whose end may be what the kernel did not tell; a thread of the kernel may ask
    for it in place of `sync`.
    """
    assert FLUSHES <= asked(data, "flush") <= FLUSHES + 1
    if tells_begins():
        waited_for = [row for row in data["rows"] if row["operation"] == "flush-request"]
        by_others = sum(row["ios"] for row in waited_for if row["role"] != "sync")
        assert FLUSHES <= by_others <= asked(data, "flush-request") <= FLUSHES + 1


def check_disk(data: dict[str, Any], name: str) -> None:
    """The rows are what was seen there, and that is what the kernel counts but for what may be missing at the end."""
    (disk,) = (one for one in data["devices"] if one["device"] == name)
    assert disk["held"] is True, disk["reason"]
    assert disk["flushes"] == asked(data, "flush")
    assert 0 <= disk["flushes_counted"] - disk["flushes"] <= 1
    assert disk["ios"] == sum(asked(data, operation) for operation in ("read", "write", "flush-request"))
    if tells_begins():
        # A request for a flush is a write to the kernel's counters.
        assert 0 <= disk["ios_counted"] - disk["ios"] <= REQUESTS
