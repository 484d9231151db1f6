"""What sessions of real servers are at, as snapshots sample it, and what tables gain, on which rules of advice stand."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
import pytest

from database_kinds import Harness
from mariadb_server import MariadbServer
from plimsoll.context import Context
from plimsoll.databases import Connection, embedded, open_database
from plimsoll.demand.collect import collect
from plimsoll.demand.deltas import Gap, relations_difference
from plimsoll.demand.intervals import at_work
from plimsoll.facts import Snapshot
from plimsoll.rules import findings_of, interval_of_demand

LOCKED = "update worked.held set n = n + 1"


@contextmanager
def in_vain(any_kind: Harness, connection: Connection) -> Iterator[None]:
    """A session that waits for the row that another holds, until the block ends."""
    any_kind.execute("create schema if not exists worked")
    any_kind.execute("drop table if exists worked.held")
    any_kind.execute("create table worked.held (n int primary key)")
    any_kind.execute("insert into worked.held values (1)")
    holder, waiter = connection.session("holder"), connection.session("waiter")
    holder.run("begin")
    holder.run(LOCKED)
    waiting = threading.Thread(target=waiter.run, args=(LOCKED,))
    waiting.start()
    try:
        yield
    finally:
        holder.run("rollback")
        waiting.join()
        for session in (holder, waiter):
            session.close()


def seen(connection: Connection, name: str) -> Snapshot:
    """The first snapshot in which a session is at that. The test's own time limit ends a wait in vain."""
    while not (found := connection.snapshot()).moment.get(name):
        time.sleep(0.05)
    return found


