"""`plimsoll watch --calls` counts what programs call for as they do themselves, and tells what of it came from the page cache."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from mounted_loop import mounted_loop
from plimsoll.native import block_probe

MIB = 1 << 20
BLOCKS, BLOCK_BYTES = 500, 8_192
PATIENCE_S = 60.0
PROGRAM = """
import mmap, os, sys
path, blocks, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
buffer = mmap.mmap(-1, size)
def read(flags, passes, path=path):
    file = os.open(path, os.O_RDONLY | flags)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    for _ in range(passes):
        for number in range(blocks):
            assert os.preadv(file, [buffer], number * size) == size
    return file
def write(flags):
    file = os.open(path, os.O_WRONLY | flags)
    for number in range(blocks // 5):
        os.pwrite(file, buffer, number * size)
    return file
kept = [read(0, {passes}), read(os.O_DIRECT, 1, path + {other}), write(0), write(os.O_DSYNC)]
for _ in range(9):
    os.fdatasync(kept[2])
try:
    os.pwrite(kept[0], b"x", 0)
except OSError:
    pass
print("done", flush=True)
sys.stdin.read()
"""
"""It reads all through the page cache so many times, and one of both files once past it; and has its files open until its input
ends."""


def program(passes: int, other: str = "") -> str:
    return PROGRAM.replace("{passes}", str(passes)).replace("{other}", repr(other))


@pytest.fixture
def folder() -> Iterator[Path]:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    with mounted_loop(64 * MIB) as (folder, _):
        yield folder


def wait_for_looks(events: Path, more: int) -> None:
    def looks() -> int:
        return events.read_text().count('"kind":"tick"') if events.exists() else 0

    deadline_s, begin = time.monotonic() + PATIENCE_S, looks()
    while looks() < begin + more:
        assert time.monotonic() < deadline_s, "no tick"
        time.sleep(0.02)


def watched(folder: Path, path: Path, source: str, *words: str) -> dict[str, Any]:
    """What is seen of that program."""
    events = folder / "events"
    asked = ["watch", "--calls", "--every", "200ms", "--json", "--events", str(events), *words]
    with command.started(*asked) as watching:
        wait_for_looks(events, 1)
        argv = [sys.executable, "-c", source, str(path), str(BLOCKS), str(BLOCK_BYTES)]
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "done\n"
            wait_for_looks(events, 2)  # one of them began while it has its files open
            process.communicate()
        watching.send_signal(signal.SIGINT)
        told, _ = watching.communicate(timeout=PATIENCE_S)
    found: dict[str, Any] = json.loads(told)["data"]
    return found


def filled(folder: Path, name: str = "orders") -> Path:
    """A file of which nothing is in the page cache."""
    path = folder / name
    path.write_bytes(os.urandom(BLOCKS * BLOCK_BYTES))
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return path


@pytest.mark.parametrize(("passes", "cached"), [(1, 0.0), (4, 0.75)])
def test_calls_are_counted_as_their_program_makes_them(folder: Path, passes: int, cached: float) -> None:
    path, other = filled(folder), filled(folder, "orders-2")
    found = watched(folder, path, program(passes, "-2"), "--file", "orders")
    rows = {
        (row["operation"], row["is_direct"], row["is_synchronous"]): row
        for row in found["calls"]
        if row["file"] == str(other if row["is_direct"] else path)
    }
    written = BLOCKS // 5
    assert {how: (row["calls"], row["bytes"], row["errors"]) for how, row in rows.items()} == {
        ("read", False, False): (passes * BLOCKS, passes * BLOCKS * BLOCK_BYTES, 0),
        ("read", True, False): (BLOCKS, BLOCKS * BLOCK_BYTES, 0),
        ("write", False, False): (written + 1, written * BLOCK_BYTES, 1),
        ("write", False, True): (written, written * BLOCK_BYTES, 0),
        ("flush", False, False): (9, 0, 0),
    }
    assert rows["read", False, False]["cached_share"] == pytest.approx(cached, abs=0.01)
    others = [row["cached_share"] for how, row in rows.items() if how != ("read", False, False)]
    assert others == [None] * 4
    assert found["lost_calls"] == 0
    assert all(row["latency_us"]["count"] == row["calls"] for row in rows.values())


def test_of_a_file_that_is_read_directly_as_well_no_cache_is_told(folder: Path) -> None:
    found = watched(folder, filled(folder), program(1), "--file", "orders")
    shares = [row["cached_share"] for row in found["calls"] if row["operation"] == "read"]
    assert shares == [None, None]


def test_what_a_file_system_on_a_loop_device_gets_from_a_disk_beneath_came_from_no_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    monkeypatch.setattr("mounted_loop._MEMORY", Path("/var/tmp"))
    with mounted_loop(64 * MIB) as (folder, _):
        path = filled(folder)
        filled(folder, "orders-2")
        found = watched(folder, path, program(1, "-2"))
    (row,) = (row for row in found["calls"] if row["file"] == str(path) and row["operation"] == "read")
    assert row["cached_share"] == pytest.approx(0.0, abs=0.01)


def test_nobody_asked_for_calls(folder: Path) -> None:
    done = command.plimsoll("watch", "--runtime", "1s", "--json")
    found = json.loads(done.stdout)["data"]
    assert (found["calls"], found["lost_calls"]) == (None, None)
