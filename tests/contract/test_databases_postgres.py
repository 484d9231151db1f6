"""PostgreSQL of each version that can be had here: what its snapshots hold, what is a gap, and how our own is started."""

from __future__ import annotations

import re
import threading
import time
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

import command
from database_kinds import SECRET, PostgresHarness, assert_well_told, refusal
from plimsoll.base.errors import ExitStatus, PlimsollError
from plimsoll.context import Context
from plimsoll.databases import _queries, embedded, open_database, postgres
from plimsoll.demand.deltas import Delta, Gap, difference
from plimsoll.ports import processes


@pytest.fixture
def postgres_harness(server_18: embedded.Server, request: pytest.FixtureRequest) -> PostgresHarness:
    """The embedded server with its users, once for all tests."""
    harnesses = request.getfixturevalue("_harnesses")
    if "postgres" not in harnesses:
        harnesses["postgres"] = PostgresHarness(server_18)
    return harnesses["postgres"]


@pytest.mark.parametrize("major", range(postgres.OLDEST_MAJOR, postgres.NEWEST_MAJOR + 2))
def test_each_version_has_each_view_once(major: int) -> None:
    views = set(_queries.for_version("postgres", major))
    always = {"server", "login", "settings", "moment", "relations", "objects", "objects_server"}
    always |= {"pg_wal", "log_place", "log_read", "rows_slru", "slru_reset", "statements_place"}
    always |= {"rows_relations", "relations_reset", "relations_count", "rows_sizes", "waits"}
    always |= {"data_names", "file_places", "file_relations"}
    always |= {"pg_stat_database", "pg_stat_wal", "pg_stat_bgwriter"}
    assert views == always | ({"pg_stat_io"} if major >= 16 else set()) | (
        {"pg_stat_checkpointer"} if major >= 17 else set()
    ) | ({"read_waits", "numa_available", "shared_memory_nodes"} if major >= 18 else set())


def test_moments_are_of_utc_whatever_zone_the_server_is_in(ctx: Context, server: embedded.Server) -> None:
    """In a zone with summer time Python subtracts what clocks on the wall show: twice a year that is an hour off."""
    with psycopg.connect(server.url, autocommit=True) as session:
        session.execute("alter role plimsoll set timezone = 'Europe/Berlin'")
    try:
        with open_database(ctx, server.url) as connection:
            shot = connection.snapshot()
    finally:
        with psycopg.connect(server.url, autocommit=True) as session:
            session.execute("alter role plimsoll reset timezone")
    moments = [shot.taken_at, shot.started_at, *(when for when in shot.resets.values() if when)]
    assert {when.tzname() for when in moments} == {"UTC"}
    assert abs(shot.clock_offset_s) < shot.clock_offset_error_s + 0.05


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
        at_work = threading.Thread(target=sleep_until_cancelled, args=(other,))
        at_work.start()
        # The test's own time limit ends a wait in vain.
        while (connection.snapshot().moment["running_age_s_max"] or 0) < 0.3:
            time.sleep(0.01)
        other.cancel()
        at_work.join()
    assert (waits["running_age_s_max"] or 0) < 0.05 <= (waits["transaction_age_s_max"] or 0)


def sleep_until_cancelled(session: psycopg.Connection) -> None:
    with suppress(psycopg.errors.QueryCanceled):
        session.execute("select pg_sleep(100)")


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
    shown = command.here("demo", "--folder", open_to_all)
    assert (shown.returncode, caught.value.message in shown.stderr) == (ExitStatus.WORLD_FAILED, True)
    assert "1 of 3" not in shown.stderr, "before it measures"


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
