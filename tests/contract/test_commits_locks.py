"""`plimsoll commits` beside a program that waits for a lock before each flush, whose holder flushes or does not."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import command
from committing import at_work
from plimsoll.native import block_probe

ROLE = f"turns-{os.getpid()}"
BEGIN = """
import os, sys, threading, time
folder, name, flushes = sys.argv[1:]
open("/proc/self/comm", "w").write(name)
log, other = (os.open(folder + one, os.O_WRONLY | os.O_CREAT) for one in ("/log", "/other"))
"""
HELD = """
turn = threading.Lock()
held = threading.Event()

def hold():
    while True:
        with turn:
            held.set()
            time.sleep(0.02)
            if flushes == "last":
                os.fdatasync(other)
        time.sleep(0.002)

threading.Thread(target=hold, daemon=True).start()
while True:
    held.clear()
    held.wait()
    os.pwrite(log, bytes(4096), 0)
    with turn:
        os.fdatasync(log)
"""
"""One thread holds the lock nearly all the time, as one that was stopped does, and may flush in the last moment of it; the other
flushes once it has it."""
IN_TURN = """
turns = [threading.Lock() for _ in range(4)]

def flush_in_turn(number):
    while True:
        os.pwrite(log, bytes(4096), 0)
        turns[number].acquire()
        until = time.perf_counter() + 0.002
        while time.perf_counter() < until:
            pass
        os.fdatasync(log)
        turns[(number + 1) % len(turns)].release()

for turn in turns:
    turn.acquire()
for number in range(1, len(turns)):
    threading.Thread(target=flush_in_turn, args=(number,), daemon=True).start()
turns[0].release()
flush_in_turn(0)
"""
"""Each thread waits while the others compute for a while and flush, one after the other."""


@pytest.fixture
def in_memory() -> Iterator[Path]:
    """A folder where a flush is over at once."""
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("no folder in memory can be written here (/dev/shm)")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


def await_role(pid: int) -> None:
    for _ in range(600):
        if Path(f"/proc/{pid}/comm").read_text().strip() == ROLE:
            return
        time.sleep(0.1)
    pytest.fail("it does not begin")


@pytest.mark.parametrize(
    ("flushes", "wanted"), [("no", "lock"), ("last", "lock"), ("in turn", "group commit")]
)
def test_a_queue_is_group_commit_only_where_others_flush_meanwhile(
    in_memory: Path, flushes: str, wanted: str
) -> None:
    program = f"{BEGIN}{IN_TURN if flushes == 'in turn' else HELD}"
    with at_work([sys.executable, "-c", program, str(in_memory), ROLE, flushes]) as pid:
        await_role(pid)
        done = command.plimsoll("commits", "--runtime", "2s", "--role", ROLE, "--json")
    assert done.returncode == 0, (done.stdout, done.stderr)
    data = command.document(done)["data"]
    (cause,) = data["causes"]
    assert cause["cause"] == wanted, cause
    (row,) = data["rows"]
    assert row["times"]["queue_us"] > 1_000
    assert (row["behind_us_mean"] > 1_000) == (flushes == "in turn"), row
