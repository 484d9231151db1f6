"""Which counters become which class, on each version; and what is said of what is not counted."""

from __future__ import annotations

import pytest

from demand_snapshots import database, row, snapshot
from plimsoll.demand import classes
from plimsoll.demand.deltas import Delta, difference
from plimsoll.facts import IoCounters

KIB = 1024


def delta(io: tuple[IoCounters, ...] = (), **totals: float) -> Delta:
    """Everything happened within two seconds."""
    named = {name.replace("__", "."): value for name, value in totals.items()}
    before = snapshot(0, totals=dict.fromkeys(named, 0.0))
    found = difference(before, snapshot(2.0, io, totals=named))
    assert isinstance(found, Delta)
    return found


def test_18_by_the_bytes_of_an_io_and_not_by_its_context() -> None:
    io = (
        row(
            reads=100,
            read_bytes=100 * 8192,
            read_time_ms=20.0,
            writes=10,
            write_bytes=81920,
            extends=2,
            extend_bytes=16384,
        ),
        row("bulkread", reads=8, read_bytes=8 * 128 * KIB),
        row("vacuum", reads=2, read_bytes=2 * 64 * KIB, writes=4, write_bytes=4 * 8192),
        row(backend="checkpointer", writes=30, write_bytes=30 * 8192),
        row(what="wal", writes=40, write_bytes=40 * 16384, write_time_ms=4.0, fsyncs=20, fsync_time_ms=10.0),
        row("init", what="wal", writes=1, write_bytes=16 << 20, fsyncs=1),
        row(what="wal", backend="startup", reads=6, read_bytes=6 * 8192),
        row(what="temp relation", reads=5, read_bytes=5 * 8192, writes=7, write_bytes=7 * 8192),
    )
    found = classes.by_class(delta(io), database(18))
    assert set(found) == set(classes.NAMES)
    assert found["small_read"].ops_per_s == (100 + 6) / 2
    assert found["small_read"].mean_bytes == 8192
    assert found["small_read"].latency_us_mean == pytest.approx(20_000 / 106)
    assert found["large_read"].ops_per_s == (8 + 2) / 2
    assert found["large_read"].bytes_per_s == (8 * 128 * KIB + 2 * 64 * KIB) / 2
    assert found["small_write"].ops_per_s == (10 + 2 + 30 + 4) / 2
    assert found["large_write"].ops_per_s == 1 / 2
    assert found["redo_write"].ops_per_s == 20
    assert found["redo_write"].mean_bytes == 16384
    assert found["redo_write"].syncs_per_s == 10
    assert found["redo_write"].latency_us_mean == 100
    assert found["redo_write"].sync_latency_us_mean == 500
    assert not found["redo_write"].is_forced
    assert (found["temp_read"].ops_per_s, found["temp_write"].ops_per_s) == (2.5, 3.5)


def test_18_a_ring_buffer_that_reads_single_blocks_is_small_and_a_normal_read_of_many_large() -> None:
    io = (row(reads=10, read_bytes=10 * 96 * KIB), row("bulkread", reads=100, read_bytes=100 * 8192))
    found = classes.by_class(delta(io), database(18))
    assert (found["small_read"].ops_per_s, found["large_read"].ops_per_s) == (50, 5)


@pytest.mark.parametrize("major", [16, 17])
def test_16_and_17_know_bytes_of_large_requests_but_not_their_number(major: int) -> None:
    io = (row(reads=100, read_bytes=819200), row("bulkread", reads=64, read_bytes=64 * 8192))
    counted = delta(io, pg_stat_wal__wal_write=10.0, pg_stat_wal__wal_bytes=5000.0, pg_stat_wal__wal_sync=4.0)
    found = classes.by_class(counted, database(major))
    assert found["small_read"].ops_per_s == 50
    assert found["large_read"].ops_per_s is None
    assert found["large_read"].bytes_per_s == 32 * 8192
    assert found["large_write"].ops_per_s == 0
    assert found["redo_write"].ops_per_s == 5
    assert found["redo_write"].syncs_per_s == 2
    assert "large-size-unknown" in [note.code for note in classes.notes(database(major), 0.0)]


@pytest.mark.parametrize("major", [14, 15])
def test_14_and_15_count_blocks_of_all_sizes_together(major: int) -> None:
    totals = {
        "pg_stat_database__blks_read": 200.0,
        "pg_stat_database__blk_read_time": 50.0,
        "pg_stat_bgwriter__buffers_checkpoint": 10.0,
        "pg_stat_bgwriter__buffers_clean": 20.0,
        "pg_stat_bgwriter__buffers_backend": 30.0,
        "pg_stat_wal__wal_write": 10.0,
        "pg_stat_wal__wal_bytes": 5000.0,
        "pg_stat_wal__wal_sync": 4.0,
    }
    found = classes.by_class(delta((), **totals), database(major, direct_io=False))
    assert found["small_read"].ops_per_s == 100
    assert found["small_read"].bytes_per_s == 100 * 8192
    assert found["small_read"].latency_us_mean == 250
    assert found["small_write"].ops_per_s == 30
    assert not {"large_read", "large_write"} & set(found)
    assert found["redo_write"].ops_per_s == 5
    codes = [note.code for note in classes.notes(database(major, direct_io=False), 0.0)]
    assert {"page-cache", "sizes-not-told", "redo-bytes-generated"} <= set(codes)


def test_a_counter_that_the_server_did_not_give_is_unknown_not_zero() -> None:
    found = classes.by_class(delta(), database(15))
    assert found["small_read"].ops_per_s is None
    assert found["small_write"].ops_per_s is None
    assert found["redo_write"].ops_per_s is None


def test_temporary_files_are_written_in_blocks_and_read_unseen() -> None:
    found = classes.by_class(delta(pg_stat_database__temp_bytes=80 * 8192.0), database(18))
    assert found["temp_write"].ops_per_s == 40
    assert found["temp_read"].ops_per_s is None
    assert "temp-files" in [note.code for note in classes.notes(database(18), 1.0)]


def test_without_timing_latency_is_unknown() -> None:
    found = classes.by_class(delta((row(reads=10, read_time_ms=0.0),)), database(18, io_timing=False))
    assert found["small_read"].latency_us_mean is None


@pytest.mark.parametrize(("fsync", "syncs"), [("on", 20.0), ("off", 0.0)])
def test_a_log_opened_for_synchronous_writing_forces_each_write(fsync: str, syncs: float) -> None:
    settings = {"wal_sync_method": "open_datasync", "fsync": fsync}
    io = (row(what="wal", writes=40, write_bytes=40 * 8192, fsyncs=0),)
    redo = classes.by_class(delta(io), database(18, settings=settings))["redo_write"]
    assert (redo.syncs_per_s, redo.is_forced) == (syncs, fsync == "on")
    assert ("fsync-off" in [note.code for note in classes.notes(database(18, settings=settings), 0.0)]) is (
        fsync == "off"
    )


def test_direct_io_needs_no_caveat() -> None:
    assert [note.code for note in classes.notes(database(18), 0.0)] == []
