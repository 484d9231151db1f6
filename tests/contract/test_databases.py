"""Every database that can be read, against real servers of each kind that can be had here.

One suite for all members of the registry: legal entries, snapshots that only grow, refusals with an id, a line and a hint.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from pathlib import Path

import pytest

from database_kinds import GAPS, KINDS, SECRET, Harness, Restartable, assert_well_told, refusal
from plimsoll import databases
from plimsoll.base import registry
from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.context import Context
from plimsoll.databases import mariadb, open_database, postgres
from plimsoll.demand.collect import collect
from plimsoll.demand.deltas import Delta, Gap, difference


@pytest.mark.parametrize("name", databases.names())
def test_entries_are_legal(name: str) -> None:
    kind = registry.load(sys.modules["plimsoll.databases"], name, "DATABASE")
    assert kind.name == name
    assert kind.title
    assert kind.help.endswith(".")
    assert all(re.fullmatch(r"[a-z]+", scheme) for scheme in kind.schemes)


@pytest.mark.parametrize(
    ("location", "error_id", "status"),
    [
        ("postgresql://u:hunter2@127.0.0.1:1/none", "database-unreachable", 4),
        ("postgresql://u:hunter2@localhost:1/none", "database-unreachable", 4),
        ("postgresql://u:hunter2@/none?host=/nowhere", "database-unreachable", 4),
        ("postgresql://u:hunter2@host:port/none", "database-url", 2),
        ("postgresql://u:hunter2@host/none?nonsense=1", "database-url", 2),
        ("mysql://u:hunter2@127.0.0.1:1/none", "database-unreachable", 4),
        ("mariadb://u:hunter2@localhost:1/none", "database-unreachable", 4),
        ("mysql://u:hunter2@/none?socket=/nowhere", "database-unreachable", 4),
        ("mysql://u:hunter2@host:port/none", "database-url", 2),
        ("mysql://u:hunter2/x@host/none", "database-url", 2),
        ("mysql://u:hunter2@host/none?nonsense=1", "database-url", 2),
        ("db2://u:hunter2@host/none", "database-unknown", 2),
        ("u:hunter2@host/none", "database-unknown", 2),
        ("u/hunter2@host/none", "database-unknown", 2),
        ("host=h password='it''s hunter2' user=u", "database-unknown", 2),
        ("jdbc:oracle:thin:u/hunter2@//host:1521/none", "database-unknown", 2),
        ("oracle://u/hunter2@host/none", "database-url", 2),
        ("postgresql://u:hunter2/x@host/none", "database-url", 2),
        ("embeded", "database-unknown", 2),
        ("postgres", "database-unknown", 2),
    ],
)
def test_locations_that_lead_nowhere(ctx: Context, location: str, error_id: str, status: int) -> None:
    error = refusal(ctx, location)
    assert (error.id, int(error.status)) == (error_id, status)
    assert isinstance(error, UsageError) is (status == 2)
    assert_well_told(error, "hunter2")


def test_gaps_are_of_this_suite() -> None:
    for kind, promise in GAPS:
        assert kind in KINDS
        assert f"test_{promise}" in globals()


def test_a_snapshot_grows(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection:
        before = connection.snapshot()
        make_changes(connection, 100)
        after = connection.snapshot()
        assert connection.database.block_bytes in (8192, 16384)
        assert connection.database.io_timing is True
        assert connection.database.direct_io is True
        assert connection.database.system_identifier == before.system_identifier
        assert connection.dialect == any_kind.kind
    assert abs(before.clock_offset_s) < before.clock_offset_error_s + 0.05
    assert before.started_at < before.taken_at < after.taken_at
    assert before.started_at == after.started_at
    assert 0 < (after.cost_s or 0) < 5
    delta = difference(before, after)
    assert isinstance(delta, Delta), delta
    passed_s = (after.monotonic_s or 0) - (before.monotonic_s or 0)
    assert delta.duration_s == pytest.approx(passed_s, abs=0.05)


def test_commits_and_the_log_are_counted(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection:
        make_changes(connection, 10)
        before = connection.snapshot()
        make_changes(connection, 500)
        counts = connection.counts(before, connection.snapshot())
    assert counts.commits == pytest.approx(500, abs=30)
    assert 400 <= (counts.log_writes or 0) <= 700
    assert 500 * 100 < (counts.log_bytes or 0) < 500 * 20_000
    assert (counts.block_hits or 0) > 500


def test_blocks_read_are_those_that_the_kernel_fetched(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection:
        make_large_table(any_kind)
        outer = fetched_bytes(any_kind)
        before, inner = connection.snapshot(), fetched_bytes(any_kind)
        session = connection.session("reader")
        for number in range(0, 60_000, 150):
            session.run("select filler from worked.large_table where n = %s", (number * 7919 % 60_000,))
        session.close()
        time.sleep(0.2)
        inner = fetched_bytes(any_kind) - inner
        after = connection.snapshot()
        outer = fetched_bytes(any_kind) - outer
        counts = connection.counts(before, after)
        block_bytes = connection.database.block_bytes or 0
    assert counts.block_reads is not None
    assert counts.block_reads > 200
    if any_kind.kind == "mariadb":  # one process does it all; postgres' sessions take their figures with them
        # The kernel's count is taken on both sides of ours: on a busy machine the server reads for itself in between.
        assert 0.98 * inner / block_bytes <= counts.block_reads <= 1.02 * outer / block_bytes
    assert counts.block_read_s is not None
    assert 0 < counts.block_read_s < 60


def test_syncs_of_the_log_are_counted(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection:
        before = connection.snapshot()
        make_changes(connection, 50)
        assert (connection.counts(before, connection.snapshot()).log_syncs or 0) >= 40


def test_writes_of_the_log_are_timed(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection:
        before = connection.snapshot()
        make_changes(connection, 50)
        assert (connection.counts(before, connection.snapshot()).log_write_s or 0) > 0


def test_tables_are_told_apart(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection:
        assert connection.snapshot(relations=True).relations


def test_backends_are_told_apart(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection:
        assert {row.backend for row in connection.snapshot().io} > {"client backend"}


def test_an_idle_server_is_no_demand(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection:
        connection.snapshot()
        time.sleep(1.1)
        before = connection.snapshot()
        time.sleep(0.3)
        counts = connection.counts(before, connection.snapshot())
    assert (counts.block_reads or 0) <= 5
    assert (counts.log_writes or 0) <= 5


def test_a_reading_cannot_write(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection:
        error = refused_write(connection)
    assert "read-only transaction" in error.lower() or "READ ONLY transaction" in error


def test_any_reset_is_a_gap(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection:
        before = connection.snapshot()
        any_kind.reset()
        found = difference(before, connection.snapshot())
    assert isinstance(found, Gap)
    assert "were reset" in found.reason


def test_a_dropped_database_is_a_gap(ctx: Context, any_kind: Harness) -> None:
    any_kind.execute("create database doomed")
    with open_database(ctx, any_kind.url) as connection:
        before = connection.snapshot()
        any_kind.execute("drop database doomed")
        found = difference(before, connection.snapshot())
    assert isinstance(found, Gap)


def test_readings_leak_nothing(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection:
        connection.snapshot()
    descriptors, threads = open_descriptors(), threading.active_count()
    for _ in range(50):
        with open_database(ctx, any_kind.url) as connection:
            connection.snapshot()
            connection.session("short").close()
    assert open_descriptors() == descriptors
    assert threading.active_count() == threads


def test_passwords_from_the_url_the_environment_and_a_prompt(
    ctx: Context, any_kind: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(location: str) -> str:
        asked.append(location)
        return SECRET

    with open_database(ctx, any_kind.url_of("locked", SECRET), ask) as connection:
        assert SECRET not in connection.database.model_dump_json()
    assert not asked
    with open_database(ctx, any_kind.url_of("locked", None), ask) as connection:
        connection.reopen()
        assert "rights-partial" not in [note.code for note in connection.notes]
    assert len(asked) == 1
    assert "locked@" in asked[0]
    monkeypatch.setenv(any_kind.password_variable, SECRET)
    with open_database(ctx, any_kind.url_of("locked", None)):
        pass


def test_missing_rights_are_named(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url_of("limited", SECRET)) as connection:
        assert "rights-partial" in [note.code for note in connection.notes]
        assert connection.snapshot(relations=True).totals


@pytest.mark.parametrize(
    ("password", "error_id"),
    [("wrong", "database-password-wrong"), (None, "database-password-missing")],
)
def test_refused_logins(ctx: Context, any_kind: Harness, password: str | None, error_id: str) -> None:
    error = refusal(ctx, any_kind.url_of("locked", password))
    assert error.id == error_id
    assert_well_told(error, password)


def test_a_user_whom_nobody_knows_is_told(ctx: Context, any_kind: Harness) -> None:
    assert refusal(ctx, any_kind.url_of("nobody_known", None)).id == "database-refused"


def test_a_database_that_is_not_there(ctx: Context, any_kind: Harness) -> None:
    error = refusal(ctx, re.sub(r"/(test|postgres)\?", "/none_such?", any_kind.url))
    assert error.id == "database-refused"
    assert "none_such" in error.message
    assert_well_told(error, None)


def test_a_session_works(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection:
        session = connection.session("worker")
        assert session.run("select 1; select 2") == [(2,)]
        assert session.run("select %s", ("it's 100 %",)) == [("it's 100 %",)]
        assert session.run("select '100 %'") == [("100 %",)]
        assert session.run("create schema if not exists worked") == []
        session.run("drop table if exists worked.of_a_session")
        session.run("create table worked.of_a_session (n int)")
        session.run("insert into worked.of_a_session values (%s)", (7,))
        assert any_kind.execute("select n from worked.of_a_session") == [(7,)]
        session.close()


def test_sessions_have_processes(ctx: Context, any_kind: Harness) -> None:
    with open_database(ctx, any_kind.url) as connection:
        session = connection.session("worker")
        process = session.server_process
        session.close()
        assert process is not None


def test_a_session_is_cancelled_from_outside(ctx: Context, any_kind: Harness) -> None:
    endless = {
        "postgres": "select count(*) from generate_series(1, 1000000000000)",
        "mariadb": "select count(*) from seq_1_to_1000000 a, seq_1_to_1000000 b where a.seq + b.seq < 0",
    }
    at_work = {
        "postgres": "select 1 from pg_stat_activity where query = '{}' and state = 'active'",
        "mariadb": "select 1 from information_schema.processlist where info = '{}'",
    }
    sql = at_work[any_kind.kind].format(endless[any_kind.kind])

    def cancel_at_work() -> None:
        deadline = time.monotonic() + 60
        while not any_kind.execute(sql) and time.monotonic() < deadline:
            time.sleep(0.01)
        session.cancel()

    with open_database(ctx, any_kind.url) as connection:
        session = connection.session("worker")
        canceller = threading.Thread(target=cancel_at_work)
        canceller.start()
        with pytest.raises(PlimsollError) as caught:
            session.run(endless[any_kind.kind])
        canceller.join()
        assert caught.value.id == "database-cancelled"
        assert session.run("select 1") == [(1,)]
        session.close()
    assert_well_told(caught.value, None)


@pytest.mark.parametrize(
    ("sql", "error_id"),
    [("create table forbidden (n int)", "database-rights"), ("selekt 1", "database-refused")],
)
def test_what_a_session_is_refused(ctx: Context, any_kind: Harness, sql: str, error_id: str) -> None:
    with open_database(ctx, any_kind.url_of("limited", SECRET)) as connection:
        session = connection.session("worker")
        with pytest.raises(PlimsollError) as caught:
            session.run(sql)
        session.close()
    assert caught.value.id == error_id
    assert_well_told(caught.value, SECRET)


def test_a_server_that_goes_and_comes_back(ctx: Context, restartable: Restartable) -> None:
    with open_database(ctx, restartable.url) as connection:
        before, session = connection.snapshot(), connection.session("worker")
        restartable.stop()
        for doing in (connection.snapshot, lambda: session.run("select 1")):
            with pytest.raises(PlimsollError) as caught:
                doing()
            assert caught.value.id == "database-lost"
            assert_well_told(caught.value, None)
        session.close()
        with pytest.raises(PlimsollError) as caught:
            connection.reopen()
        assert caught.value.id == "database-unreachable"
        time.sleep(1.1)  # one kind knows its start to the second
        restartable.start()
        connection.reopen()
        found = difference(before, connection.snapshot())
    assert isinstance(found, Gap)
    assert "restarted" in found.reason


def make_changes(connection: databases.Connection, count: int) -> None:
    """That many transactions that each change a row."""
    session = connection.session("changes")
    process = session.server_process
    session.run("create schema if not exists worked")
    session.run("drop table if exists worked.changed")
    session.run("create table worked.changed (n int primary key, v int)")
    session.run("insert into worked.changed values (1, 0)")
    for _ in range(count - 3):
        session.run("update worked.changed set v = v + 1")
    session.close()
    if process is not None:
        wait_until_gone(connection, process)


def wait_until_gone(connection: databases.Connection, process: int) -> None:
    """A server's process hands in its counters before it ends."""
    session = connection.session("looks")
    while session.run("select 1 from pg_stat_activity where pid = %s", (process,)):
        time.sleep(0.01)
    session.close()


