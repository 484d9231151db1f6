"""A mirror of two laws, measured with both settings and held against what `plimsoll place flash` predicts of it.

What the law says of the requests that were made is exact; what a client sees is never less, on however busy a machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from command import document, plimsoll
from dialled_disk import DialledDisk, dialled
from facts_placement import GIB, inventory, item, tier
from plimsoll.facts import DiskCounters, FlashUse, MirrorSide
from plimsoll.placement.flash.answer import compared
from plimsoll.placement.flash.basis import Offer
from plimsoll.placement.flash.settings import Setup
from plimsoll.placement.scripts.oracle import Server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

BLOCK = 8192
ROUNDING = 0.999
"""Latencies are kept with three digits."""
DISK_US, FLASH_US = 20_000.0, 300.0
LAWS = ("law=constant,mean=20ms,servers=4", "law=constant,mean=300us,servers=4")


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's journal and our store are this test's alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "runs.db"))


def mirrored(reads: str, law: str = LAWS[1]) -> tuple[str, ...]:
    return ("--mirror-law", law, "--mirror-read", reads)


def measured(disk: DialledDisk, rw: str) -> dict[str, Any]:
    words = ("--rw", rw, "--depth", "1", "--engine", "psync", "--runtime", "2s", "--warm-up", "0s", "--json")
    done = plimsoll("io", disk.path, *words, timeout_s=120)
    assert done.returncode in (0, 1), done.stderr
    return document(done)["data"]


def ended(disk: DialledDisk) -> DiskCounters:
    assert disk.ended is not None
    return disk.ended.counters


def predicted(use: str, disk_us: float = DISK_US, flash_us: float = FLASH_US) -> FlashUse:
    """Of a table that is read and written block by block on such a disk, with flash for all of it."""
    table = item("table", 1e6, GIB, small_writes=1e6)
    tiers = (tier("disk", disk_us), tier("flash", flash_us))
    offer = Offer(GIB, None, BLOCK, None, Setup(None, Server(), clustered=False))
    found, _ = compared([inventory(table)], tiers, 1, offer)
    return next(one for one in found.uses if one.use == use)


def read_us(side: MirrorSide) -> float:
    """What the law said of the reads of a side without writes."""
    assert side.latency_us.mean is not None
    return side.latency_us.mean


def test_reads_take_what_the_preferred_side_takes(tmp_path: Path) -> None:
    with dialled(tmp_path / "dial", LAWS[0], words=mirrored("second")) as disk:
        found = measured(disk, "randread")
        counted = disk.requests("read", BLOCK)
    said = predicted("mirror, preferred read").small_read_us
    first, second = ended(disk).sides
    assert found["ios"] == counted > 0
    assert (first.reads, second.reads) == (0, ended(disk).reads)
    assert said == pytest.approx(read_us(second)) == pytest.approx(FLASH_US)
    assert found["latency_us"]["mean"] >= ROUNDING * FLASH_US
    # Half of what the slow side takes at least, however late this machine answers: it was not asked.
    assert found["latency_us"]["p50"] < DISK_US / 2


def test_reads_in_turn_wait_half_of_the_time_for_the_slow_side(tmp_path: Path) -> None:
    with dialled(tmp_path / "dial", LAWS[0], words=mirrored("alternate")) as disk:
        found = measured(disk, "randread")
    said = predicted("mirror, reads in turn").small_read_us
    first, second = ended(disk).sides
    assert abs(first.reads - second.reads) <= 1
    assert (
        said
        == pytest.approx((read_us(first) + read_us(second)) / 2)
        == pytest.approx((DISK_US + FLASH_US) / 2)
    )
    # One read more of the fast side than of the slow one is the most that the window can have.
    slow = (found["ios"] - 1) // 2
    least_us = (slow * DISK_US + (found["ios"] - slow) * FLASH_US) / found["ios"]
    assert found["latency_us"]["mean"] >= ROUNDING * least_us


@pytest.mark.parametrize("reads", ["first", "second", "alternate"])
def test_writes_take_what_the_slower_side_takes_whichever_is_read(tmp_path: Path, reads: str) -> None:
    with dialled(tmp_path / "dial", LAWS[0], words=mirrored(reads)) as disk:
        found = measured(disk, "randwrite")
    said = predicted("mirror, preferred read")
    counters = ended(disk)
    assert counters.writes >= found["ios"] > 0
    assert [side.writes for side in counters.sides] == [counters.writes] * 2
    assert [side.write_bytes for side in counters.sides] == [counters.write_bytes] * 2
    assert said.small_write_us == pytest.approx(DISK_US)
    assert found["latency_us"]["min"] >= ROUNDING * DISK_US


def test_a_write_of_random_times_lies_within_the_bounds_of_the_prediction(tmp_path: Path) -> None:
    """Its mean is a + b - 1 / (1/a + 1/b) for exponential times: with equal means half more than of one side.

    Equal seeds draw equal times, and 25 % are more than three standard errors of the mean of 100 writes.
    """
    law = "law=exponential,mean=5ms"
    with dialled(tmp_path / "dial", law, words=mirrored("first", law)) as disk:
        found = measured(disk, "randwrite")
        counters = disk.counters()
    if counters.writes < 100:
        pytest.skip("the machine was so busy that too few writes were made for a mean")
    said = predicted("mirror, preferred read", 5000.0, 5000.0)
    assert said.small_write_us is not None
    assert said.small_write_us_max is not None
    reads_s = sum(side.reads for side in counters.sides) * 5e-3
    writes_us = (
        (counters.latency_us.mean or 0.0) * (counters.writes + counters.reads) - reads_s * 1e6
    ) / counters.writes
    assert writes_us == pytest.approx(7500.0, rel=0.25)
    assert said.small_write_us < writes_us < said.small_write_us_max
    assert found["latency_us"]["mean"] > said.small_write_us


def test_a_flush_waits_for_both_sides(tmp_path: Path) -> None:
    laws = ("law=constant,mean=100us,flush=1ms", "law=constant,mean=100us,flush=6ms")
    with dialled(tmp_path / "dial", laws[0], words=mirrored("first", laws[1])) as disk:
        words = ("--rw", "log-write", "--runtime", "500ms", "--warm-up", "0s", "--json")
        found = document(plimsoll("io", disk.path, *words, timeout_s=120))["data"]
    assert found["latency_us"]["min"] >= ROUNDING * 6100
    assert all(side.writes > 0 for side in ended(disk).sides)
