"""What is made of two looks at a PostgreSQL whose counters are known: bounds, guesses, units and what is unseen."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from plimsoll.databases import ObjectsLook, ReadWaits, RelationLook
from plimsoll.databases._postgres_objects import ServerLook, StatementCount, StatementsLook
from plimsoll.demand.deltas import Delta
from plimsoll.facts import Database, Inventory, IoCounters, Snapshot, StorageObject
from plimsoll.placement.objects.postgres import LOG, TEMPORARY, Host, inventory

BLOCK = 8192
COUNTERS = (
    "blocks_read", "blocks_hit", "scans", "rows_fetched", "rows_inserted", "rows_updated", "rows_hot_updated", "rows_deleted",
    "maintenance_runs",
)  # fmt: skip
BEGIN = datetime(2024, 5, 1, 10, tzinfo=UTC)
SECONDS = 60.0


def relation(oid: int, name: str, relkind: str = "r", blocks: int = 1000, **known: Any) -> RelationLook:
    """A relation of so many blocks that did nothing but what is given."""
    zero: dict[str, Any] = dict.fromkeys(COUNTERS, 0)
    owner: dict[str, Any] = {
        "owner_oid": None,
        "owner_schema_name": None,
        "owner_name": None,
        "whole_schema_name": None,
        "whole_name": None,
    }
    place = {
        "schema_name": "shop",
        "is_partition": False,
        "is_catalog": False,
        "tablespace_name": "pg_default",
    }
    return RelationLook(
        oid=oid, name=name, relkind=relkind, size_bytes=blocks * BLOCK, **(zero | owner | place | known)
    )


def look(
    *relations: RelationLook, seconds: float = 0.0, statements: StatementsLook | None = None, **server: Any
) -> ObjectsLook:
    """All of it at a moment."""
    snapshot = Snapshot(
        taken_at=BEGIN + timedelta(seconds=seconds), clock_offset_s=0.0, clock_offset_error_s=0.0, started_at=BEGIN,
        system_identifier="1", resets={}, totals={}, io=(),
    )  # fmt: skip
    known: dict[str, Any] = {
        "own_blocks_read": 0, "own_rows_changed": 0, "rows_changed": 0, "active_ms": 0.0, "tablespace_name": "pg_default",
        "temp_tablespaces": "", "log_bytes": 1 << 30, "temp_file_bytes": 0,
    }  # fmt: skip
    return ObjectsLook(snapshot, relations, ServerLook(**(known | server)), statements)


def reads(backend: str, context: str, blocks: float, requests: float, ms: float) -> IoCounters:
    """A row of pg_stat_io."""
    return IoCounters(
        backend=backend,
        object="relation",
        context=context,
        reads=int(requests),
        read_bytes=int(blocks * BLOCK),
        read_time_ms=ms,
    )


def made(
    *relations: RelationLook,
    version: int = 180004,
    io: tuple[IoCounters, ...] = (),
    totals: dict[str, float | None] | None = None,
    before: ObjectsLook | None = None,
    after: ObjectsLook | None = None,
    waits: ReadWaits | None = None,
    os_cached_share: float | None = None,
    direct_io: bool = True,
    **settings: str,
) -> Inventory:
    """The inventory of these relations, which had done nothing before."""
    database = Database(
        kind="postgresql", version="18.4", version_number=version, location="here", name="shop", block_bytes=BLOCK,
        direct_io=direct_io, io_timing=True,
        settings={"shared_buffers": "128MB", "track_wal_io_timing": "on", "wal_sync_method": "fdatasync", **settings},
    )  # fmt: skip
    idle = tuple(replace(one, **dict.fromkeys(COUNTERS, 0)) for one in relations)
    first = before or look(*idle)
    last = after or look(*relations, seconds=SECONDS, own_rows_changed=10, rows_changed=10)
    delta = Delta(SECONDS, totals or {"pg_stat_database.temp_bytes": 0.0, "pg_wal.written_bytes": 5e6}, io)
    return inventory(database, first, last, delta, os_cached_share, Host(), waits)


def named(found: Inventory, name: str) -> StorageObject:
    """One of its objects."""
    return next(one for one in found.objects if one.name == name)


def bound(one: StorageObject, count: str) -> tuple[float, float | None]:
    """Its bound of a count."""
    return next((bound.low, bound.high) for bound in one.bounds if bound.count == count)


def test_a_table_that_was_only_scanned_and_one_that_was_only_fetched_are_exact() -> None:
    scanned = relation(1, "scanned", blocks=1024, blocks_read=1024, scans=1)
    fetched = relation(2, "fetched", blocks_read=800, rows_fetched=900)
    io = (
        reads("client backend", "normal", 1024, 64, 50.0),
        reads("client backend", "normal", 800, 800, 400.0),
    )
    found = made(scanned, fetched, io=io)
    one, other = named(found, "shop.scanned"), named(found, "shop.fetched")
    assert (one.small_reads, one.large_reads, one.large_read_bytes_mean) == (0, 64, 131_072)
    assert (other.small_reads, other.large_reads) == (800, 0)
    # A request takes as long as any other, 864 of them 450 ms: a scan's blocks come 16 at a time.
    assert one.read_s == pytest.approx(64 * 0.450 / 864)
    assert other.read_s == pytest.approx(800 * 0.450 / 864)


def ring_and_others() -> tuple[RelationLook, ...]:
    """A table of a quarter of the cache and a block, which scans read through a ring; others by an index and by bitmaps."""
    large = relation(1, "large", blocks=4097, blocks_read=8000, scans=2, blocks_hit=194)
    fetched = relation(2, "fetched", blocks_read=600)
    key = relation(
        3, "key", "i", owner_oid=2, owner_schema_name="shop", owner_name="fetched", rows_fetched=600
    )
    mapped = relation(4, "mapped", blocks_read=400, rows_fetched=4000)
    return large, fetched, key, mapped


def test_reads_through_a_ring_take_what_their_row_says() -> None:
    io = (
        reads("client backend", "bulkread", 8000, 800, 800.0),
        reads("client backend", "normal", 1000, 640, 1920.0),
    )
    found = made(*ring_and_others(), io=io)
    large, fetched, mapped = (named(found, f"shop.{name}") for name in ("large", "fetched", "mapped"))
    assert (large.small_reads, large.large_reads) == (0, 800)
    assert large.large_read_bytes_mean == 10 * BLOCK
    assert large.read_s == pytest.approx(0.8)
    # 1,000 blocks in 640 requests are 400 in 40 requests of 10; each of the 640 took 3 ms.
    assert (fetched.small_reads, fetched.large_reads) == (600, 0)
    assert fetched.read_s == pytest.approx(1.8)
    assert (mapped.small_reads, mapped.large_reads) == (pytest.approx(0.0), pytest.approx(40))
    assert mapped.read_s == pytest.approx(0.12)
    assert bound(mapped, "small_reads") == (0, 400)


def test_blocks_of_17_have_a_time_by_row_as_well() -> None:
    io = (
        reads("client backend", "bulkread", 8000, 8000, 800.0),
        reads("client backend", "normal", 1000, 1000, 3000.0),
    )
    found = made(*ring_and_others(), version=170004, io=io)
    assert named(found, "shop.large").read_s == pytest.approx(0.8)
    assert named(found, "shop.fetched").read_s == pytest.approx(1.8)


def test_seconds_of_all_relations_are_never_more_than_was_counted() -> None:
    # The ring read more than a scan of the table can have: the rest was of another database.
    io = (
        reads("client backend", "bulkread", 500, 50, 50.0),
        reads("client backend", "normal", 8500, 8500, 8500.0),
    )
    found = made(*ring_and_others(), io=io)
    assert sum(one.read_s or 0.0 for one in found.objects) <= 8.55 + 1e-9


def test_between_the_bounds_the_servers_large_reads_decide() -> None:
    both = relation(1, "both", blocks_read=1000, scans=5, rows_fetched=900)
    io = (reads("client backend", "normal", 1000, 400, 100.0),)
    one = named(made(both, io=io), "shop.both")
    assert bound(one, "small_reads") == (0, 900)
    assert bound(one, "large_reads") == (100 / 16, 1000 / 16)
    assert one.small_reads == pytest.approx(360)
    assert one.large_reads == pytest.approx(40)


def test_rows_that_indexes_fetched_are_the_tables() -> None:
    both = relation(1, "both", blocks_read=1000, scans=5)
    key = relation(
        2, "both_key", "i", owner_oid=1, owner_schema_name="shop", owner_name="both", rows_fetched=900
    )
    io = (reads("client backend", "normal", 1000, 400, 100.0),)
    one = named(made(both, key, io=io), "shop.both")
    assert bound(one, "small_reads") == (0, 900)
    assert "900 rows by index" in one.evidence


def test_before_18_bounds_are_all_that_is_known() -> None:
    both = relation(1, "both", blocks_read=1000, scans=5, rows_fetched=900)
    one = named(
        made(both, version=160009, io=(reads("client backend", "normal", 1000, 1000, 100.0),)), "shop.both"
    )
    assert one.small_reads is None
    assert bound(one, "small_reads") == (0, 900)


def test_requests_of_18_and_blocks_of_16_give_the_same_seconds() -> None:
    scanned = relation(1, "scanned", blocks_read=1000, scans=1)
    found = [
        named(
            made(scanned, version=version, io=(reads("client backend", "bulkread", 1000, requests, 50.0),)),
            "shop.scanned",
        ).read_s
        for version, requests in ((180004, 62.5), (160009, 1000))
    ]
    assert found == [pytest.approx(0.05), pytest.approx(0.05)]


def test_vacuum_reads_for_nobody() -> None:
    maintained = relation(1, "maintained", blocks_read=500, rows_fetched=500, maintenance_runs=1)
    io = (
        reads("client backend", "normal", 200, 200, 20.0),
        reads("autovacuum worker", "vacuum", 300, 300, 900.0),
    )
    one = named(made(maintained, io=io), "shop.maintained")
    assert one.small_reads == 200
    assert one.read_s == pytest.approx(200 * 0.020 / 200)


def two_tables() -> tuple[RelationLook, RelationLook]:
    """As many blocks of each, fetched by an index."""
    return (
        relation(1, "far", blocks_read=600, rows_fetched=600),
        relation(2, "near", blocks_read=600, rows_fetched=600),
    )


TWO_TABLES_IO = (reads("client backend", "normal", 1200, 1200, 4_000.0),)


def test_what_sessions_were_seen_waiting_for_shares_out_the_seconds() -> None:
    seen = ReadWaits(moments=600, by_relation={1: 30.0, 2: 6.0, 77: 2.0}, elsewhere=2.0)
    few = made(*two_tables(), io=TWO_TABLES_IO, waits=seen)
    assert [named(few, f"shop.{name}").read_s for name in ("far", "near")] == pytest.approx([2.0, 2.0])
    assert "waits for a read" not in named(few, "shop.far").evidence
    seen = ReadWaits(moments=600, by_relation={1: 300.0, 2: 60.0, 77: 20.0}, elsewhere=20.0)
    many = made(*two_tables(), io=TWO_TABLES_IO, waits=seen)
    assert [named(many, f"shop.{name}").read_s for name in ("far", "near")] == pytest.approx([3.0, 0.6])
    assert "of 400 waits for a read that were seen, 300 were for it" in named(many, "shop.far").evidence


def test_an_object_that_nobody_was_seen_waiting_for_has_no_seconds() -> None:
    seen = ReadWaits(moments=600, by_relation={2: 400.0})
    found = made(*two_tables(), io=TWO_TABLES_IO, waits=seen)
    assert [named(found, f"shop.{name}").read_s for name in ("far", "near")] == pytest.approx([0.0, 4.0])


@pytest.mark.parametrize(
    ("seen", "direct_io", "of_each", "of_all"),
    [(400.0, False, None, 0.4), (40.0, False, 0.4, None), (400.0, True, 0.0, None)],
)
def test_seconds_of_each_or_one_share_for_all_tell_what_the_systems_cache_answers(
    seen: float, direct_io: bool, of_each: float | None, of_all: float | None
) -> None:
    waits = ReadWaits(moments=6000, by_relation={1: seen})
    found = made(*two_tables(), io=TWO_TABLES_IO, waits=waits, os_cached_share=0.4, direct_io=direct_io)
    assert found.cached_read_share == of_all
    assert [named(found, f"shop.{name}").cached_share for name in ("far", "near")] == [of_each, of_each]


@pytest.mark.parametrize(("moments", "is_said"), [(6000, False), (4900, False), (4000, True), (9000, True)])
def test_waits_that_were_seen_are_held_against_the_time_that_was_counted(moments: int, is_said: bool) -> None:
    """400 of 6000 moments in a minute are the four seconds that the server counted."""
    seen = ReadWaits(moments=moments, by_relation={1: 400.0})
    found = made(*two_tables(), io=TWO_TABLES_IO, waits=seen)
    assert ("waits-differ" in {note.code for note in found.notes}) == is_said


def test_waits_that_could_not_be_looked_at_are_said_and_not_taken_for_none() -> None:
    seen = ReadWaits(moments=0, by_relation={}, problem="permission denied for view pg_aios")
    found = made(*two_tables(), io=TWO_TABLES_IO, waits=seen)
    (said,) = [note.message for note in found.notes if note.code == "waits-unseen"]
    assert "permission denied for view pg_aios" in said
    assert [named(found, f"shop.{name}").read_s for name in ("far", "near")] == pytest.approx([2.0, 2.0])


def test_the_index_of_a_toast_table_is_part_of_it() -> None:
    table = relation(1, "t", blocks_read=1, rows_fetched=1)
    toast = relation(
        2,
        "pg_toast_1",
        "t",
        blocks=100,
        blocks_read=50,
        owner_oid=1,
        owner_schema_name="shop",
        owner_name="t",
    )
    index = relation(
        3,
        "pg_toast_1_index",
        "i",
        blocks=10,
        blocks_read=5,
        owner_oid=2,
        owner_schema_name="pg_toast",
        owner_name="pg_toast_1",
    )
    seen = ReadWaits(moments=600, by_relation={1: 100.0, 2: 250.0, 3: 50.0})
    found = made(table, toast, index, io=(reads("client backend", "normal", 56, 56, 4_000.0),), waits=seen)
    assert {one.name for one in found.objects} == {"shop.t", "shop.pg_toast_1", TEMPORARY, LOG}
    one = named(found, "shop.pg_toast_1")
    assert one.read_s == pytest.approx(3.0)
    assert (one.kind, one.parent, one.small_reads, one.size_bytes) == ("toast", "shop.t", 55, 110 * BLOCK)


def test_catalogs_and_other_databases_are_the_unseen_share() -> None:
    own = relation(1, "own", blocks_read=600, rows_fetched=600)
    catalog = relation(2, "pg_class", blocks_read=100, rows_fetched=100, is_catalog=True)
    found = made(own, catalog, io=(reads("client backend", "normal", 1000, 1000, 10.0),))
    assert "shop.pg_class" not in {one.name for one in found.objects}
    assert {one.count: one.share for one in found.unseen}["small_reads"] == pytest.approx(0.4)
    assert "100 were of this database's catalogs and 300 of other databases" in found.notes[0].message


def test_writes_go_by_what_can_have_been_dirtied() -> None:
    hot = relation(1, "hot", blocks=1, rows_updated=100_000, rows_hot_updated=100_000)
    wide = relation(2, "wide", blocks=1000, rows_inserted=999)
    key = relation(3, "hot_key", "i", owner_oid=1, owner_schema_name="shop", owner_name="hot")
    io = (
        IoCounters(
            backend="checkpointer", object="relation", context="normal", writes=1000, write_bytes=1000 * BLOCK
        ),
    )
    found = made(hot, wide, key, io=io)
    assert named(found, "shop.hot").background_writes == pytest.approx(1)
    assert named(found, "shop.wide").background_writes == pytest.approx(999)
    assert named(found, "shop.hot_key").background_writes == 0
    assert bound(named(found, "shop.hot"), "background_writes") == (0, 1000)
    assert named(found, "shop.hot").small_writes == 0


def test_writes_of_a_server_whose_changes_are_not_counted_are_no_objects() -> None:
    io = (
        IoCounters(
            backend="checkpointer", object="relation", context="normal", writes=9, write_bytes=9 * BLOCK
        ),
    )
    found = made(relation(1, "t"), io=io, after=look(relation(1, "t"), seconds=SECONDS))
    assert named(found, "shop.t").background_writes is None
    assert "writes-unshared" in {note.code for note in found.notes}


def test_statements_with_most_reads_are_evidence_of_the_tables_that_they_name() -> None:
    orders, other = relation(1, "orders", blocks_read=9, rows_fetched=9), relation(2, "lines")
    twin = relation(3, "lines", schema_name="old")
    most = (
        StatementCount("11", "select * from orders o join shop.lines l on l.i = o.i where o.i = $1", 500),
        StatementCount("12", "select * from orders", 7),
        StatementCount("13", "select * from lines", 90),
        StatementCount("14", "<insufficient privilege>", 70),
    )
    before = look(orders, other, twin, statements=StatementsLook(0, 0, 0, (replace(most[1], blocks_read=7),)))
    after = look(orders, other, twin, seconds=SECONDS, statements=StatementsLook(0, 0, 0, most))
    found = made(before=before, after=after)
    assert named(found, "shop.orders").evidence.endswith("named by the statements 11 of pg_stat_statements")
    assert "statements 11" in named(found, "shop.lines").evidence
    assert "named by" not in named(found, "old.lines").evidence


@pytest.mark.parametrize(("forgotten", "known"), [(3, True), (4, False)])
def test_reads_of_temporary_files_are_those_of_statements(forgotten: int, known: bool) -> None:
    found = made(
        totals={"pg_stat_database.temp_bytes": 800.0 * BLOCK, "pg_wal.written_bytes": 0.0},
        before=look(statements=StatementsLook(100, 100, 3)),
        after=look(
            seconds=SECONDS,
            statements=StatementsLook(900, 900, forgotten),
            temp_file_bytes=4096,
            temp_tablespaces='"fast", slow',
        ),
    )
    temp = named(found, TEMPORARY)
    assert temp.small_reads == (800 if known else None)
    assert temp.small_writes == 800
    assert temp.tier == "fast"
    assert bound(temp, "size_bytes") == (4096, 4096 + 800 * BLOCK)


def test_what_may_not_be_asked_is_not_known() -> None:
    found = made(after=look(seconds=SECONDS, log_bytes=None, temp_file_bytes=None))
    assert named(found, LOG).size_bytes is None
    assert bound(named(found, LOG), "size_bytes") == (0, None)
    assert bound(named(found, TEMPORARY), "size_bytes") == (0, None)


def test_temporary_space_that_nobody_used_takes_none() -> None:
    assert named(made(relation(1, "t")), TEMPORARY).size_bytes == 0


def test_a_table_made_anew_has_gained_all_that_it_has() -> None:
    old, new = (relation(1, "t", blocks_read=blocks, rows_fetched=blocks) for blocks in (500, 20))
    io = (reads("client backend", "normal", 20, 20, 1.0),)
    found = made(before=look(old), after=look(new, seconds=SECONDS), io=io)
    assert named(found, "shop.t").small_reads == 20


def test_small_and_answered_lives_in_the_cache() -> None:
    found = made(relation(1, "codes", blocks=4, blocks_read=4, rows_fetched=900, blocks_hit=900))
    assert named(found, "shop.codes").lives_in_cache is True
    assert found.cache_bytes == 128 << 20


def test_time_of_sessions_and_of_their_waits() -> None:
    io = (
        reads("client backend", "normal", 10, 10, 300.0),
        reads("autovacuum worker", "vacuum", 10, 10, 9_000.0),
        IoCounters(
            backend="client backend",
            object="wal",
            context="normal",
            writes=4,
            write_time_ms=100.0,
            fsyncs=4,
            fsync_time_ms=600.0,
        ),
        IoCounters(
            backend="walwriter",
            object="wal",
            context="normal",
            writes=2,
            write_time_ms=5.0,
            fsyncs=2,
            fsync_time_ms=50.0,
        ),
    )
    found = made(relation(1, "t"), io=io, after=look(relation(1, "t"), seconds=SECONDS, active_ms=2_500.0))
    assert found.db_time_s == 2.5
    assert found.foreground_io_wait_s == pytest.approx(1.0)
    log = named(found, LOG)
    assert (log.small_writes, log.background_writes, log.write_s) == (4, 2, pytest.approx(0.7))


def test_before_16_totals_of_the_server_have_to_do() -> None:
    totals: dict[str, float | None] = {
        "pg_stat_database.blks_read": 400.0, "pg_stat_database.blk_read_time": 200.0, "pg_stat_database.temp_bytes": 0.0,
        "pg_stat_bgwriter.buffers_backend": 5.0, "pg_stat_bgwriter.buffers_checkpoint": 20.0, "pg_stat_bgwriter.buffers_clean": 5.0,
        "pg_stat_wal.wal_sync": 7.0, "pg_stat_wal.wal_write_time": 10.0, "pg_stat_wal.wal_sync_time": 90.0,
        "pg_wal.written_bytes": 1.0,
    }  # fmt: skip
    found = made(
        relation(1, "t", blocks_read=200, rows_fetched=200, rows_inserted=50), version=150006, totals=totals
    )
    one, log = named(found, "shop.t"), named(found, LOG)
    assert one.read_s == pytest.approx(0.1)
    assert (one.small_writes, one.background_writes) == (5, 25)
    assert (log.small_writes, log.background_writes, log.write_s) == (7, None, pytest.approx(0.1))
    assert found.foreground_io_wait_s is None
