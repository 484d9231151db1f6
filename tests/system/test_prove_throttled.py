"""A proof on a device whose speed is known: a loop device that the kernel throttles to 2,000 reads per second.

It runs as root and only when it is named: `.venv/bin/pytest -m system tests/system/test_prove_throttled.py`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from command import document, plimsoll
from throttled import throttled

READS_PER_S, WRITES_PER_S = 2000, 2000
BACKING_BYTES = 3 << 30
MEMORY = Path("/dev/shm")
PATIENCE_S = 900.0
SLO = "p99=250ms"
"""The throttle lets go once in a tenth of a second, so waits of that length are its clock and no queue."""

pytestmark = [pytest.mark.system, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A file system on the throttled device, as long as this process and its children are in the group."""
    if os.geteuid() != 0:
        pytest.skip("loop devices and control groups are for root")
    if shutil.which("losetup") is None or not Path("/dev/loop-control").exists():
        pytest.skip("there are no loop devices: it takes losetup (package mount) and modprobe loop")
    with ExitStack() as stack:
        backing = MEMORY / f"plimsoll-prove-{os.getpid()}.dat"
        stack.callback(backing.unlink, missing_ok=True)
        with backing.open("wb") as file:
            file.truncate(BACKING_BYTES)
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", str(backing))
        name = run("losetup", "--find", "--show", "--direct-io=on", str(backing))
        stack.callback(run, "losetup", "--detach", name)
        mounted = Path("/var/tmp") / f"plimsoll-prove-{os.getpid()}"
        mounted.mkdir(mode=0o755)
        stack.callback(mounted.rmdir)
        run("mount", "-o", "noatime", name, str(mounted))
        stack.callback(run, "umount", str(mounted))
        mounted.chmod(0o755)
        stack.enter_context(throttled(name, READS_PER_S, WRITES_PER_S))
        yield mounted


def run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def proved(folder: Path, *words: str) -> Any:
    done = plimsoll("prove", "slob", "--folder", str(folder), "--json", *words, timeout_s=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    return document(done)["data"]


def test_physical_reads_are_those_of_the_device(folder: Path) -> None:
    """By our report, by the server's counters and by the device's, each within 3 % of what the throttle lets through."""
    data = proved(
        folder, "--scale", "128M", "--schemas", "2", "--threads", "4", "--update-pct", "0", "--runtime", "20",
        "--warm-up", "3",
    )  # fmt: skip
    select = next(one for one in data["operations"] if one["name"] == "select")
    touched_per_s = select["operations_per_s"] * 64
    if None in (data["logical_reads_per_s"], data["origin"]["device_per_s"]):
        pytest.skip(f"the machine is too busy for counters that come in time: {data['doubts']}")
    hit_share = data["cache_hits_per_s"] / data["logical_reads_per_s"]
    assert data["physical_reads_per_s"] == pytest.approx(READS_PER_S, rel=0.03)
    assert data["origin"]["device_per_s"] == pytest.approx(READS_PER_S, rel=0.03)
    assert data["origin"]["device_by_counter_per_s"] == pytest.approx(READS_PER_S, rel=0.03)
    assert data["origin"]["device"].startswith("loop")
    assert touched_per_s > data["physical_reads_per_s"]
    assert 0 < hit_share < 1


MIXES = {
    "reads": ("--update-pct", "0"),
    "a tenth updates": ("--update-pct", "10"),
    "three tenths updates": ("--update-pct", "30"),
    "small operations": ("--update-pct", "10", "--work-unit", "8"),
    "heavy redo": ("--update-pct", "20", "--redo-stress", "heavy"),
    "half updates": ("--update-pct", "50", "--work-unit", "16"),
}


def test_the_line_predicts_what_the_database_reaches(folder: Path) -> None:
    """Six mixes; the median of the absolute errors is 15 % at the most."""
    errors = {}
    for name, words in MIXES.items():
        data = proved(
            folder, "--scale", "128M", "--schemas", "2", "--threads", "4", "--runtime", "20", "--warm-up", "3",
            "--against", str(folder), "--slo", SLO, *words,
        )  # fmt: skip
        found = data["prediction"]
        errors[name] = found["error_share"]
        print(f"{name}: predicted {found['line_iops']}, proved {found['proved_iops']}, {found['reason']}")
    known = sorted(abs(error) for error in errors.values() if error is not None)
    assert len(known) == len(MIXES), errors
    assert (known[2] + known[3]) / 2 <= 0.15, errors
