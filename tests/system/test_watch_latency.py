"""The latency that `plimsoll watch` tells, against what fio tells of the same I/Os in the same run.

The disk is one of the laboratory, whose law makes each I/O take milliseconds, behind a loop device, as the probe sees disks. fio
runs ahead of all other processes: what it waits for a processor, once its I/O is done, is no time of the disk.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import command
from dialled_disk import dialled
from loop_device import Loop
from plimsoll.native import block_probe

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

THREADS = 4
"""Each waits for its own I/O: one that asks for several at once is not told of an end while it asks for the next."""
IOS = 4_000
"""Of these 40 are beyond p99, so that it is no single I/O's time."""
ROUNDS = 3
OFF_MAX = 0.05
PATIENCE_S = 60.0
FIRST = ("chrt", "--fifo", "50")
FIO = (
    "fio", "--name=known", "--rw=randread", "--bs=8k", "--direct=1", "--ioengine=psync", "--thread", f"--numjobs={THREADS}",
    "--group_reporting", "--norandommap", f"--number_ios={IOS // THREADS}", "--percentile_list=50:99",
    "--output-format=json",
)  # fmt: skip


class Percentiles(NamedTuple):
    p50: float
    p99: float


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Journal and store are this test's alone."""
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    for program in (FIO[0], FIRST[0]):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    if subprocess.run((*FIRST, "true"), capture_output=True, check=False).returncode:
        pytest.skip("no process may run ahead of others here")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    store = tmp_path / "store"
    store.mkdir(mode=0o700)
    monkeypatch.setenv("PLIMSOLL_STORE", str(store / "runs.db"))


@contextmanager
def disk_of_law(folder: Path, law: str) -> Iterator[Loop]:
    """A loop device that hands each request on as it is."""
    with dialled(folder, law) as disk:
        loop = Loop(disk.path, "--direct-io=on")
        loop.set_queue("nomerges", "2")
        try:
            yield loop
        finally:
            loop.detach()


def wait_for_tick(events: Path) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not (events.exists() and '"kind":"tick"' in events.read_text()):
        assert time.monotonic() < deadline_s, "no tick"
        time.sleep(0.02)


def fio(loop: Loop) -> Percentiles:
    done = subprocess.run(
        (*FIRST, *FIO, f"--filename={loop.path}"), capture_output=True, text=True, check=False, timeout=200
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["jobs"][0]["read"]
    assert found["total_ios"] == IOS
    at = found["clat_ns"]["percentile"]
    return Percentiles(at["50.000000"] / 1e3, at["99.000000"] / 1e3)


def all_three(loop: Loop, events: Path) -> tuple[Percentiles, Percentiles, Percentiles]:
    """What fio tells, and the watch beside it: at the disk, and of the calls, which fio times itself."""
    words = ["watch", "--every", "500ms", "--calls", "--json", "--events", str(events)]
    with command.started(*words) as watching:
        wait_for_tick(events)
        told = fio(loop)
        watching.send_signal(signal.SIGINT)
        said, _ = watching.communicate(timeout=PATIENCE_S)
    data = json.loads(said)["data"]
    rows = [row for row in data["rows"] if is_fios(row) and row["device"] == loop.path.name]
    calls = [
        row for row in data["calls"] if is_fios(row) and row["file"] == str(loop.path) and row["is_direct"]
    ]
    assert sum(row["ios"] for row in rows) == sum(row["calls"] for row in calls) == IOS, (rows, calls)
    seen = [Percentiles(row["latency_us"]["p50"], row["latency_us"]["p99"]) for row in (rows[0], calls[0])]
    return told, seen[0], seen[1]


def is_fios(row: dict[str, Any]) -> bool:
    """The disk it reads directly, and its own program through the page cache of another."""
    return (row["role"], row["operation"]) == ("fio", "read")


@pytest.mark.parametrize("law", ["exponential,mean=4ms", "lognormal,mean=4ms,sigma=0.4"])
def test_half_and_all_but_one_in_a_hundred_take_what_fio_says(tmp_path: Path, law: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("loop devices are for root")
    with disk_of_law(tmp_path / "dial", f"law={law},servers=8") as loop:
        rounds = [all_three(loop, tmp_path / f"events-{number}") for number in range(ROUNDS)]
    for name in Percentiles._fields:
        for level in (1, 2):
            ratios = [getattr(one[level], name) / getattr(one[0], name) for one in rounds]
            assert abs(statistics.median(ratios) - 1) <= OFF_MAX, (name, level, rounds)
