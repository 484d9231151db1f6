"""Rows that PostgreSQL counts, against what was done: small caches, statements, tables and indexes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
import pytest

from databases_fixture import BEFORE_16, DEBIAN_15, PARENT, context
from plimsoll.base import limits
from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases import Connection, CountedRows, CountsRows, WaitingSessions, embedded, open_database
from plimsoll.databases.postgres import PostgresConnection
from plimsoll.demand.changed_rows import ChangedRows
from plimsoll.demand.deltas import Gap
from plimsoll.demand.gained_rows import Gained, GainedRow, ends, gained
from plimsoll.demand.row_measures import RELATION_MEASURES, STATEMENT_MEASURES
from plimsoll.demand.server_rows import statements_of
from plimsoll.demand.summed_rows import SummedRows
from plimsoll.facts import KeptRows, KeptRowsKind, Snapshot

STATEMENTS = {**BEFORE_16, "shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.max": "100"}


class Watch:
    """A collector's two snapshots around what a test does."""

    def __init__(self, connection: Connection) -> None:
        assert isinstance(connection, CountsRows)
        self._connection = connection
        self._changes: dict[KeptRowsKind, ChangedRows] = {}
        self._parts: dict[KeptRowsKind, list[KeptRows]] = {}
        self.snapshots: list[Snapshot] = []
        self.rows: dict[KeptRowsKind, CountedRows] = {}
        self.look()

    def look(self) -> None:
        """One more snapshot."""
        snapshot, rows = self._connection.snapshot_with_rows(0)
        self.snapshots.append(snapshot)
        self.rows = {part.kind: part for part in rows}
        for part in rows:
            changes = self._changes.setdefault(part.kind, ChangedRows(part.kind))
            self._parts.setdefault(part.kind, []).append(changes.kept_of(part, snapshot.taken_at))
            changes.confirm()

    def found(self, kind: KeptRowsKind, begin: int = 0, end: int = -1) -> Gained | Gap:
        """What rows gained between two snapshots: the first and the last, if nothing is said."""
        before, after = self.snapshots[begin], self.snapshots[end]
        states = ends(self._parts[kind], before.taken_at, after.taken_at)
        assert states is not None
        return gained(before, after, *states)

    def gains(self, kind: KeptRowsKind, begin: int = 0, end: int = -1) -> tuple[GainedRow, ...]:
        """The same, where it is known."""
        found = self.found(kind, begin, end)
        assert isinstance(found, Gained), found
        return found.rows


@pytest.fixture(scope="module")
def statements_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[embedded.Server]:
    """PostgreSQL 15 with pg_stat_statements, which forgets what does not fit into a hundred."""
    if not (DEBIAN_15 / "postgres").is_file():
        pytest.skip(f"no postgresql 15 in {DEBIAN_15}: install Debian's package postgresql")
    with (
        context(tmp_path_factory.mktemp("journal")) as (made, _),
        embedded.running(made, PARENT, STATEMENTS, DEBIAN_15) as server,
    ):
        _run(server, 'create schema "odd place"', 'create extension pg_stat_statements schema "odd place"')
        yield server


@contextmanager
def _watched(ctx: Context, server: embedded.Server) -> Iterator[Watch]:
    with open_database(ctx, server.url) as connection:
        yield Watch(connection)


def _run(server: embedded.Server, *statements: str) -> list[tuple[Any, ...]]:
    """Rows of the last one; what was done is counted when this returns."""
    with psycopg.connect(server.url, autocommit=True) as session:
        cursor = None
        for statement in statements:
            cursor = session.execute(statement.encode())
        rows = cursor.fetchall() if cursor is not None and cursor.description else []
        if session.info.server_version >= 150000:
            session.execute("select pg_stat_force_next_flush()")
            session.execute("select 1")
        return rows


