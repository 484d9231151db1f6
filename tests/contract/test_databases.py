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

from plimsoll import databases
from plimsoll.base import registry
from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.context import Context
from plimsoll.databases import _queries, embedded, open_database, postgres
from plimsoll.demand.deltas import Delta, Gap, difference
from plimsoll.ports import processes

SECRET = "s3cr:t/pw"


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
    always = {"server", "login", "settings", "moment", "relations", "pg_wal"}
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


def test_readings_leak_nothing(ctx: Context, server_18: embedded.Server) -> None:
    with open_database(ctx, server_18.url) as connection:
        connection.snapshot()
    descriptors, threads = open_descriptors(), threading.active_count()
    for _ in range(50):
        with open_database(ctx, server_18.url) as connection:
            connection.snapshot()
    assert open_descriptors() == descriptors
    assert threading.active_count() == threads


@pytest.fixture(scope="module")
def locked(server_18: embedded.Server) -> str:
    """A URL of the server for users who need a password, `{user}` and `{password}` to be filled in."""
    rules = server_18.data_folder / "pg_hba.conf"
    rules.write_text("local all locked,limited,outsider scram-sha-256\n" + rules.read_text())
    with psycopg.connect(server_18.url, autocommit=True) as admin:
        for user in ("locked", "limited", "outsider"):
            admin.execute(f"create role {user} login password '{SECRET}'".encode())
        admin.execute("grant pg_monitor to locked")
        admin.execute("revoke connect on database template1 from public")
        admin.execute("select pg_reload_conf()")
    return server_18.url.replace("plimsoll@", "{user}{password}@")


def fill(url: str, user: str, password: str | None) -> str:
    return url.format(user=user, password="" if password is None else f":{quote(password, safe='')}")


def test_passwords_from_the_url_the_environment_and_a_prompt(
    ctx: Context, locked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(location: str) -> str:
        asked.append(location)
        return SECRET

    with open_database(ctx, fill(locked, "locked", SECRET), ask) as connection:
        assert SECRET not in connection.database.model_dump_json()
    assert not asked
    with open_database(ctx, fill(locked, "locked", None), ask) as connection:
        connection.reopen()
        assert connection.notes == ()
    assert len(asked) == 1
    assert "locked@" in asked[0]
    monkeypatch.setenv("PGPASSWORD", SECRET)
    with open_database(ctx, fill(locked, "locked", None)):
        pass


def test_missing_rights_are_named(ctx: Context, locked: str) -> None:
    with open_database(ctx, fill(locked, "limited", SECRET)) as connection:
        assert "rights-partial" in [note.code for note in connection.notes]
        connection.snapshot(relations=True)


@pytest.mark.parametrize(
    ("user", "password", "error_id"),
    [
        ("locked", "wrong", "database-password-wrong"),
        ("locked", None, "database-password-missing"),
        ("nobody_known", None, "database-refused"),
    ],
)
def test_refused_logins(ctx: Context, locked: str, user: str, password: str | None, error_id: str) -> None:
    error = refusal(ctx, fill(locked, user, password))
    assert error.id == error_id
    assert_well_told(error, password)


def test_a_database_that_may_not_be_entered(ctx: Context, locked: str) -> None:
    error = refusal(ctx, fill(locked, "outsider", SECRET).replace("/postgres?", "/template1?"))
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
        ("mysql://u:hunter2@host/none", "database-unknown", 2),
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
    deep.mkdir(mode=0o777)
    deep.chmod(0o777)
    with embedded.running(ctx, deep) as server, embedded.connected(ctx, server) as connection:
        assert len(str(server.folder)) > 107
        assert connection.database.location == "embedded"


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
        session.execute(
            "create table pages as select n, repeat('x', 4000) as filler from generate_series(1, 100) n"
        )
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
