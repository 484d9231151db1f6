"""Objects of a PostgreSQL against the server's own views, asked by SQL of these tests, after accesses that are known."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from databases_fixture import BEFORE_16, DEBIAN_15, PARENT, context
from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases import CountsObjects, ObjectsLook, embedded, open_database
from plimsoll.demand.deltas import Delta, difference
from plimsoll.facts import Inventory, StorageObject
from plimsoll.flows import place_objects
from plimsoll.flows.place_objects import objects_of_database
from plimsoll.placement.objects.postgres import LOG, TEMPORARY, Host, inventory

pytestmark = pytest.mark.slow

_ROWS = 60_000
_SEEN_S_MAX = 120.0
_WIDE = "repeat('x', 300)"
_SCHEMA = "placed"
_OWN = """
select relname as name, heap_blks_read as heap_read, heap_blks_hit as heap_hit, coalesce(idx_blks_read, 0) as index_read,
    coalesce(toast_blks_read, 0) as toast_read
from pg_statio_user_tables where schemaname = 'placed'
"""


@pytest.fixture(scope="module", params=["server_16", "server_18"])
def server(request: pytest.FixtureRequest) -> embedded.Server:
    """16, which counts blocks, and 18, which counts requests, each with tables of its own."""
    server: embedded.Server = request.getfixturevalue(request.param)
    with _connected(server) as session:
        session.execute(f"drop schema if exists {_SCHEMA} cascade; create schema {_SCHEMA}".encode())
        session.execute(
            f"create table placed.scanned as select i, {_WIDE} as wide from generate_series(1, {_ROWS}) i".encode()
        )
        session.execute(
            f"create table placed.fetched as select i, {_WIDE} as wide from generate_series(1, {_ROWS}) i".encode()
        )
        session.execute("create unique index fetched_key on placed.fetched (i)")
        session.execute("create table placed.parted (i int, wide text) partition by range (i)")
        session.execute(
            "create table placed.parted_low partition of placed.parted for values from (0) to (30000)"
        )
        session.execute(
            f"insert into placed.parted select i, {_WIDE} from generate_series(1, 20000) i".encode()
        )
        session.execute("create table placed.long (i int, words text)")
        session.execute("alter table placed.long alter words set storage external")
        session.execute("insert into placed.long select i, repeat('y', 20000) from generate_series(1, 200) i")
        session.execute(
            f"create table placed.mixed as select i, {_WIDE} as wide from generate_series(1, {_ROWS}) i".encode()
        )
        session.execute("create unique index mixed_key on placed.mixed (i)")
        session.execute("create table placed.grown (i int, wide text)")
        session.execute("alter table placed.grown set (autovacuum_enabled = off)")
        session.execute("vacuum analyze")
        session.execute("checkpoint")
    return server


@contextmanager
def _connected(server: embedded.Server) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(server.url, autocommit=True) as session:
        yield session


class Looked:
    """Two looks, what the server's views said beside them, and what was made of it."""

    def __init__(self, ctx: Context, server: embedded.Server) -> None:
        with open_database(ctx, server.url) as connection, _connected(server) as session:
            assert isinstance(connection, CountsObjects)
            before, own_before = connection.objects(), _own(session)
            _work(session)
            after, own_after = _settled(connection), _own(session)
            delta = difference(before.snapshot, after.snapshot)
            assert isinstance(delta, Delta), delta
            self.before, self.after, self.delta = before, after, delta
            self.own = {
                name: {key: own_after[name][key] - own_before[name][key] for key in own_after[name]}
                for name in own_after
            }
            self.sizes = dict(
                session.execute(
                    "select relname, pg_relation_size(oid) from pg_class where relnamespace = 'placed'::regnamespace"
                ).fetchall()
            )
            self.database = connection.database
            self.major = connection.database.version_number // 10000
            self.inventory: Inventory = inventory(
                connection.database, before, after, delta, 0.25, Host(0.5, 4.0)
            )
            self.objects = {one.name: one for one in self.inventory.objects}

    def __getitem__(self, name: str) -> StorageObject:
        return self.objects[f"{_SCHEMA}.{name}"]


