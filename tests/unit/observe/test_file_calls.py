"""Calls of files as rows, added up, and what of them came from the page cache."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from plimsoll.facts import WatchedCall
from plimsoll.native import call_probe
from plimsoll.observe import cached_reads, file_calls
from plimsoll.observe.block_io import BlockIo
from plimsoll.observe.file_calls import FileCall, FileCalls
from plimsoll.observe.open_files import FileNumber, OpenFiles
from plimsoll.observe.tally import Wanted
from seen_calls import DISK, CallsProbe, called
from seen_io import block_io

READER = Wanted(roles=("reader",))


def named(rows: Sequence[FileCall]) -> Sequence[FileCall]:
    """All of them are of one table."""
    return [row.of_relation("public.orders", "/data/base/5/16384") for row in rows]


def seen(
    *readings: Sequence[dict[str, Any]], ios: Sequence[BlockIo] = (), lost: Sequence[int] = (), **given: Any
) -> FileCalls:
    """The I/Os were seen at the first look."""
    calls = FileCalls(cast("call_probe.CallProbe", CallsProbe([], *readings, lost=lost)), **given)
    calls.begin()
    for number in range(len(readings)):
        calls.cut()
        calls.look(list, () if number else ios)
    return calls


def facts(calls: FileCalls, are_whole: bool = True) -> tuple[WatchedCall, ...]:
    return calls.facts(10.0, are_whole)


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """All files are /data, on ext4."""
    monkeypatch.setattr(OpenFiles, "name", lambda *_: "/data")
    monkeypatch.setattr(OpenFiles, "file_system", lambda *_: "ext4")


def at_disk(ios: int, **given: Any) -> BlockIo:
    """Reads of 8 KiB of the file that `called` reads."""
    fields = {"file": "/data", "number": FileNumber(DISK, 7), "operation": "read"}
    return block_io(ios=ios, bytes=8_192 * ios, **{**fields, **given})


@pytest.mark.usefixtures("on_disk")
@pytest.mark.parametrize(("from_disk", "share"), [(0, 1.0), (20, 0.8), (300, 0.0)])
def test_what_came_from_no_disk_came_from_the_cache(from_disk: int, share: float) -> None:
    rows = [called(calls=60), called(owner_pid=9, command="other", calls=40)]
    found = facts(seen(rows, ios=[at_disk(from_disk)] if from_disk else []))
    assert [row.cached_share for row in found] == pytest.approx([share, share])


@pytest.mark.usefixtures("on_disk")
def test_beside_direct_reads_of_a_file_nobody_knows_what_disks_gave_the_cache() -> None:
    rows = [called(calls=90), called(is_direct=True, calls=10), called(inode=8, calls=5)]
    found = facts(seen(rows, ios=[at_disk(30)]))
    assert {(row.inode_number, row.is_direct): row.cached_share for row in found} == {
        (7, False): None,
        (7, True): None,
        (8, False): 1.0,
    }


@pytest.mark.usefixtures("on_disk")
@pytest.mark.parametrize(
    ("ios", "share"),
    [
        ([at_disk(4, device="loop0", above=("vda",))], 0.6),
        ([at_disk(4, device="nvme0n1", above=("nvme0c0n1",)), at_disk(4, device="nvme0c0n1")], 0.6),
        ([at_disk(4, number=FileNumber((8, 2), 7))], 1.0),
        ([at_disk(4, operation="write")], 1.0),
    ],
    ids=["on-a-loop-device", "at-two-disks", "of-another-file", "written"],
)
def test_what_was_read_of_a_file_is_counted_once_wherever_it_lies(ios: list[BlockIo], share: float) -> None:
    assert [row.cached_share for row in facts(seen([called()], ios=ios))] == pytest.approx([share])


@pytest.mark.usefixtures("on_disk")
def test_what_disks_gave_counts_also_where_nobody_knew_its_name_or_asked_for_its_role() -> None:
    ios = [at_disk(3, file=None), at_disk(4, role="other")]
    (row,) = facts(seen([called(), called(owner_pid=9, command="other")], ios=ios, wanted=READER))
    assert (row.role, row.cached_share) == ("reader", pytest.approx(0.65))


@pytest.mark.usefixtures("on_disk")
@pytest.mark.parametrize("given", [{"operation": "write"}, {"operation": "flush"}, {"is_direct": True}])
def test_of_writes_flushes_and_direct_reads_no_cache_is_told(given: dict[str, Any]) -> None:
    assert [row.cached_share for row in facts(seen([called(**given)]))] == [None]


@pytest.mark.usefixtures("on_disk")
@pytest.mark.parametrize("kind", ["nfs4", "tmpfs", "btrfs", "squashfs", "fuseblk", None])
def test_no_cache_is_told_of_files_whose_pages_no_disk_is_known_to_give(
    monkeypatch: pytest.MonkeyPatch, kind: str | None
) -> None:
    monkeypatch.setattr(OpenFiles, "file_system", lambda *_: kind)
    assert [row.cached_share for row in facts(seen([called()]))] == [None]


@pytest.mark.usefixtures("on_disk")
def test_nothing_is_told_of_the_cache_where_something_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [row.cached_share for row in facts(seen([called()]))] == [1.0]
    assert [row.cached_share for row in facts(seen([called()]), are_whole=False)] == [None]
    assert [row.cached_share for row in facts(seen([called()], lost=[0, 1]))] == [None]
    monkeypatch.setattr(cached_reads, "FILES_MAX", 1)
    assert [row.cached_share for row in facts(seen([called(), called(inode=8)]))] == [None, None]
    monkeypatch.setattr(OpenFiles, "name", lambda *_: None)
    assert [row.cached_share for row in facts(seen([called()]))] == [None]


@pytest.mark.usefixtures("on_disk")
def test_only_what_is_asked_for_is_there() -> None:
    rows = [called(), called(owner_pid=9, command="writer")]
    assert [row.role for row in facts(seen(rows, wanted=Wanted(roles=("writer",))))] == ["writer"]
    assert len(facts(seen(rows, wanted=Wanted(files=("dat",))))) == 2
    assert facts(seen(rows, wanted=Wanted(files=("pg_wal",)))) == ()


def test_segments_of_a_relation_are_one_row() -> None:
    calls = FileCalls(cast("call_probe.CallProbe", CallsProbe([], [called(), called(inode=8)])))
    calls.begin()
    calls.look(named)
    (row,) = facts(calls)
    assert (row.relation, row.file, row.inode_number, row.calls) == (
        "public.orders",
        "/data/base/5/16384",
        None,
        20,
    )


@pytest.mark.usefixtures("on_disk")
def test_a_file_whose_relation_is_known_at_the_end_alone_joins_its_rows_and_keeps_its_share() -> None:
    calls = FileCalls(cast("call_probe.CallProbe", CallsProbe([], [called()], [called(inode=8)])))
    calls.begin()
    calls.look(list, [at_disk(5)])
    calls.look(named)
    calls.name_relations(lambda path, inode: ("public.orders", "/data/base/5/16384") if inode == 7 else None)
    (row,) = facts(calls)
    assert (row.relation, row.inode_number, row.calls) == ("public.orders", None, 20)
    assert row.cached_share == pytest.approx(0.75)


def test_more_rows_than_are_told_apart_are_one_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_calls, "ROWS_MAX", 2)
    calls = seen([called(inode=number) for number in range(5)])
    assert sorted((row.role, row.calls) for row in facts(calls)) == [
        ("others", 30),
        ("reader", 10),
        ("reader", 10),
    ]
    assert calls.folded == 30


def test_a_file_that_the_process_has_open_goes_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "orders"
    with path.open("wb") as file:
        about = path.stat()
        device = (os.major(about.st_dev), os.minor(about.st_dev))
        row = called(owner_pid=os.getpid(), inode=about.st_ino, file_device=device)
        (found,) = facts(seen([row]))
        assert file.writable()
    assert found.file == str(path)