def test_a_wait_for_a_row_is_a_lock(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection, in_vain(any_kind, connection):
        moment = seen(connection, "at_work_lock").moment
    assert moment["at_work_lock"] == 1.0
    assert (moment["sessions_active"] or 0) >= 1


def test_a_session_at_work_of_mariadb_runs(ctx: Context, mariadb_server: MariadbServer) -> None:
    with open_database(ctx, mariadb_server.url) as connection:
        assert connection.snapshot().moment["sessions_active"] == 0.0
        session = connection.session("worker")
        work = threading.Thread(
            target=session.run, args=("select count(*) from seq_1_to_30000000 where seq % 7 = 1",)
        )
        work.start()
        assert seen(connection, "at_work_running").moment["sessions_active"] == 1.0
        work.join()
        session.close()


@pytest.mark.parametrize("hides", ["login", "track_activities"])
def test_a_session_at_work_that_is_not_seen_is_unknown_and_not_idle(
    ctx: Context, server: embedded.Server, hides: str
) -> None:
    url = server.url
    with (
        psycopg.connect(server.url, autocommit=True) as session,
        _asleep(server, hides == "track_activities"),
    ):
        if hides == "login":
            session.execute("drop role if exists unsighted")
            session.execute("create role unsighted login password 'x'")
            url = re.sub("//[^@]*@", "//unsighted:x@", server.url)
        with open_database(ctx, url) as connection:
            blind = connection.snapshot()
        with open_database(ctx, server.url) as connection:
            sighted = connection.snapshot().moment["sessions_active"]
    assert (blind.moment["sessions_active"], blind.moment["sessions_waiting"]) == (None, None)
    assert at_work(blind) is None
    assert sighted == (1.0 if hides == "login" else None)


@contextmanager
def _asleep(server: embedded.Server, is_untold: bool) -> Iterator[None]:
    """A session that the server has begun to serve, and that is at work until the block ends."""
    with psycopg.connect(server.url, autocommit=True) as session:
        if is_untold:
            session.execute("set track_activities = off")
        work = threading.Thread(target=_until_cancelled, args=(session,))
        work.start()
        with psycopg.connect(server.url, autocommit=True) as watcher:
            query = "select 1 from pg_locks where pid = %s and locktype = 'advisory' and granted"
            while not watcher.execute(query, [session.info.backend_pid]).fetchone():
                time.sleep(0.01)
        try:
            yield
        finally:
            session.cancel_safe()
            work.join()


def _until_cancelled(session: psycopg.Connection) -> None:
    with suppress(psycopg.errors.QueryCanceled):
        session.execute("select pg_advisory_lock(21), pg_sleep(100)")


def test_without_rights_mariadb_does_not_say_what_sessions_are_at(
    ctx: Context, mariadb_server: MariadbServer
) -> None:
    with mariadb_server.connect().cursor() as cursor:
        cursor.execute("create or replace user sightless")
    with open_database(ctx, mariadb_server.url_of("sightless", database="")) as connection:
        assert "sessions_active" not in connection.snapshot().moment


@pytest.mark.parametrize(("indexed", "hot"), [(True, False), (False, True)])
def test_updates_that_stay_within_their_block_are_told(
    ctx: Context, server: embedded.Server, indexed: bool, hot: bool
) -> None:
    with psycopg.connect(server.url, autocommit=True) as session:
        session.execute("drop table if exists changed")
        session.execute(
            "create table changed (id int primary key, n int) with (fillfactor = 40, autovacuum_enabled = off)"
        )
        session.execute("insert into changed select id, 0 from generate_series(1, 2000) as id")
        if indexed:
            session.execute("create index on changed (n)")
        with open_database(ctx, server.url) as connection:
            before = connection.snapshot(relations=True)
            session.execute("update changed set n = n + 1")
            session.execute("select count(*) from changed")
            time.sleep(1.1)
            session.execute("select 1")
            after = told(connection)
    gained = relations_difference(before, after)
    assert not isinstance(gained, Gap)
    (one,) = [table for table in gained if table.name == "changed"]
    assert one.rows_updated == 2000
    assert ((one.rows_hot_updated or 0) > 1000) is hot
    assert (one.rows_scanned or 0) >= 4000
    assert (one.rows_live or 0) + (one.rows_dead or 0) > 2000


def told(connection: Connection) -> Snapshot:
    """A snapshot in which the session has handed in its updates."""
    while True:
        found = connection.snapshot(relations=True)
        if any(one.name == "changed" and one.rows_updated >= 2000 for one in found.relations):
            return found
        time.sleep(0.1)


@pytest.mark.parametrize("indexed", [True, False])
def test_advice_on_a_live_server_names_updates_that_are_not_hot(
    ctx: Context, server: embedded.Server, indexed: bool
) -> None:
    """Only where an index holds the column that changes: the same updates without it stay within their blocks."""
    # Not one table anew: its counters would seem to go backwards.
    name = "indexed" if indexed else "bare"
    with psycopg.connect(server.url, autocommit=True) as session:
        session.execute(f"create table {name} (id int primary key, n int) with (fillfactor = 40)")
        session.execute(f"insert into {name} select id, 0 from generate_series(1, 2000) as id")
        if indexed:
            session.execute(f"create index on {name} (n)")
    with open_database(ctx, server.url) as connection, updating(server.url, name):
        demand = collect(ctx, connection, 4.0, relations=True)
    interval = interval_of_demand(demand)
    (changed,) = [one for one in demand.relations if one.name == name]
    assert changed.rows_updated >= 2000
    found = {one.rule: one for one in findings_of(interval)}
    assert ("updates-change-indexes" in found) is indexed
    if indexed:
        told = found["updates-change-indexes"]
        assert told.reason.startswith(f"of {changed.rows_updated:,} updates of public.{name}")
        assert (told.severity, told.title) == ("hint", "Updates are not HOT")


@contextmanager
def updating(url: str, name: str) -> Iterator[None]:
    """A session that updates all rows again and again, until the block ends."""
    ended = threading.Event()

    def run() -> None:
        with psycopg.connect(url, autocommit=True) as session:
            while not ended.is_set():
                session.execute(f"update {name} set n = n + 1".encode())

    work = threading.Thread(target=run)
    work.start()
    try:
        yield
    finally:
        ended.set()
        work.join()
