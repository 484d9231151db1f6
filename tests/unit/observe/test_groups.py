"""Rows put together: nothing is lost, and nothing is there twice."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import facts_watch
from plimsoll.facts import WatchedCall, WatchedIo, WatchedSize
from plimsoll.facts.watch import WatchWord, counted_once
from plimsoll.native.latency import latency, latency_of_counts
from plimsoll.observe import tally as module
from plimsoll.observe.groups import call_groups_of, groups_of
from plimsoll.observe.seen_twice import SeenTwice
from plimsoll.observe.tally import Tally
from seen_io import block_io

WORDS: tuple[WatchWord, ...] = ("role", "database", "tablespace", "file", "device", "cgroup")
ASKED = [by for number in range(1, len(WORDS) + 1) for by in itertools.combinations(WORDS, number)]
FILES = [
    ("/data/base/5/1", "inode", 11),
    (None, "inode", 12),
    (None, "unknown", None),
    (None, "device", None),
]


@st.composite
def rows(draw: st.DrawFn) -> list[WatchedIo]:
    """Some of them seen twice, as on a loop device and on the disk beneath."""
    made = []
    for _ in range(draw(st.integers(1, 12))):
        file, kind, inode = draw(st.sampled_from(FILES))
        ios, moved = draw(st.integers(1, 500)), draw(st.integers(0, 10**9))
        device = draw(st.sampled_from(["sda", "sdb", "loop0"]))
        timed = draw(st.integers(0, ios))
        counts = [(draw(st.sampled_from([90.0, 400.0, 7_000.0])), timed)] if timed else []
        made.append(
            facts_watch.row(
                role=draw(st.sampled_from(["checkpointer", "client backend", "kernel"])),
                database=draw(st.sampled_from([None, "none", "shop", "OID 5 of /srv"])),
                tablespace=draw(st.sampled_from([None, "pg_default", "fast"])),
                cgroup=draw(st.sampled_from([None, "none", "/", "/db.slice"])),
                device=device,
                above=("sda",) if device == "loop0" else (),
                is_again=draw(st.booleans()) if device == "loop0" else False,
                file=file,
                file_kind=kind,
                inode_number=inode,
                operation=draw(st.sampled_from(["read", "write", "flush", "flush-request"])),
                ios=ios,
                bytes=moved,
                errors=draw(st.integers(0, ios)),
                sizes=(WatchedSize(bytes_max=draw(st.sampled_from([4_096, 8_192, None])), ios=ios),),
                queue_us_mean=draw(st.sampled_from([None, 3.0, 9.0])),
                latency_us=latency_of_counts(counts)
                if counts
                else facts_watch.row().latency_us.but(
                    count=0,
                    hdr=None,
                    mean=None,
                    min=None,
                    max=None,
                    stddev=None,
                    p50=None,
                    p90=None,
                    p99=None,
                ),
            )
        )
    return made


def sizes_of(found: Sequence[object]) -> Counter[int | None]:
    counted: Counter[int | None] = Counter()
    for one in found:
        for size in one.sizes:  # type: ignore[attr-defined]
            counted[size.bytes_max] += size.ios
    return counted


@settings(max_examples=60, deadline=None)
@given(rows(), st.sampled_from(ASKED))
def test_every_io_byte_and_time_is_in_one_group(seen: list[WatchedIo], by: tuple[WatchWord, ...]) -> None:
    found = groups_of(seen, by, 30.0)
    once = counted_once(seen)
    for whole, parts in ((seen, found), (once, [one for one in found if not one.is_again])):
        for name in ("ios", "bytes", "errors"):
            assert sum(getattr(one, name) for one in parts) == sum(getattr(row, name) for row in whole), name
        assert sum(one.rows for one in parts) == len(whole)
        assert sizes_of(parts) == sizes_of(whole)
        assert sum(one.mb_per_s for one in parts) == pytest.approx(sum(row.mb_per_s for row in whole))
        timed = [row.latency_us.hdr for row in whole if row.latency_us.hdr is not None]
        merged = [one.latency_us.hdr for one in parts if one.latency_us.hdr is not None]
        assert sum(one.latency_us.count for one in parts) == sum(row.latency_us.count for row in whole)
        if timed:
            assert latency(merged).but(hdr=None) == latency(timed).but(hdr=None)
    names = (
        "role",
        "database",
        "tablespace",
        "file",
        "file_kind",
        "inode_number",
        "device",
        "cgroup",
        "operation",
        "is_again",
    )
    assert len({tuple(getattr(one, name) for name in names) for one in found}) == len(found)


@settings(max_examples=40, deadline=None)
@given(rows())
def test_a_coarser_group_is_the_sum_of_finer_ones(seen: list[WatchedIo]) -> None:
    fine, coarse = groups_of(seen, ("role", "database"), 30.0), groups_of(seen, ("database",), 30.0)
    of_database: Counter[tuple[object, ...]] = Counter()
    for one in fine:
        of_database[one.database, one.operation, one.is_again] += one.ios
    assert of_database == {(one.database, one.operation, one.is_again): one.ios for one in coarse}


def test_groups_have_what_was_asked_for_and_nothing_else() -> None:
    (one,) = groups_of([facts_watch.row(database="shop")], ("database",), 30.0)
    told = (one.role, one.database, one.tablespace, one.file, one.file_kind, one.device, one.cgroup)
    assert told == (None, "shop", None, None, None, None, None)


def test_files_without_a_name_are_told_apart_by_their_disk() -> None:
    nameless = {"file": None, "inode_number": 7}
    found = groups_of(
        [facts_watch.row(**nameless), facts_watch.row(device="sdb", **nameless)], ("file",), 30.0
    )
    assert {(one.inode_number, one.device) for one in found} == {(7, "sda"), (7, "sdb")}


def test_a_wait_that_is_known_of_too_few_is_not_told() -> None:
    known, unknown = facts_watch.row(ios=98), facts_watch.row(ios=2, queue_us_mean=None)
    assert [one.queue_us_mean for one in groups_of([known, unknown], ("role",), 30.0)] == [None]
    longer = facts_watch.row(ios=98, queue_us_mean=24.0)
    assert [one.queue_us_mean for one in groups_of([known, longer], ("role",), 30.0)] == [18.0]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.builds(
            lambda role, database, operation, file, calls: facts_watch.call(
                role=role, database=database, operation=operation, file=file, calls=calls
            ),
            st.sampled_from(["client backend", "fio"]),
            st.sampled_from([None, "none", "shop"]),
            st.sampled_from(["read", "write"]),
            st.sampled_from([None, "/a"]),
            st.integers(10, 1_000),
        ),
        min_size=1,
        max_size=10,
    ),
    st.sampled_from([by for by in ASKED if "device" not in by]),
)
def test_every_call_is_in_one_group(seen: list[WatchedCall], by: tuple[WatchWord, ...]) -> None:
    found = call_groups_of(seen, by, 30.0)
    for name in ("calls", "bytes", "errors"):
        assert sum(getattr(one, name) for one in found) == sum(getattr(row, name) for row in seen)
    assert sum(one.latency_us.count for one in found) == sum(row.latency_us.count for row in seen)


def test_rows_that_were_added_up_keep_what_they_belong_to() -> None:
    tally = Tally()
    tally.add(
        [
            block_io(database=name, cgroup="/a", ios=ios)
            for name, ios in (("shop", 3), ("crm", 5), ("shop", 4))
        ]
    )
    assert {row.database: row.ios for row in tally.rows(1.0, SeenTwice(False, False))} == {
        "shop": 7,
        "crm": 5,
    }


def test_rows_beyond_those_that_are_told_apart_keep_it_as_long_as_there_is_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "ROWS_MAX", 1)
    monkeypatch.setattr(module, "BELONGS_MAX", 2)
    tally = Tally()
    tally.add([block_io(database=name, ios=10) for name in ("a", "b", "c", "d", "b")])
    found = [(row.role, row.database, row.ios) for row in tally.rows(1.0, SeenTwice(False, False))]
    assert sorted(found, key=str) == [
        ("client backend", "a", 10),
        ("others", "b", 20),
        ("others", None, 20),
    ]
    assert tally.folded == 40
