"""A device whose speed is known: a loop device that the kernel throttles to 2,000 reads per second.

It runs as root and only when it is named: `.venv/bin/pytest -m system tests/system/test_throttled_loop.py`. The throttle is the
kernel's own (`blkio.throttle.read_iops_device` of control groups version 1, `io.max` of version 2) and stands on the loop device,
so what its backing file lies on does not matter. It lets go once in a tenth of a second: a short measurement may see up to 200
reads too many, so points here take ten seconds.
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

READS_PER_S = 2000
SPAN_BYTES = 256 << 20
MEMORY = Path("/dev/shm")
PATIENCE_S = 400.0
FRESH_TRIALS = 5
POINT = ("--shape", "custom", "--matrix", "point", "--small-depth", "8", "--large-depth", "0")
"""With one read outstanding the throttle's own clock, which ticks a few hundred times per second, takes some of the reads away."""

pytestmark = [pytest.mark.system, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The loop device, as long as this process and its children are in the throttled group."""
    if os.geteuid() != 0:
        pytest.skip("loop devices and control groups are for root")
    if shutil.which("losetup") is None or not Path("/dev/loop-control").exists():
        pytest.skip("there are no loop devices: it takes losetup (package mount) and modprobe loop")
    with ExitStack() as stack:
        folder = MEMORY if MEMORY.is_dir() else tmp_path_factory.mktemp("loop")
        backing = folder / f"plimsoll-throttled-{os.getpid()}.dat"
        stack.callback(backing.unlink, missing_ok=True)
        with open(backing, "wb") as file:
            for _ in range(SPAN_BYTES >> 20):
                file.write(os.urandom(1 << 20))
        name = run("losetup", "--find", "--show", "--read-only", str(backing))
        stack.callback(run, "losetup", "--detach", name)
        stack.enter_context(throttled(name, READS_PER_S))
        yield name


def run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def told(*words: str) -> tuple[int, Any]:
    done = plimsoll(*words, "--json", timeout_s=PATIENCE_S)
    return done.returncode, document(done)["data"]


def cached(data: Any) -> Any:
    (check,) = [check for check in data["checks"] if check["name"] == "cached"]
    return check


def test_calibrate_says_what_the_throttle_lets_through(device: str) -> None:
    status, data = told("calibrate", device, *POINT, "--runtime", "10s")
    assert status == 0
    assert data["max_small_iops"] == pytest.approx(READS_PER_S, rel=0.02)


def test_no_point_of_an_adaptive_calibration_is_off(device: str) -> None:
    """A look of 0.17 s said 1,200 of this device."""
    _, data = told("calibrate", device, "--shape", "oltp", "--matrix", "adaptive", "--runtime", "2s")
    rates = [cell["small_iops"] for cell in data["cells"]]
    assert len(rates) > 2
    assert rates == pytest.approx([READS_PER_S] * len(rates), rel=0.12)
    assert data["max_small_iops"] == max(rates)


def test_the_safe_rate_sits_below_it_and_a_seventh_more_is_too_much(device: str) -> None:
    """The safe rate holds in four of five fresh trials, 1.15 times the line in one at most.

    In trials of two seconds 2 % more than the throttle's rate is within one tenth of a second of its credit.
    """
    status, data = told("line", device, "--slo", "p99=50ms", "--repeats", "3")
    if data["outcome"] == "unsteady":
        pytest.skip(f"the machine is too busy for a line: {data['reason']}")
    assert status == 0
    assert 0.6 * READS_PER_S <= data["line_iops"] <= 1.02 * READS_PER_S
    assert sum(holds(device, data["ci95"][0]) for _ in range(FRESH_TRIALS)) >= FRESH_TRIALS - 1
    assert sum(holds(device, 1.15 * data["line_iops"]) for _ in range(FRESH_TRIALS)) <= 1


def holds(device: str, rate: float) -> bool:
    """Whether a fresh trial at that rate keeps the objective."""
    _, data = told("io", device, "--rate", f"{rate:.1f}", "--runtime", "4s")
    return data["latency_us"]["p99"] <= 50_000


def test_past_the_page_cache_there_is_no_cache(device: str) -> None:
    status, data = told("io", device, "--runtime", "3s", "--check", "cache")
    assert cached(data)["passed"] is True, cached(data)
    assert cached(data)["reason"].startswith("no cache")
    assert status == 0
    assert data["direct"] is True


def test_with_the_page_cache_in_between_the_verdict_is_cached(device: str) -> None:
    status, data = told("io", device, "--runtime", "3s", "--no-direct", "--check", "cache")
    assert cached(data)["passed"] is False, cached(data)
    assert cached(data)["figures"]["reread_speedup"] > 10
    assert status == 1
    assert data["direct"] is False
