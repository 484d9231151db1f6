"""Every database that can be read, against real servers of each kind and version that can be had here.

One suite for all members of the registry: legal entries, snapshots that only grow, refusals with an id, a line and a hint.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from database_kinds import GAPS, KINDS, SECRET, Harness, PostgresHarness, Restartable
from plimsoll import databases
from plimsoll.base import registry
from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.context import Context
from plimsoll.databases import _queries, embedded, mariadb, open_database, postgres
from plimsoll.demand.collect import collect
from plimsoll.demand.deltas import Delta, Gap, difference
from plimsoll.ports import processes


@pytest.fixture
def postgres_harness(server_18: embedded.Server, request: pytest.FixtureRequest) -> PostgresHarness:
    """The embedded server with its users, once for all tests."""
    harnesses = request.getfixturevalue("_harnesses")
    if "postgres" not in harnesses:
        harnesses["postgres"] = PostgresHarness(server_18)
    return harnesses["postgres"]


@pytest.mark.parametrize("name", databases.names())
def test_entries_are_legal(name: str) -> None:
    kind = registry.load(sys.modules["plimsoll.databases"], name, "DATABASE")
    assert kind.name == name
    assert kind.title
    assert kind.help.endswith(".")
    assert all(re.fullmatch(r"[a-z]+", scheme) for scheme in kind.schemes)


@pytest.mark.parametrize("major", range(postgres.OLDEST_MAJOR, postgres.NEWEST_MAJOR + 2))
def test_each_version_has_each_view_once(major: int) -> None:
    views = set(_queries.for_version("postgres", major))
    always = {"server", "login", "settings", "moment", "relations", "pg_wal", "log_place", "log_read"}
    always |= {"pg_stat_database", "pg_stat_wal", "pg_stat_bgwriter"}
    assert views == always | ({"pg_stat_io"} if major >= 16 else set()) | (
        {"pg_stat_checkpointer"} if major >= 17 else set()
    )


def test_what_a_snapshot_holds(ctx: Context, server: embedded.Server) -> None:
    with open_database(ctx, server.url) as connection:
        before = connection.snapshot()
        make_reads(server.url)
        after = connection.snapshot(relations=True)
        major = connection.database.version_number // 10000
        assert connection.database.block_bytes == 8192
        assert connection.database.io_timing is True
        assert connection.database.direct_io is (major >= 16)
        assert connection.database.system_identifier == before.system_identifier
    assert abs(before.clock_offset_s) < before.clock_offset_error_s + 0.05
    assert before.started_at < before.taken_at < after.taken_at
    assert bool(after.io) is (major >= 16)
    assert any(table.heap_blocks_hit + table.heap_blocks_read > 0 for table in after.relations)
    delta = difference(before, after)
    assert isinstance(delta, Delta), delta
    assert (delta.totals["pg_stat_database.xact_commit"] or 0) >= 1
    assert (delta.totals["pg_wal.written_bytes"] or 0) >= 10 * 8192
    passed_s = (after.monotonic_s or 0) - (before.monotonic_s or 0)
    assert delta.duration_s == pytest.approx(passed_s, abs=0.05)


def test_log_writes_are_counted_on_each_version(ctx: Context, server: embedded.Server) -> None:
    with open_database(ctx, server.url) as connection:
        before = connection.snapshot()
        make_reads(server.url)
        delta = difference(before, connection.snapshot())
    assert isinstance(delta, Delta), delta
    rows = [row.writes or 0 for row in delta.io if row.object == "wal"]
    assert (sum(rows) if rows else delta.totals["pg_stat_wal.wal_write"] or 0) >= 1


def test_our_own_reading_is_no_demand(ctx: Context, server: embedded.Server) -> None:
    with open_database(ctx, server.url) as connection:
        before = connection.snapshot()
        time.sleep(1.1)  # a session hands in its counters once a second
        connection.snapshot()
        delta = difference(before, connection.snapshot())
    assert isinstance(delta, Delta), delta
    assert (delta.totals["pg_stat_database.blks_read"] or 0) <= 5
    assert sum(row.reads or 0 for row in delta.io if row.object == "relation") <= 5


def test_open_transactions_and_sessions_are_seen(ctx: Context, server: embedded.Server) -> None:
    with open_database(ctx, server.url) as connection, psycopg.connect(server.url) as other:
        alone = connection.snapshot().moment
        other.execute("select 1")  # opens a transaction
        time.sleep(0.05)
        beside = connection.snapshot().moment
    assert beside["sessions"] == alone["sessions"]
    assert (beside["transaction_age_s_max"] or 0) >= 0.05
    assert beside["long_transactions"] == 0
    assert (beside["databases"] or 0) >= 3


def test_a_transaction_at_work_is_told_from_one_that_waits_for_its_client(
    ctx: Context, server: embedded.Server
) -> None:
    with open_database(ctx, server.url) as connection, psycopg.connect(server.url) as other:
        other.execute("select 1")
        time.sleep(0.05)
        waits = connection.snapshot().moment
        at_work = threading.Thread(target=other.execute, args=("select pg_sleep(1)",))
        at_work.start()
        time.sleep(0.3)
        works = connection.snapshot().moment
        at_work.join()
    assert (waits["running_age_s_max"] or 0) < 0.05 <= (waits["transaction_age_s_max"] or 0)
    assert (works["running_age_s_max"] or 0) >= 0.3


def test_a_session_cannot_write(ctx: Context, server: embedded.Server) -> None:
    connection = postgres.PostgresConnection(server.url, ctx.clock)
    with pytest.raises(PlimsollError, match="read-only transaction"), connection._reading():
        connection._session.execute("create table forbidden (n int)")
    connection.close()


@pytest.mark.parametrize("group", ["io", "wal", "bgwriter"])
def test_a_reset_is_a_gap(ctx: Context, server_18: embedded.Server, group: str) -> None:
    with open_database(ctx, server_18.url) as connection:
        before = connection.snapshot()
        with psycopg.connect(server_18.url, autocommit=True) as admin:
            admin.execute("select pg_stat_reset_shared(%s)", [group])
        found = difference(before, connection.snapshot())
    assert isinstance(found, Gap)
    assert f"pg_stat_{group} were reset" in found.reason


def test_a_database_reset_or_dropped_is_a_gap(ctx: Context, server: embedded.Server) -> None:
    with psycopg.connect(server.url, autocommit=True) as admin, open_database(ctx, server.url) as connection:
        admin.execute("create database doomed")
        first = connection.snapshot()
        admin.execute("select pg_stat_reset()")
        second = connection.snapshot()
        admin.execute("drop database doomed")
        third = connection.snapshot()
    reset, dropped = difference(first, second), difference(second, third)
    assert isinstance(reset, Gap)
    assert "pg_stat_database were reset" in reset.reason
    assert isinstance(dropped, Gap)
    assert "dropped" in dropped.reason


def test_a_database_that_may_not_be_entered(ctx: Context, postgres_harness: PostgresHarness) -> None:
    error = refusal(ctx, postgres_harness.url_of("outsider", SECRET).replace("/postgres?", "/template1?"))
    assert error.id in {"database-refused", "database-password-wrong"}
    assert "permission denied" in error.message
    assert_well_told(error, SECRET)


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


def test_a_server_too_old(ctx: Context, server_18: embedded.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "OLDEST_MAJOR", 19)
    error = refusal(ctx, server_18.url)
    assert error.id == "database-too-old"
    assert "postgresql 18" in error.message
    assert_well_told(error, None)


def test_a_long_path_gets_a_socket_of_its_own(ctx: Context, tmp_path_factory: pytest.TempPathFactory) -> None:
    parent = ctx.scratch.new_folder(Path("/var/tmp"), "long", mode=0o755)
    deep = parent / ("d" * 90)
    deep.mkdir(mode=0o755)
    with embedded.running(ctx, deep) as server, embedded.connected(ctx, server) as connection:
        assert len(str(server.cluster.home)) > 107
        assert connection.database.location == "embedded"


def test_root_runs_no_server_where_somebody_else_could_change_it(ctx: Context) -> None:
    if not processes.is_root():
        pytest.skip("an ordinary user trusts whoever owns the folders that are named")
    open_to_all = ctx.scratch.new_folder(Path("/var/tmp"), "open", mode=0o777)
    with pytest.raises(PlimsollError) as caught, embedded.running(ctx, open_to_all):
        pass
    assert caught.value.id == "scratch-untrusted"
    assert f"other users can write to {open_to_all}" in caught.value.message
    assert not list(open_to_all.iterdir())


def test_nobody_gets_in_without_the_password(server: embedded.Server) -> None:
    """Not even the account that runs it, which on many machines runs other programs, too."""
    user = server.programs.user
    bare = re.sub("//[^@]*@", "//plimsoll@", server.url)
    for url in (bare, bare.replace("plimsoll@", "plimsoll:guess@"), bare.replace("plimsoll@", "postgres@")):
        command = [str(server.programs.path("psql")), "--no-password", "--command", "select 1", url]
        if not server.programs.path("psql").is_file():
            pytest.skip("this installation has no psql")
        done = processes.run(command, user=user, folder=Path("/"), environment={"PATH": "/usr/bin:/bin"})
        assert done.returncode != 0
        assert "password" in done.stderr
    assert server.cluster.password not in repr(server)
    assert not list(server.cluster.home.glob("secret*"))


def test_a_folder_that_the_server_may_not_enter(ctx: Context, tmp_path: Path) -> None:
    if not processes.is_root():
        pytest.skip("an ordinary user runs the server as oneself, who may enter what is one's own")
    tmp_path.chmod(0o700)
    with pytest.raises(PlimsollError) as caught, embedded.running(ctx, tmp_path):
        pass
    assert caught.value.id == "embedded-folder"
    assert "PLIMSOLL_SCRATCH" in (caught.value.hint or "")
    assert not list(tmp_path.glob("plimsoll-*"))


def test_a_setting_that_the_server_refuses_shows_its_log(ctx: Context) -> None:
    with (
        pytest.raises(PlimsollError) as caught,
        embedded.running(ctx, server_settings={"shared_buffers": "no"}),
    ):
        pass
    assert caught.value.id == "embedded-start"
    assert "shared_buffers" in (caught.value.hint or "")


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
    with open_database(ctx, any_kind.url) as connection:
        session = connection.session("worker")
        canceller = threading.Timer(0.3, session.cancel)
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
    hands_in = session.server_process is not None
    session.run("create schema if not exists worked")
    session.run("drop table if exists worked.changed")
    session.run("create table worked.changed (n int primary key, v int)")
    session.run("insert into worked.changed values (1, 0)")
    for _ in range(count - 3):
        session.run("update worked.changed set v = v + 1")
    session.close()
    if hands_in:
        time.sleep(0.3)  # until it has handed in its counters and is gone


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


def make_reads(url: str) -> None:
    """Some pages read, written and logged by a session that has ended, so that its counters are in."""
    with psycopg.connect(url, autocommit=True) as session:
        session.execute("drop table if exists pages")
        session.execute("create table pages (n integer, filler text)")
        # Else a value of equal letters shrinks to nothing, and what the log holds depends on what came before.
        session.execute("alter table pages alter column filler set storage plain")
        session.execute("insert into pages select n, repeat('x', 4000) from generate_series(1, 100) n")
        session.execute("checkpoint")
        session.execute("select count(*) from pages")
        backend = session.info.backend_pid
    with psycopg.connect(url, autocommit=True) as session:
        query = "select 1 from pg_stat_activity where pid = %s"
        while session.execute(query, [backend]).fetchone():
            time.sleep(0.01)


def refusal(ctx: Context, location: str) -> PlimsollError:
    with pytest.raises(PlimsollError) as caught, open_database(ctx, location):
        pass
    return caught.value


def assert_well_told(error: PlimsollError, secret: str | None) -> None:
    """One lower-case line, a hint in sentences, no password anywhere."""
    assert "\n" not in error.message
    assert error.message[0].islower()
    assert not error.message.endswith(".")
    assert error.hint is not None
    assert error.hint.endswith(".")
    if secret is not None:
        assert secret not in f"{error.message} {error.hint}"
        assert quote(secret, safe="") not in f"{error.message} {error.hint}"


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