def _own(session: psycopg.Connection[Any]) -> dict[str, dict[str, int]]:
    """What the server's views say, flushed."""
    session.execute("select pg_stat_force_next_flush()")
    with session.cursor(row_factory=dict_row) as cursor:
        return {row.pop("name"): row for row in cursor.execute(_OWN).fetchall()}


def _work(session: psycopg.Connection[Any]) -> None:
    session.execute("set max_parallel_workers_per_gather = 0")
    session.execute("select count(*) from placed.scanned where wide > ''")
    session.execute("set enable_seqscan = off; set enable_bitmapscan = off")
    for number in range(1, _ROWS, 97):
        session.execute("select wide from placed.fetched where i = %s", (number,), prepare=True)
        if number % 3 == 0:
            session.execute("select wide from placed.mixed where i = %s", (number,), prepare=True)
    session.execute("reset enable_seqscan; reset enable_bitmapscan")
    session.execute("select count(*) from placed.mixed where wide > ''")
    session.execute("select sum(length(words)) from placed.long")
    session.execute(f"insert into placed.grown select i, {_WIDE} from generate_series(1, 20000) i".encode())
    session.execute("set work_mem = '64kB'")
    session.execute(
        "select count(*) from (select wide, i from placed.scanned order by wide, i offset 1) sorted"
    )
    session.execute("checkpoint")
    session.execute("select pg_stat_force_next_flush()")


def _settled(connection: CountsObjects) -> ObjectsLook:
    """A look once sessions and the checkpointer have handed in what they counted."""
    time.sleep(1.5)
    return connection.objects()


@pytest.fixture(scope="module")
def looked(server: embedded.Server, tmp_path_factory: pytest.TempPathFactory) -> Looked:
    """One watch for all tests of a server."""
    with context(tmp_path_factory.mktemp("journal")) as (ctx, _):
        return Looked(ctx, server)


def _blocks(one: StorageObject) -> float:
    """Blocks that small and large reads of it are."""
    assert one.small_reads is not None
    assert one.large_reads is not None
    return one.small_reads + one.large_reads * (one.large_read_bytes_mean or 0.0) / 8192


def test_relations_are_units_with_kind_parent_and_size(looked: Looked) -> None:
    kinds = {name: (one.kind, one.parent) for name, one in looked.objects.items()}
    assert kinds["placed.scanned"] == ("table", None)
    assert kinds["placed.fetched_key"] == ("index", "placed.fetched")
    assert kinds["placed.parted_low"] == ("partition", "placed.parted")
    assert "placed.parted" not in kinds
    toast = next(
        one for one in looked.inventory.objects if one.kind == "toast" and one.parent == "placed.long"
    )
    assert toast.size_bytes is not None
    assert toast.size_bytes > 200 * 20_000
    assert (
        looked.sizes["scanned"] <= (looked["scanned"].size_bytes or 0) <= looked.sizes["scanned"] + 5 * 8192
    )
    assert looked["scanned"].tier == "pg_default"
    assert looked.objects[LOG].kind == "wal"
    assert (looked.objects[LOG].size_bytes or 0) >= 16 << 20
    assert looked.objects[TEMPORARY].kind == "temp"


def test_reads_are_those_of_the_servers_views(looked: Looked) -> None:
    assert looked.own["scanned"]["heap_read"] > 2_000
    assert looked.own["fetched"]["index_read"] > 0
    assert _blocks(looked["scanned"]) == pytest.approx(looked.own["scanned"]["heap_read"], rel=0.01)
    assert _blocks(looked["fetched"]) == pytest.approx(looked.own["fetched"]["heap_read"], rel=0.01)
    assert looked["fetched_key"].small_reads == looked.own["fetched"]["index_read"]
    toast = next(
        one for one in looked.inventory.objects if one.kind == "toast" and one.parent == "placed.long"
    )
    # The view leaves out the index of a TOAST table, which is part of the unit.
    assert _blocks(toast) >= looked.own["long"]["toast_read"] > 0
    hits, reads = looked.own["fetched"]["heap_hit"], looked.own["fetched"]["heap_read"]
    assert looked["fetched"].hit_share == pytest.approx(hits / (hits + reads), abs=0.01)