def make_large_table(server: Harness) -> None:
    """Some 60,000 rows of half a kilobyte, more than either server keeps."""
    rows = {
        "postgres": "select n, repeat('x', 500) from generate_series(0, 59999) n",
        "mariadb": "select seq, repeat('x', 500) from seq_0_to_59999",
    }
    server.execute("create schema if not exists worked")
    server.execute("drop table if exists worked.large_table")
    server.execute("create table worked.large_table (n int primary key, filler varchar(600))")
    server.execute(f"insert into worked.large_table {rows[server.kind]}")
    if server.kind == "postgres":
        server.execute("vacuum worked.large_table")


def fetched_bytes(server: Harness) -> int:
    """What the server's process has had the kernel fetch from storage so far (proc_pid_io(5))."""
    if server.kind != "mariadb":
        return 0
    found = int((server.log_folder / "run" / "pid").read_text())
    lines = Path(f"/proc/{found}/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("read_bytes"))


def refused_write(connection: databases.Connection) -> str:
    """What the server says to a reading that writes."""
    if isinstance(connection, postgres.PostgresConnection):
        with pytest.raises(PlimsollError) as caught, connection._reading():
            connection._session.execute("create table forbidden (n int)")
        return caught.value.message
    assert isinstance(connection, mariadb.MariadbConnection)
    with connection._driver.cursor() as cursor, pytest.raises(Exception, match="READ ONLY") as refused:
        cursor.execute("create table forbidden (n int)")
    return str(refused.value)


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_demand_is_made_of_each_kind(ctx: Context, any_kind: Harness) -> None:
    """Of a few seconds with changes in them: the classes that any database must know, and a peak."""
    with open_database(ctx, any_kind.url) as connection:
        worker = threading.Thread(target=make_changes, args=(connection, 400))
        worker.start()
        demand = collect(ctx, connection, 3.0)
        worker.join()
    assert demand.database.kind in ("postgresql", "mariadb")
    assert demand.peak is not None
    assert (demand.peak.classes["redo_write"].ops_per_s or 0) > 10
    assert (demand.peak.commits_per_s or 0) > 10
    assert {"small_read", "small_write", "redo_write", "temp_read", "temp_write"} <= set(demand.peak.classes)
    assert "counters-late" not in {note.code for note in demand.notes} or any_kind.kind == "postgres"