def test_rows_are_told_by_their_names_as_a_server_has_them(
    ctx: Context, statements_server: embedded.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keys and names that a demand takes out of rows are where this server's query has them."""
    monkeypatch.setattr(limits, "TOP_ROWS", 100)
    server = statements_server
    query = "select count(*) from named where n > 0"
    _run(server, "drop table if exists named", "create table named (n int primary key)", query)
    ((number, database, user, table, index),) = _run(
        server,
        "select queryid::text, dbid::text, userid::text, 'named'::regclass::oid::text, 'named_pkey'::regclass::oid::text"
        f" from \"odd place\".pg_stat_statements where query = '{query.replace('0', '$1')}'",
    )
    with _watched(ctx, server) as watch:
        _run(server, "insert into named select generate_series(1, 99)", query)
        watch.look()
    sums = SummedRows()
    statements = watch.found("statements")
    assert isinstance(statements, Gained)
    sums.add(statements, 1.0)
    (row,) = (row for row in statements_of(sums).rows if row.query_id == number)
    assert (row.database_oid, row.user_oid, row.is_top_level) == (database, user, True)
    assert all((measure(row.gains) or 0.0) >= 0.0 for measure in STATEMENT_MEASURES.values())
    assert STATEMENT_MEASURES["time"](sums.totals_of_all) is not None
    (relation,) = (row for row in watch.gains("relations") if row.key == (index,))
    assert relation.names == ("i", "public", "named_pkey", table)
    assert RELATION_MEASURES["blocks read"](dict(relation.gains)) is not None


def test_small_caches_gain_what_was_done_with_them(ctx: Context, server: embedded.Server) -> None:
    _run(server, "drop table if exists t", "create table t (n int)")
    with _watched(ctx, server) as watch:
        _run(server, "listen told", "notify told, 'x'")
        watch.look()
    row = next(row for row in watch.gains("slru") if row.key[0].lower() == "notify")
    assert (row.gains["blks_zeroed"] or 0) + (row.gains["blks_hit"] or 0) > 0
    assert watch.snapshots[0].resets.keys() == watch.snapshots[1].resets.keys()


def test_a_reset_of_small_caches_costs_their_own_gains_alone(ctx: Context, server: embedded.Server) -> None:
    with _watched(ctx, server) as watch:
        _run(server, "select pg_stat_reset_slru(null)")
        watch.look()
    found = watch.found("slru")
    assert isinstance(found, Gap)
    assert "slru were reset at" in found.reason


def test_statements_gain_calls_time_and_blocks(ctx: Context, statements_server: embedded.Server) -> None:
    server = statements_server
    _run(
        server,
        "drop table if exists t",
        "create table t as select n, repeat('x', 500) w from generate_series(1, 5000) n",
    )
    query = "select count(*) from t where n > 0"
    _run(server, query)
    with _watched(ctx, server) as watch:
        _run(server, *[query] * 3)
        watch.look()
    ((number,),) = _run(
        server,
        f"select queryid::text from \"odd place\".pg_stat_statements where query = '{query.replace('0', '$1')}'",
    )
    (row,) = (row for row in watch.gains("statements") if row.key[2] == number)
    assert row.gains["calls"] == 3
    assert row.gains["rows"] == 3
    assert (row.gains["shared_blks_hit"] or 0) + (row.gains["shared_blks_read"] or 0) >= 3 * 300
    assert (row.gains["exec_us"] or 0) > 0
    assert not row.at_least
    found = watch.found("statements")
    assert isinstance(found, Gained)
    assert found.figures["forgotten"] == 0
    assert (found.figures["all.calls"] or 0) >= 3
    assert not any(query in line for line in watch.rows["statements"].lines)


def test_statements_that_were_forgotten_are_noticed(ctx: Context, statements_server: embedded.Server) -> None:
    server = statements_server
    with _watched(ctx, server) as watch:
        # A statement is another one when it has another shape.
        _run(server, *(f"select {', '.join('1' * length)}" for length in range(1, 121)))
        watch.look()
        found = watch.found("statements")
        _run(server, 'select "odd place".pg_stat_statements_reset()')
        watch.look()
    assert isinstance(found, Gained)
    assert (found.figures["forgotten"] or 0) >= 1
    assert found.figures["all.calls"] is None
    reset = watch.found("statements")
    assert isinstance(reset, Gap)
    assert "statements were reset at" in reset.reason


def test_relations_gain_what_was_done_with_them(ctx: Context, server: embedded.Server) -> None:
    _run(server, 'drop table if exists "a\tb"', 'create table "a\tb" (n int primary key, w text)')
    _run(server, 'alter table "a\tb" set (autovacuum_enabled = off)')
    with _watched(ctx, server) as watch:
        _run(
            server,
            """insert into "a\tb" select n, 'x' from generate_series(1, 1000) n""",
            'update "a\tb" set n = -n where n = 7',
            'delete from "a\tb" where n = 8',
            'select count(*) from "a\tb"',
            "set enable_seqscan = off",
            'select w from "a\tb" where n = 9',
            'vacuum "a\tb"',
        )
        watch.look()
        _run(server, 'drop table "a\tb"')
        watch.look()
        _run(server, "select pg_stat_reset()")
    kind, schema, name, table = 0, 1, 2, 3
    found = watch.gains("relations", 0, 1)
    (heap,) = (row for row in found if row.names[name] == "a\tb")
    (index,) = (row for row in found if row.names[name] == "a\tb_pkey")
    assert (heap.names[kind], heap.names[schema], heap.names[table]) == ("r", "public", None)
    assert (index.names[kind], index.names[table]) == ("i", heap.key[0])
    gains = {name: value for name, value in heap.gains.items() if name.startswith("rows_")}
    assert gains | {"rows_returned": None, "rows_fetched": None} == {
        "rows_inserted": 1000, "rows_updated": 1, "rows_hot_updated": 0, "rows_deleted": 1,
        "rows_returned": None, "rows_fetched": None,
    }  # fmt: skip
    assert (heap.gains["vacuums"], heap.gains["scans"]) == (1, 1)
    assert (index.gains["scans"] or 0) >= 3
    assert (heap.gains["blks_hit"] or 0) >= 1000
    lost = watch.gains("relations", 1, 2)
    assert not any(row.names[name] == "a\tb" for row in lost)


def test_a_reset_costs_the_gains_of_relations(ctx: Context, server: embedded.Server) -> None:
    _run(server, "create table if not exists t (n int)", "insert into t values (1)")
    with _watched(ctx, server) as watch:
        _run(server, "select pg_stat_reset_single_table_counters('t'::regclass)")
        watch.look()
    found = watch.found("relations")
    assert isinstance(found, Gap)
    assert "relations were reset at" in found.reason


def test_each_snapshot_asks_for_the_sizes_of_another_share(
    ctx: Context, server: embedded.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SIZES_AT_ONCE", 100)
    _run(server, "create table if not exists t (n int)", "insert into t values (1)")
    with open_database(ctx, server.url) as connection:
        assert isinstance(connection, CountsRows)
        parts = [connection.snapshot_with_rows(1)[1][-1]]
        shares = int(parts[0].figures["shares"] or 0)
        assert shares >= 3
        parts += [connection.snapshot_with_rows(1 + step)[1][-1] for step in range(1, shares)]
    assert {part.figures["share"] for part in parts} == set(map(float, range(shares)))
    assert max(len(part.lines) for part in parts) < 2 * 100
    sizes = dict(line.split("\t") for part in parts for line in part.lines)
    assert len(sizes) == sum(len(part.lines) for part in parts)
    told = _run(
        server,
        "select oid::text, (pg_relation_size(oid) + pg_relation_size(oid, 'fsm') + pg_relation_size(oid, 'vm'))::text"
        " from pg_class where relkind in ('r', 'm', 't', 'i', 'S')",
    )
    same = [oid for oid, size in told if sizes.get(oid) == size]
    assert len(sizes) == len(told)
    assert len(same) > 0.95 * len(told)


def test_a_table_that_somebody_holds_alone_is_passed_over(ctx: Context, server: embedded.Server) -> None:
    _run(server, "create table if not exists t (n int)")
    with psycopg.connect(server.url) as other, open_database(ctx, server.url) as connection:
        assert isinstance(connection, CountsRows)
        other.execute("lock table t in access exclusive mode")
        ((oid,),) = _run(server, "select oid::text from pg_class where relname = 't'")
        sizes = connection.snapshot_with_rows(0)[1][-1]
    assert sizes.unknown is None
    assert len(sizes.lines) > 100
    assert not any(line.startswith(f"{oid}\t") for line in sizes.lines)


def test_who_is_at_work_is_seen_with_what_it_waits_for(ctx: Context, server: embedded.Server) -> None:
    with open_database(ctx, server.url) as connection, psycopg.connect(server.url) as other:
        assert isinstance(connection, CountsRows)
        assert not any(one.backend_type == "client backend" for one in connection.waiting() or [])
        other.execute("set track_activities = off")
        hidden = connection.waiting() or []
        other.execute("set track_activities = on")
        at_work = threading.Thread(target=_sleep_until_cancelled, args=(other,))
        at_work.start()
        # It is on its processor before it sleeps; the test's own time limit ends a wait in vain.
        seen: list[WaitingSessions] = []
        while not any(one.wait_event for one in seen):
            seen = _of_clients(connection.waiting() or [])
            time.sleep(0.01)
        other.cancel()
        at_work.join()
    assert _of_clients(hidden) == [WaitingSessions("client backend", "unknown", None, 1)]
    assert seen == [WaitingSessions("client backend", "Timeout", "PgSleep", 1)]


def test_who_may_not_see_others_sees_no_waits(ctx: Context, server: embedded.Server) -> None:
    _run(server, "drop role if exists blind", "create role blind login password 'x'")
    with open_database(ctx, _as_blind(server.url)) as connection:
        assert isinstance(connection, CountsRows)
        assert connection.waiting() is None
        rows = {part.kind: part for part in connection.snapshot_with_rows(0)[1]}
    assert rows["relations"].unknown is None
    assert rows["slru"].unknown is None


def test_a_look_that_is_refused_costs_no_other(ctx: Context, server: embedded.Server) -> None:
    with open_database(ctx, server.url) as connection:
        assert isinstance(connection, PostgresConnection)
        queries = connection._queries
        connection._queries = {**queries, "waits": "select 1 / 0 as sessions"}
        with pytest.raises(WorldError, match="division by zero"):
            connection.waiting()
        connection._queries = queries
        assert connection.waiting() is not None
        state = connection._session.info.transaction_status.name
        connection.snapshot()
    assert state == "IDLE"


def _as_blind(url: str) -> str:
    scheme, rest = url.split("://", 1)
    return f"{scheme}://blind:x@{rest.split('@', 1)[1]}"


def _of_clients(found: Sequence[WaitingSessions]) -> list[WaitingSessions]:
    return [one for one in found if one.backend_type == "client backend"]


def _sleep_until_cancelled(session: psycopg.Connection) -> None:
    with suppress(psycopg.errors.QueryCanceled):
        session.execute("select pg_sleep(100)")


def test_without_the_extension_the_reason_is_told(ctx: Context, server_18: embedded.Server) -> None:
    with _watched(ctx, server_18) as watch:
        assert "create the extension" in (watch.rows["statements"].unknown or "")
        watch.look()
    assert isinstance(watch.found("statements"), Gap)


def test_a_kind_that_is_refused_costs_no_other(
    ctx: Context, server: embedded.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_database(ctx, server.url) as connection:
        assert isinstance(connection, PostgresConnection)
        connection._queries = {**connection._queries, "rows_slru": "select 1 / 0 as name"}
        _, rows = connection.snapshot_with_rows(0)
        assert rows[0].unknown == "division by zero"
        connection._queries = {**connection._queries, "rows_slru": "select n from generate_series(1, 9) n"}
        monkeypatch.setattr(limits, "ROWS_READ_MAX", 8)
        _, rows = connection.snapshot_with_rows(0)
        assert "more than 8" in (rows[0].unknown or "")
        connection.snapshot()


def test_a_session_that_is_lost_after_the_counters_costs_the_rows(
    ctx: Context, server: embedded.Server
) -> None:
    with open_database(ctx, server.url) as connection:
        assert isinstance(connection, PostgresConnection)
        ending = "select pg_terminate_backend(pg_backend_pid())"
        connection._queries = {**connection._queries, "rows_slru": ending}
        snapshot, rows = connection.snapshot_with_rows(0)
    assert snapshot.totals
    assert rows
    assert all("could not go on reading" in (part.unknown or "") for part in rows)