def test_scans_and_fetches_are_told_apart(looked: Looked) -> None:
    scanned, fetched = looked["scanned"], looked["fetched"]
    assert (scanned.large_reads or 0) * (scanned.large_read_bytes_mean or 0) / 8192 > 0.99 * looked.own[
        "scanned"
    ]["heap_read"]
    assert fetched.small_reads == pytest.approx(looked.own["fetched"]["heap_read"], rel=0.01)
    assert fetched.large_reads == 0


def test_a_table_that_was_both_scanned_and_fetched_lies_between_bounds(looked: Looked) -> None:
    mixed, blocks = looked["mixed"], looked.sizes["mixed"] / 8192
    bounds = {bound.count: bound for bound in mixed.bounds}
    read = looked.own["mixed"]["heap_read"]
    assert bounds["small_reads"].low <= read - blocks <= (bounds["small_reads"].high or 0)
    large = blocks / (mixed.large_read_bytes_mean or 0) * 8192
    assert bounds["large_reads"].low <= large <= (bounds["large_reads"].high or 0) + 1
    if looked.major >= 16:  # Its scans have a row of pg_stat_io of their own.
        assert mixed.large_reads == pytest.approx(large, rel=0.1)
    else:
        assert mixed.large_reads is None


def test_seconds_are_blocks_times_the_servers_time_of_a_block(looked: Looked) -> None:
    rows = [
        row
        for row in looked.delta.io
        if row.object == "relation" and row.backend in ("client backend", "background worker")
    ]
    read_ms = sum(row.read_time_ms or 0 for row in rows)
    assert read_ms > 0
    # A scan of a table that is larger than a quarter of the cache has a row of its own.
    is_ring = looked.sizes["scanned"] > (looked.inventory.cache_bytes or 0) / 4
    own = [row for row in rows if (row.context == "bulkread") == is_ring] if looked.major >= 16 else rows
    block_s = (
        sum(row.read_time_ms or 0 for row in own) / 1000 / (sum(row.read_bytes or 0 for row in own) / 8192)
    )
    assert is_ring
    assert looked["scanned"].read_s == pytest.approx(looked.own["scanned"]["heap_read"] * block_s, rel=0.01)
    every = sum(one.read_s or 0.0 for one in looked.inventory.objects)
    assert every <= read_ms / 1000 * 1.05


def test_the_unseen_share_is_what_no_object_read(looked: Looked) -> None:
    rows = [row for row in looked.delta.io if row.object == "relation"]
    every = sum(row.read_bytes or 0 for row in rows) / 8192
    # Background reads, such as those of autovacuum, are among the blocks of relations but are no session's reads.
    of_objects = sum(one.blocks_read for one in looked.after.relations if not one.is_catalog) - sum(
        one.blocks_read for one in looked.before.relations if not one.is_catalog
    )
    share = {one.count: one.share for one in looked.inventory.unseen}["small_reads"]
    assert share == pytest.approx(max(0.0, 1 - of_objects / every), abs=0.01)
    assert share is not None
    assert share < 0.2


def test_writes_are_bounded_by_the_servers(looked: Looked) -> None:
    grown = looked["grown"]
    bounds = {bound.count: bound for bound in grown.bounds}
    rows = [row for row in looked.delta.io if row.object == "relation"]
    written = sum((row.write_bytes or 0) + (row.extend_bytes or 0) for row in rows) / 8192
    high = sum((bounds[name].high or 0.0) for name in ("small_writes", "background_writes") if name in bounds)
    assert high == pytest.approx(written, rel=0.01)
    estimated = (grown.small_writes or 0.0) + (grown.background_writes or 0.0)
    assert looked.sizes["grown"] / 8192 * 0.9 < estimated <= high


