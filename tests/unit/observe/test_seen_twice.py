"""Which rows sums leave out."""

from __future__ import annotations

import pytest

from plimsoll.observe.block_io import BlockIo
from plimsoll.observe.seen_twice import SeenTwice
from plimsoll.observe.tally import Tally
from seen_io import block_io

ON_LOOP = block_io(role="fio", device="loop0", above=("sda",), ios=100)
FIOS = block_io(role="fio", device="sda", ios=10)
KERNELS = block_io(role="kernel", pid=None, device="sda", ios=100)
KERNELS_ON_LOOP = block_io(role="kernel", pid=None, device="loop0", above=("sda",), ios=7)
MULTIPATH = block_io(role="fio", device="dm-0", above=("sda", "sdb"), ios=50)


def added_up(twice: SeenTwice, *rows: BlockIo) -> int:
    """I/Os that sums hold."""
    tally = Tally()
    twice.add(rows)
    tally.add(rows)
    return sum(row.ios for row in tally.rows(1.0, twice) if not row.is_again)


def test_of_all_rows_the_lowest_disks_count() -> None:
    assert added_up(SeenTwice(), ON_LOOP, FIOS, KERNELS) == 110


@pytest.mark.parametrize(("roles", "files"), [(True, False), (False, True)])
def test_what_a_role_or_a_file_has_at_two_disks_is_all_its_own(roles: bool, files: bool) -> None:
    """The kernel's I/Os beneath the loop device are not shown."""
    assert added_up(SeenTwice(roles, files), ON_LOOP, FIOS) == 110


def test_rows_of_the_kernel_beneath_a_loop_device_hold_what_is_on_it() -> None:
    assert added_up(SeenTwice(of_some_roles=True), ON_LOOP, KERNELS_ON_LOOP, FIOS, KERNELS) == 110


def test_the_kernels_row_of_another_file_holds_nothing_of_a_loop_device() -> None:
    assert added_up(SeenTwice(of_some_files=True), ON_LOOP, KERNELS) == 200


@pytest.mark.parametrize(("roles", "files"), [(True, False), (False, True)])
def test_of_a_multipath_disk_and_its_ways_the_disk_counts(roles: bool, files: bool) -> None:
    ways = (block_io(role="fio", device="sdb", ios=20), KERNELS)
    assert added_up(SeenTwice(roles, files), MULTIPATH, *ways) == 50
    assert added_up(SeenTwice(roles, files), *ways) == 120, "the disk itself was not asked for"


def test_a_disk_beneath_is_remembered_from_an_earlier_look() -> None:
    twice = SeenTwice(of_some_roles=True)
    assert added_up(twice, KERNELS) == 100
    assert added_up(twice, KERNELS_ON_LOOP) == 0
