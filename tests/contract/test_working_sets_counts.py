"""Working sets held against the counters of a loop device: a set is read once whole, and a cache that holds it answers the rest."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from device_counts import check_each
from loop_device import Loop
from plimsoll.facts import Run
from plimsoll.flows.calibrate_working_sets import measure_working_sets
from plimsoll.requests.calibrate import CalibrateRequest
from simulated import context

MIB = 1 << 20
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may set up a loop device")


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    file = tmp_path / "file"
    file.write_bytes(random.Random(1).randbytes(64 * MIB))
    made = Loop(file)
    yield made
    made.detach()


def measured(folder: Path, loop: Loop, direct: bool) -> Run:
    asked = CalibrateRequest(
        (str(loop.path),),
        working_sets=(4 * MIB, 16 * MIB),
        repeats=2,
        duration_s=0.2,
        engine="psync",
        small_depth=2,
        direct=direct,
    )
    with context(folder / "journals") as ctx:
        return measure_working_sets(ctx, asked)


def test_past_the_page_cache_every_read_is_the_devices(tmp_path: Path, loop: Loop) -> None:
    assert len(check_each(measured(tmp_path, loop, direct=True))) == 2


def test_the_page_cache_keeps_what_was_read_once_until_it_is_measured(tmp_path: Path, loop: Loop) -> None:
    """The kernel forgets a block device's pages when the last one closes it, and each measurement opens and closes it."""
    # Others may look at the device for a moment, as udev does, or have the kernel drop its caches: one quiet try of three.
    tries = [device_reads(measured(tmp_path / str(number), loop, direct=False)) for number in range(3)]
    assert min(tries) < 20, tries


def device_reads(found: Run) -> int:
    """The most reads that the device counted within a set's measurement."""
    assert found.working_sets is not None
    counted = [one.cell.at_devices for one in found.working_sets.sets]
    assert all(one is not None and one.reads > 100 for one in counted), counted
    return max(one.device_reads for one in counted if one is not None)