def test_temporary_files_and_the_log_are_units(looked: Looked) -> None:
    temp, log = looked.objects[TEMPORARY], looked.objects[LOG]
    written = looked.delta.totals["pg_stat_database.temp_bytes"] or 0.0
    assert written > 1 << 20
    assert temp.write_bytes is not None
    assert temp.write_bytes >= written
    assert temp.small_reads is None
    assert "without pg_stat_statements" in temp.evidence
    assert log.write_bytes == pytest.approx(looked.delta.totals["pg_wal.written_bytes"])
    assert (log.small_writes or 0.0) >= 1
    assert log.write_s is not None


def test_the_interval_and_its_host(looked: Looked) -> None:
    found = looked.inventory
    assert found.interval_s == pytest.approx(looked.delta.duration_s)
    assert (found.cpu_busy_share, found.cpus, found.cache_bytes) == (0.5, 4.0, 16 << 20)
    assert found.db_time_s is not None
    assert found.db_time_s > 0
    assert found.foreground_io_wait_s is not None
    assert found.foreground_io_wait_s > 0


def test_a_page_cache_beneath_is_said_where_there_is_one(looked: Looked) -> None:
    expected = 0.0 if looked.database.direct_io else 0.25
    assert looked["scanned"].cached_share == expected


def test_the_flow_watches_a_server_of_this_host(ctx: Context, server: embedded.Server) -> None:
    found = objects_of_database(ctx, server.url, 1.0)
    assert {"placed.scanned", "placed.fetched_key", LOG, TEMPORARY} <= {one.name for one in found.objects}
    assert found.interval_s == pytest.approx(1.0, abs=0.5)
    assert found.cpu_busy_share is not None
    assert 0 < found.cpu_busy_share <= 1
    assert found.cpus is not None
    assert found.cpus >= 1


