"""Three loop devices that the kernel throttles to 2,000 reads per second each: together they give 6,000, whatever the machine.

It runs as root and only when it is named: `.venv/bin/pytest -m system tests/system/test_throttled_ladder.py`.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from command import document, plimsoll
from loop_device import Loop
from throttled import throttled

READS_PER_S = 2000
MIB = 1 << 20
MEMORY = Path("/dev/shm")
pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Loop]]:
    if os.geteuid() != 0:
        pytest.skip("loop devices and control groups are for root")
    folder = MEMORY if MEMORY.is_dir() else tmp_path_factory.mktemp("loops")
    with ExitStack() as stack:
        made = []
        for number in range(3):
            file = folder / f"plimsoll-ladder-{os.getpid()}-{number}.dat"
            file.write_bytes(random.Random(number).randbytes(64 * MIB))
            stack.callback(file.unlink)
            made.append(Loop(file, "--read-only"))
            stack.callback(made[-1].detach)
        stack.enter_context(throttled([str(loop.path) for loop in made], READS_PER_S))
        yield made


def test_throttled_devices_add_up(loops: list[Loop]) -> None:
    """In four seconds the throttle lets 200 reads too many through at most."""
    names = [str(loop.path) for loop in loops]
    words = ("--ladder", "--small-depth", "8", "--large-depth", "0", "--runtime", "4s", "--json")
    done = plimsoll("calibrate", *names, *words, timeout_s=300.0)
    (curve,) = document(done)["data"]["curves"]
    assert [one["rate"] for one in curve["alone"]] == pytest.approx([READS_PER_S] * 3, rel=0.03)
    assert [step["rate"] for step in curve["steps"]] == pytest.approx([2000, 4000, 6000], rel=0.03)
    assert curve["steps"][-1]["linearity"] == pytest.approx(1.0, abs=0.03)
    assert curve["flat_from"] is None
