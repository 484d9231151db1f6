"""Whether hosts see one thing: never by numbers that files of two machines may have in common."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plimsoll.cluster.sameness import View, all_same, each_sees_all

FILE = View(
    boot="a",
    device=2,
    file_number=12,
    number=0,
    size_bytes=1 << 30,
    modified_ns=9,
    file_system="ext4",
    names=frozenset(),
)
DISK = replace(
    FILE,
    file_number=300,
    number=2064,
    file_system=None,
    names=frozenset({("serial", "S1"), ("WWN", "naa.1")}),
)


def test_files_of_local_file_systems_are_never_one_on_two_machines() -> None:
    assert all_same([FILE, replace(FILE, boot="b")]) is False
    shared = replace(FILE, file_system="nfs4")
    assert all_same([shared, replace(shared, boot="b", device=77)]) is True
    assert all_same([shared, replace(shared, boot="b", file_number=13)]) is False
    assert all_same([shared, replace(shared, boot="b", modified_ns=10)]) is False


def test_on_one_machine_numbers_say_it() -> None:
    assert all_same([FILE, FILE]) is True
    assert all_same([FILE, replace(FILE, device=3)]) is False
    assert all_same([DISK, replace(DISK, file_number=9)]) is True, "nodes of one device"
    assert all_same([DISK, replace(DISK, number=2080)]) is False


def test_disks_are_known_by_what_both_tell() -> None:
    there = replace(DISK, boot="b", number=66, names=frozenset({("WWN", "naa.1"), ("dm-uuid", "mpath-1")}))
    assert all_same([DISK, there]) is True
    assert all_same([DISK, replace(there, names=frozenset({("WWN", "naa.2")}))]) is False
    assert all_same([DISK, replace(there, names=frozenset())]) is None
    assert all_same([DISK, replace(FILE, boot="b")]) is False


def test_links_and_files_behind_loop_devices_say_nothing() -> None:
    said = {"device": 5, "inode": 1, "number": 7, "size_bytes": 0, "modified_ns": 0, "file_system": None}
    loop = View.of({**said, "names": [["file", "/var/disk"], ["by-id", "dm-name-data"]]}, "a")
    assert loop.names == frozenset()
    assert all_same([loop, replace(loop, boot="b")]) is None


def test_what_is_not_there_is_not_the_same() -> None:
    assert all_same([FILE, None]) is False
    assert all_same([None, None]) is False


@pytest.mark.parametrize(
    ("seen", "is_one"), [([[1, 2], [1, 2]], True), ([[1, None], [None, 2]], False), ([[1, 2], [1, 3]], False)]
)
def test_a_folder_is_one_where_each_sees_what_all_made(seen: list[list[int | None]], is_one: bool) -> None:
    views = [[None if inode is None else {"inode": inode, "size_bytes": 1} for inode in own] for own in seen]
    assert each_sees_all(views) is is_one