def test_a_reset_between_the_looks_is_a_gap(
    ctx: Context, server: embedded.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reset(*_: object) -> None:
        with _connected(server) as session:
            session.execute("select pg_stat_reset_shared('bgwriter')")

    monkeypatch.setattr(place_objects, "collect", reset)
    with pytest.raises(WorldError) as caught:
        objects_of_database(ctx, server.url, 1.0)
    assert caught.value.id == "objects-gap"
    assert "pg_stat_bgwriter were reset" in caught.value.message


@pytest.fixture(scope="module")
def server_with_statements(tmp_path_factory: pytest.TempPathFactory) -> Iterator[embedded.Server]:
    """15 with pg_stat_statements in a schema of its own."""
    if not (DEBIAN_15 / "postgres").is_file():
        pytest.skip(f"no postgresql 15 in {DEBIAN_15}: install Debian's package postgresql")
    settings = {**BEFORE_16, "shared_preload_libraries": "pg_stat_statements"}
    with (
        context(tmp_path_factory.mktemp("journal")) as (made, _),
        embedded.running(made, PARENT, settings, DEBIAN_15) as server,
    ):
        with _connected(server) as session:
            session.execute('create schema "odd name"; create extension pg_stat_statements schema "odd name"')
            session.execute(
                f"create table sorted as select i, {_WIDE} as wide from generate_series(1, {_ROWS}) i".encode()
            )
        yield server


def test_reads_of_temporary_files_are_those_of_pg_stat_statements(
    ctx: Context, server_with_statements: embedded.Server
) -> None:
    count = 'select sum(temp_blks_read), sum(temp_blks_written) from "odd name".pg_stat_statements(false)'
    with (
        open_database(ctx, server_with_statements.url) as connection,
        _connected(server_with_statements) as session,
    ):
        assert isinstance(connection, CountsObjects)
        (first_read, first_written), before = (
            session.execute(count).fetchone() or (0, 0),
            connection.objects(),
        )
        session.execute("set work_mem = '64kB'")
        session.execute("select count(*) from (select wide, i from sorted order by wide, i offset 1) ordered")
        (last_read, last_written), after = session.execute(count).fetchone() or (0, 0), _settled(connection)
        delta = difference(before.snapshot, after.snapshot)
        assert isinstance(delta, Delta), delta
        found = inventory(connection.database, before, after, delta, None, Host())
    temp = next(one for one in found.objects if one.name == TEMPORARY)
    assert last_read > first_read
    assert temp.small_reads == last_read - first_read
    assert temp.write_bytes is not None
    # The server counts the lengths of files, and statements each block that was written.
    assert temp.write_bytes <= (last_written - first_written) * 8192
    assert temp.write_bytes > 1 << 20
    table = next(one for one in found.objects if one.name == "public.sorted")
    assert (table.large_reads or 0) > 0
    assert "named by the statements" in table.evidence
    assert found.foreground_io_wait_s is None


def test_waits_for_reads_are_seen_with_their_relation(ctx: Context, server_18: embedded.Server) -> None:
    """Scans of a table larger than the cache's ring wait for it, and for nothing else of this database."""
    with _connected(server_18) as session, open_database(ctx, server_18.url) as connection:
        assert isinstance(connection, CountsObjects)
        session.execute("drop table if exists waited")
        session.execute(
            f"create table waited as select i, {_WIDE} as wide from generate_series(1, {_ROWS}) i".encode()
        )
        session.execute("vacuum waited")
        oid = (session.execute("select 'waited'::regclass::oid").fetchone() or (0,))[0]
        with connection.watch_read_waits() as watch:
            assert watch is not None
            end = time.monotonic() + _SEEN_S_MAX
            while sum(watch.waits.by_relation.values()) < 3 and time.monotonic() < end:
                session.execute("select count(*) from waited where wide > ''")
        waits = watch.waits
        session.execute("drop table waited")
    assert waits.problem is None
    assert waits.moments >= 3
    assert set(waits.by_relation) == {oid}


def test_nobody_waits_for_what_was_read_ahead_and_is_done(ctx: Context, server_18: embedded.Server) -> None:
    """A nested loop: blocks of the outer table lie ready, while the session waits for the inner one's, read one by one."""
    with _connected(server_18) as session, open_database(ctx, server_18.url) as connection:
        assert isinstance(connection, CountsObjects)
        session.execute("drop table if exists ahead, behind")
        session.execute(f"create table ahead as select i from generate_series(1, {10 * _ROWS}) i".encode())
        session.execute(
            f"create table behind as select i, {_WIDE} as wide from generate_series(1, {_ROWS}) i".encode()
        )
        session.execute("create index behind_key on behind (i)")
        session.execute("vacuum analyze ahead, behind")
        session.execute("set enable_hashjoin = off; set enable_mergejoin = off; set enable_memoize = off")
        session.execute("set enable_seqscan = on; set max_parallel_workers_per_gather = 0")
        names = dict(
            session.execute(
                "select oid::int8, relname from pg_class where relname in ('ahead', 'behind', 'behind_key')"
            ).fetchall()
        )
        with connection.watch_read_waits() as watch:
            assert watch is not None
            end = time.monotonic() + _SEEN_S_MAX
            while sum(watch.waits.by_relation.values()) < 60 and time.monotonic() < end:
                session.execute(
                    f"select count(behind.wide) from ahead join behind on behind.i = (ahead.i::int8 * 7919 % {_ROWS})::int".encode()
                )
        waits = {names[oid]: seen for oid, seen in watch.waits.by_relation.items()}
        session.execute("drop table ahead, behind")
    assert sum(waits.values()) >= 20
    assert waits.get("behind", 0.0) + waits.get("behind_key", 0.0) > 4.0 * waits.get("ahead", 0.0)


def test_before_18_no_server_shows_what_is_waited_for(ctx: Context, server_16: embedded.Server) -> None:
    with open_database(ctx, server_16.url) as connection:
        assert isinstance(connection, CountsObjects)
        with connection.watch_read_waits() as watch:
            assert watch is None
