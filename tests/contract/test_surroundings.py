"""What real servers are like around a proof: a checkpoint before it, their settings, and their logs."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from databases_fixture import PARENT, context
from mariadb_server import SETTINGS as MARIADB_SETTINGS
from mariadb_server import MariadbServer, running_mariadb
from plimsoll.base.redact import HIDDEN
from plimsoll.context import Context
from plimsoll.databases import Connection, Session, embedded, open_database
from plimsoll.facts import Event, Proof
from plimsoll.ports import processes
from plimsoll.proof.slob import tables
from plimsoll.proof.slob.parameters import parameters
from plimsoll.proof.slob.run import run_slob
from plimsoll.proof.surroundings import Surroundings, settled, shown_setting
from slob_tables import dropped, is_measuring

BRIEF: dict[str, Any] = {"run_time_s": 2.0, "warm_up_s": 1.0, "work_unit": 16, "update_pct": 50}


def proved(ctx: Context, connection: Connection) -> Proof:
    tables.setup(ctx, connection, parameters(scale=256, scan_table=64))
    try:
        return run_slob(ctx, connection, parameters(**BRIEF)).proof
    finally:
        dropped(connection)


@contextmanager
def control(connection: Connection) -> Iterator[Session]:
    session = connection.session("plimsoll test")
    try:
        yield session
    finally:
        session.close()


def one(url: str, sql: str) -> Any:
    with psycopg.connect(url, autocommit=True) as session:
        row = session.execute(sql.encode()).fetchone()
        return row[0] if row else None


def ran(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as session:
        for text in statements:
            session.execute(text.encode())


def test_each_version_makes_a_checkpoint_and_switches_its_log(ctx: Context, server: embedded.Server) -> None:
    ran(server.url, "create table if not exists dirty as select generate_series(1, 9000) as n")
    before = one(server.url, "select redo_lsn from pg_control_checkpoint()")
    segment = one(server.url, "select pg_walfile_name(pg_current_wal_lsn())")
    with open_database(ctx, server.url) as connection, control(connection) as session:
        found = settled(ctx, session, connection.dialect)
    assert (found.checkpoint, found.log_switch) == (True, True)
    assert one(server.url, "select redo_lsn from pg_control_checkpoint()") != before
    assert one(server.url, "select pg_walfile_name(pg_current_wal_lsn())") != segment
    ran(server.url, "drop table dirty")


def test_a_proof_says_how_its_server_was(ctx: Context, server_18: embedded.Server) -> None:
    with embedded.connected(ctx, server_18) as connection:
        proof = proved(ctx, connection)
    assert proof.start is not None
    assert proof.start.checkpoint
    assert proof.start.checkpoints is not None
    assert proof.start.full_page_images is not None
    assert proof.server_settings is not None
    assert proof.server_settings["shared_buffers"] == "16MB"
    assert "block_size" not in proof.server_settings
    assert not {"application_name", "search_path", "data_directory"} & proof.server_settings.keys()
    assert proof.server_log is not None
    assert proof.server_log.warnings is not None
    assert proof.server_log.graves == 0
    assert "start-unsettled" not in {note.code for note in proof.notes}


def test_without_the_right_a_proof_says_so(ctx: Context, server_18: embedded.Server) -> None:
    """A user that may do nothing beyond its own database."""
    ran(server_18.url, "create role poor login password 'x'", "create database poor owner poor")
    try:
        url = server_18.url.replace(f"plimsoll:{server_18.cluster.password}@/postgres", "poor:x@/poor")
        with open_database(ctx, url) as connection:
            proof = proved(ctx, connection)
            assert proof.start is not None
            assert (proof.start.checkpoint, proof.start.log_switch) == (False, False)
            assert "permission denied" in proof.start.reason
            assert "start-unsettled" in {note.code for note in proof.notes}
            assert proof.server_log is not None
            assert proof.server_log.warnings is None
            assert "permission denied" in proof.server_log.reason
            assert proof.server_settings is not None
            ran(server_18.url, "grant pg_checkpoint to poor")
            with control(connection) as session:
                found = settled(ctx, session, connection.dialect)
            assert (found.checkpoint, found.log_switch) == (True, False)
    finally:
        ran(server_18.url, "drop database poor", "drop role poor")


def around(ctx: Context, connection: Connection, meanwhile: Any) -> Surroundings:
    with control(connection) as session:
        found = Surroundings(ctx, connection, session)
        found()
        meanwhile()
        found.end()
        return found


def trouble(url: str) -> None:
    """A warning, an error whose statement holds a password, and a session that is ended."""
    with psycopg.connect(url, autocommit=True) as session:
        session.execute("do $$ begin raise warning 'mind the gap'; end $$")
        with pytest.raises(psycopg.Error):
            session.execute('select 1 / 0 as "password=geheim7"')
        ran(url, f"select pg_terminate_backend({session.info.backend_pid}, 5000)")


def test_the_log_of_our_own_server_is_read(ctx: Context, server_18: embedded.Server) -> None:
    with embedded.connected(ctx, server_18) as connection:
        with pytest.raises(psycopg.Error):
            ran(server_18.url, "select before_the_drive")
        found = around(ctx, connection, lambda: trouble(server_18.url))
    log = found.facts(connection.counts(*[connection_snapshot(ctx, server_18)] * 2))["server_log"]
    assert (log.panics, log.fatals, log.errors, log.warnings) == (0, 1, 1, 1)
    assert [entry.message for entry in log.entries][1:] == ["division by zero", "mind the gap"]
    assert "geheim7" not in log.model_dump_json()
    (note,) = [note for note in found.notes() if note.code == "server-log"]
    assert "1 fatal, 1 error and 1 warning of the run" in note.message
    assert not list(found.doubts())


def connection_snapshot(ctx: Context, server: embedded.Server) -> Any:
    with embedded.connected(ctx, server) as connection:
        return connection.snapshot()


@pytest.fixture
def collected(tmp_path: Path, wheel: Path) -> Iterator[embedded.Server]:
    """A server that writes its log into files of its own, as one of a distribution does."""
    more = {
        "logging_collector": "on",
        "log_directory": "log",
        "log_filename": "at-%H%M%S.log",
        "log_line_prefix": "%t [%p] ",
    }
    with context(tmp_path / "journal") as (made, _), embedded.running(made, PARENT, more, wheel) as server:
        yield server


def test_the_log_is_read_through_the_server(ctx: Context, collected: embedded.Server) -> None:
    def turned() -> None:
        trouble(collected.url)
        time.sleep(1.1)
        ran(collected.url, "select pg_rotate_logfile()")
        time.sleep(1.0)
        trouble(collected.url)

    with open_database(ctx, collected.url) as connection:
        plain = around(ctx, connection, lambda: trouble(collected.url))
        twice = around(ctx, connection, turned)
        counts = connection.counts(*[connection.snapshot()] * 2)
    log = plain.facts(counts)["server_log"]
    assert (log.fatals, log.errors, log.warnings) == (1, 1, 1), log
    assert log.reason.startswith("read from log/at-")
    log = twice.facts(counts)["server_log"]
    assert (log.fatals, log.errors, log.warnings) == (2, 2, 2), log
    assert "went on in another file" in log.reason
    assert "another file" not in plain.facts(counts)["server_log"].reason


def test_a_server_without_a_log_file_leaves_it_unknown(ctx: Context, server_18: embedded.Server) -> None:
    with open_database(ctx, server_18.url) as connection:
        found = connection.log_since(connection.log_place())
    assert found.warnings is None
    assert "logging_collector" in found.reason


def test_a_crash_is_found_in_the_log_and_no_proof_holds(ctx: Context, tmp_path: Path, wheel: Path) -> None:
    with (
        context(tmp_path / "journal") as (made, _),
        embedded.running(made, PARENT, {}, wheel) as server,
        embedded.connected(made, server) as connection,
    ):
        tables.setup(made, connection, parameters(scale=256, scan_table=64))
        victim = connection.session("plimsoll victim")
        assert victim.server_process is not None
        process = processes.identity(victim.server_process)
        assert process is not None

        def kill_when_counted(event: Event) -> None:
            if is_measuring(event):
                processes.send(process, signal.SIGKILL)

        lasting = parameters(**(BRIEF | {"run_time_s": 4.0}))
        proof = run_slob(replace(made, events=kill_when_counted), connection, lasting).proof
        victim.close()
    assert not proof.holds
    assert proof.server_log is not None
    assert proof.server_log.graves
    assert any("was terminated by signal 9" in doubt for doubt in proof.doubts)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("ssl_passphrase_command", "echo geheim7", HIDDEN),
        ("primary_conninfo", "host=h user=u password=geheim7", "host=h user=u password=***"),
        ("archive_command", "curl https://me:geheim7@host/%f", "curl https://me:***@host/%f"),
        ("shared_buffers", "16MB", "16MB"),
        ("cluster_name", "a\x1b[31mb", "a\\x1b[31mb"),
    ],
)
def test_settings_are_kept_without_passwords(name: str, value: str, shown: str) -> None:
    assert shown_setting(name, value) == shown


@pytest.fixture(scope="module")
def logging_mariadb(
    tmp_path_factory: pytest.TempPathFactory, mariadb_binary: Path
) -> Iterator[MariadbServer]:
    """One that writes its errors into a file."""
    with (
        context(tmp_path_factory.mktemp("journal")) as (made, _),
        running_mariadb(
            made, mariadb_binary, {**MARIADB_SETTINGS, "log-error": "errors.log", "log-warnings": "2"}
        ) as server,
    ):
        yield server


def dirty(server: MariadbServer) -> int:
    with server.connect() as session, session.cursor() as cursor:
        cursor.execute("show global status like 'innodb_buffer_pool_pages_dirty'")
        return int(cursor.fetchall()[0][1])


def test_mariadb_writes_its_dirty_pages_before_a_proof(ctx: Context, mariadb_server: MariadbServer) -> None:
    with mariadb_server.connect() as session, session.cursor() as cursor:
        cursor.execute(
            "create or replace table dirty as select seq, repeat('x', 200) as y from seq_1_to_20000"
        )
        assert dirty(mariadb_server) > 100
        with open_database(ctx, mariadb_server.url) as connection, control(connection) as control_session:
            found = settled(ctx, control_session, connection.dialect)
        assert dirty(mariadb_server) < 100
        cursor.execute("drop table dirty")
    assert found.checkpoint
    assert found.log_switch is None
    assert "no files to switch" in found.reason


def test_mariadb_without_the_right_says_so(ctx: Context, mariadb_server: MariadbServer) -> None:
    with mariadb_server.connect() as session, session.cursor() as cursor:
        cursor.execute("create or replace user poor@localhost")
        try:
            with open_database(
                ctx, mariadb_server.url_of("poor", database="information_schema")
            ) as connection:
                found = around(ctx, connection, lambda: None)
        finally:
            cursor.execute("drop user poor@localhost")
    facts = found.facts(no_counts())
    assert not facts["start"].checkpoint
    assert "SUPER" in facts["start"].reason
    assert facts["server_settings"]["innodb_buffer_pool_size"] == "33554432"
    assert "standard error" in facts["server_log"].reason


def no_counts() -> Any:
    from plimsoll.databases import ServerCounts

    return ServerCounts()


def test_mariadbs_error_log_is_read(ctx: Context, logging_mariadb: MariadbServer) -> None:
    def abort() -> None:
        """A connection that goes without a word."""
        lost = logging_mariadb.connect()
        lost._sock.close()
        lost._force_close()
        time.sleep(0.5)

    with open_database(ctx, logging_mariadb.url) as connection:
        found = around(ctx, connection, abort).facts(no_counts())["server_log"]
    assert found.warnings == 1, found
    assert "Aborted connection" in found.entries[0].message
    assert found.source.endswith("/data/errors.log")


def test_a_pid_file_of_another_server_leaves_its_log_unread(
    ctx: Context, logging_mariadb: MariadbServer
) -> None:
    pid = logging_mariadb.folder / "run" / "pid"
    before = pid.read_bytes()
    try:
        pid.write_bytes(b"1\n")
        with open_database(ctx, logging_mariadb.url) as connection:
            assert "does not name the process" in connection.log_place().unknown_because
    finally:
        pid.write_bytes(before)
