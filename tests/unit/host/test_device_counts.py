"""The counters of the very device beneath a path, from a tree like sysfs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plimsoll.host.device_counts import counts_beneath

STAT = "  120 3 4800 50 60 1 960 20 0 70 80 0 0 0 0 5 6\n"


@pytest.fixture
def sysfs(tmp_path: Path) -> Path:
    """A disk with a partition, on which `tmp_path` is said to lie."""
    number = tmp_path.stat().st_dev
    disk = tmp_path / "devices" / "disk"
    for folder in (disk / "queue", disk / "disk1"):
        folder.mkdir(parents=True)
    (disk / "disk1" / "partition").write_text("1\n")
    (disk / "disk1" / "stat").write_text(STAT)
    (disk / "queue" / "iostats").write_text("1\n")
    (tmp_path / "dev" / "block").mkdir(parents=True)
    (tmp_path / "dev" / "block" / f"{os.major(number)}:{os.minor(number)}").symlink_to(disk / "disk1")
    return tmp_path


def test_a_partition_has_counters_of_its_own(sysfs: Path) -> None:
    found = counts_beneath(sysfs, sysfs)
    if found is None and os.major(sysfs.stat().st_dev) == 0:
        pytest.skip("the temporary folder lies on no block device")
    assert found is not None
    name, counts = found
    assert name == "disk1"
    assert (counts.reads, counts.read_sectors, counts.writes, counts.write_sectors) == (120, 4800, 60, 960)
    assert counts.flushes == 5


@pytest.mark.parametrize("said", ["", "1 2 three", "1 2 3\n"])
def test_counters_that_make_no_sense_are_unknown(sysfs: Path, said: str) -> None:
    (sysfs / "devices" / "disk" / "disk1" / "stat").write_text(said)
    assert counts_beneath(sysfs, sysfs) is None


def test_a_device_that_is_told_not_to_count_is_unknown(sysfs: Path) -> None:
    """All its counters stand still: that is no proof that nothing reached it."""
    (sysfs / "devices" / "disk" / "queue" / "iostats").write_text("0\n")
    assert counts_beneath(sysfs, sysfs) is None


def test_where_no_device_is_beneath_nothing_is_counted() -> None:
    assert counts_beneath(Path("/proc/self/stat")) is None
    assert counts_beneath(Path("/nowhere")) is None
