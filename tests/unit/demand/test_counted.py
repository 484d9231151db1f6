"""Sums of counts over a span: what one interval does not tell is unknown of all of them, and never too small a sum."""

from __future__ import annotations

from typing import Any

from demand_snapshots import database, row, snapshot
from plimsoll.demand.counted import Counted
from plimsoll.demand.deltas import Delta, difference
from plimsoll.facts import Database, IoCounters

COMMITS = "pg_stat_database.xact_commit"
READ_TIME = "pg_stat_database.blk_read_time"
LOG_TIME = "pg_stat_wal.wal_write_time"


def gained(io: tuple[IoCounters, ...] = (), **totals: float | None) -> Delta:
    """What an interval of a minute that began with nothing counted, so that counts are gains."""
    named = {f"pg_stat_database.{name}": value for name, value in totals.items()}
    zeros: dict[str, float | None] = {name: None if value is None else 0.0 for name, value in named.items()}
    found = difference(snapshot(0, totals=zeros), snapshot(60, io, totals=named))
    assert isinstance(found, Delta)
    return found


def summed(*parts: tuple[Delta, Database]) -> Counted:
    counted = Counted()
    for delta, of in parts:
        counted.add(delta, of)
    return counted


def reads(count: int, **more: Any) -> IoCounters:
    return row(reads=count, read_bytes=8192 * count, read_time_ms=0.5 * count, **more)


def test_counts_of_all_intervals_are_added() -> None:
    found = summed((gained(xact_commit=3.0), database()), (gained(xact_commit=4.0), database()))
    assert found.totals[COMMITS] == 7.0


def test_a_count_that_one_interval_lacks_is_unknown_of_all() -> None:
    with_it, without = gained(xact_commit=3.0), gained()
    unknown = gained(xact_commit=None)
    for order in ((with_it, without), (without, with_it), (with_it, unknown, with_it)):
        assert COMMITS not in summed(*((one, database()) for one in order)).totals


def test_rows_of_io_are_added_and_one_that_is_absent_was_zero() -> None:
    first = gained((reads(10), reads(1, backend="checkpointer")))
    second = gained((reads(5), reads(2, context="vacuum")))
    found = {(one.backend, one.context): one for one in summed((first, database()), (second, database())).io}
    assert {key: one.reads for key, one in found.items()} == {
        ("client backend", "normal"): 15, ("checkpointer", "normal"): 1, ("client backend", "vacuum"): 2,
    }  # fmt: skip
    assert found["client backend", "normal"].read_time_ms == 7.5
    assert found["client backend", "normal"].writes is None


def test_an_interval_without_timing_leaves_all_of_the_times_unknown() -> None:
    log = row(what="wal", writes=4, write_time_ms=8.0)
    one = gained((reads(10), log), blk_read_time=5.0)
    found = summed((one, database()), (one, database(io_timing=False)))
    assert READ_TIME not in found.totals
    assert {row.object: (row.reads, row.read_time_ms, row.write_time_ms) for row in found.io} == {
        "relation": (20, None, None),
        "wal": (None, None, 16.0),
    }


def test_the_log_has_a_timing_of_its_own() -> None:
    untimed = database(settings={"track_wal_io_timing": "off"})
    of_log = Delta(60.0, {LOG_TIME: 0.0}, (reads(1), row(what="wal", writes=4, write_time_ms=0.0)))
    found = summed((of_log, untimed))
    assert LOG_TIME not in found.totals
    assert {row.object: (row.read_time_ms, row.write_time_ms) for row in found.io} == {
        "relation": (0.5, None),
        "wal": (None, None),
    }


def test_rows_of_two_releases_are_not_added() -> None:
    """17 counts blocks where 18 counts requests."""
    one = gained((reads(10),), xact_commit=1.0)
    found = summed((one, database(17)), (one, database(18)), (one, database(18)))
    assert found.io == ()
    assert found.totals[COMMITS] == 3.0
