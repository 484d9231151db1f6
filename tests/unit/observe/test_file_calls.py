"""Calls of files as rows, added up, and what of them came from the page cache."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from facts_watch import row as io_row
from plimsoll.facts import WatchedCall
from plimsoll.native import call_probe
from plimsoll.native.latency import latency_of_counts
from plimsoll.observe import file_calls
from plimsoll.observe.file_calls import FileCall, FileCalls
from plimsoll.observe.tally import Wanted

DISK = (8, 1)


class Probe:
    """What a probe would tell, one reading after the other."""

    def __init__(self, *readings: Sequence[dict[str, Any]], lost: Sequence[int] = ()) -> None:
        self._readings = list(readings)
        self._lost = list(lost) or [0] * (len(readings) + 1)

    def cut(self) -> None:
        """Each reading ends by itself."""

    def read(self) -> tuple[Sequence[dict[str, Any]], dict[str, int]]:
        counts = {"lost_threads": 0, "lost_rows": self._lost.pop(0)}
        return self._readings.pop(0) if self._readings else [], counts


def called(**given: Any) -> dict[str, Any]:
    """What is not given is of a process that reads 8 KiB at a time, and has ended."""
    calls = given.get("calls", 10)
    fields: dict[str, Any] = {
        "owner_pid": 2**22 + 1,
        "owner_started_ns": 5,
        "command": "reader",
        "operation": "read",
        "file_device": DISK,
        "inode": 7,
        "is_direct": False,
        "is_synchronous": False,
        "is_disk": False,
        "calls": calls,
        "bytes": 8_192 * calls,
        "errors": 0,
        "total_ns": 1_000 * calls,
        "latency_hdr": latency_of_counts([(100.0, calls)]).hdr,
    }
    return {**fields, **given}


def named(rows: Sequence[FileCall]) -> Sequence[FileCall]:
    """All of them are of one table."""
    return [row.of_relation("public.orders", "/data/base/5/16384") for row in rows]


def seen(*readings: Sequence[dict[str, Any]], **given: Any) -> FileCalls:
    calls = FileCalls(cast("call_probe.CallProbe", Probe([], *readings)), **given)
    calls.begin()
    for _ in readings:
        calls.cut()
        calls.look(list)
    return calls


def facts(calls: FileCalls, *ios: Any, are_whole: bool = True) -> tuple[WatchedCall, ...]:
    return calls.facts(10.0, ios, are_whole)


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """All files are /data."""
    monkeypatch.setattr(file_calls.OpenFiles, "name", lambda *_: "/data")


def test_readings_are_added_up_by_role_file_and_kind() -> None:
    other = called(owner_pid=2**22 + 2, calls=5)
    (writes, reads) = facts(
        seen(
            [
                called(),
                called(operation="write", calls=3, errors=1, latency_hdr=latency_of_counts([(900.0, 3)]).hdr),
            ],
            [other],
        )
    )
    assert (reads.calls, reads.bytes, reads.processes, reads.inode_number) == (15, 15 * 8_192, 2, 7)
    assert (reads.calls_per_s, reads.size_bytes_mean, reads.latency_us.count) == (1.5, 8_192, 15)
    assert (writes.operation, writes.errors, writes.size_bytes_mean) == ("write", 1, 3 * 8_192 / 2)


def test_what_was_called_before_the_begin_is_left_out() -> None:
    calls = FileCalls(cast("call_probe.CallProbe", Probe([called()], [called(calls=2)], lost=[4, 6])))
    calls.begin()
    calls.look(list)
    assert [row.calls for row in facts(calls)] == [2]
    assert calls.lost == 2


@pytest.mark.usefixtures("on_disk")
@pytest.mark.parametrize(
    ("from_disk", "directly", "share"),
    [(0, 0, 1.0), (20, 0, 0.8), (300, 0, 0.0), (30, 10, 0.8), (5, 10, 1.0)],
)
def test_what_came_from_no_disk_came_from_the_cache(from_disk: int, directly: int, share: float) -> None:
    rows = [called(calls=60), called(owner_pid=9, command="other", calls=40)]
    if directly:
        rows.append(called(is_direct=True, calls=directly))
    ios = [io_row(operation="read", file="/data", inode_number=7, ios=from_disk, is_again=False)]
    found = facts(seen(rows), *(ios if from_disk else []))
    assert [row.cached_share for row in found if not row.is_direct] == pytest.approx([share, share])
    assert [row.cached_share for row in found if row.is_direct] == [None] * bool(directly)


@pytest.mark.usefixtures("on_disk")
def test_of_what_is_seen_at_two_disks_the_lower_counts_and_of_others_nothing() -> None:
    again = io_row(operation="read", file="/data", inode_number=7, ios=8, is_again=True)
    other = io_row(operation="read", file="/other", inode_number=7, ios=8, is_again=False)
    assert [row.cached_share for row in facts(seen([called()]), again, other)] == [1.0]


@pytest.mark.usefixtures("on_disk")
@pytest.mark.parametrize("given", [{"operation": "write"}, {"file_device": (0, 44)}, {"is_direct": True}])
def test_of_writes_servers_and_direct_reads_no_cache_is_told(given: dict[str, Any]) -> None:
    assert [row.cached_share for row in facts(seen([called(**given)]))] == [None]


def test_nothing_is_told_of_the_cache_where_the_file_has_no_name_or_ios_are_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert [row.cached_share for row in facts(seen([called()]))] == [None]
    monkeypatch.setattr(file_calls.OpenFiles, "name", lambda *_: "/data")
    assert [row.cached_share for row in facts(seen([called()]), are_whole=False)] == [None]


@pytest.mark.usefixtures("on_disk")
def test_only_what_is_asked_for_is_there() -> None:
    rows = [called(), called(owner_pid=9, command="writer")]
    assert [row.role for row in facts(seen(rows, wanted=Wanted(roles=("writer",))))] == ["writer"]
    assert len(facts(seen(rows, wanted=Wanted(files=("dat",))))) == 2
    assert facts(seen(rows, wanted=Wanted(files=("pg_wal",)))) == ()


def test_segments_of_a_relation_are_one_row() -> None:
    calls = FileCalls(cast("call_probe.CallProbe", Probe([], [called(), called(inode=8)])))
    calls.begin()
    calls.look(named)
    (row,) = facts(calls)
    assert (row.relation, row.file, row.inode_number, row.calls) == (
        "public.orders",
        "/data/base/5/16384",
        None,
        20,
    )


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
