"""One suite for every kind of store: what is saved comes back exactly, whole or not at all, whoever else is writing."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.pool import NullPool

import facts_runs
from facts_strategy import facts
from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.context import Cancel, Context, LocalExecutor, Scratch
from plimsoll.databases import embedded
from plimsoll.facts import Run, RunSummary
from plimsoll.ports.clock import SystemClock
from plimsoll.store import SqlStore, new_run_id, open_store, revisions, sqlstore, summarize, version
from plimsoll.store.schema import metadata
from plimsoll.store.upgrade import upgrade

Locate = Callable[[str], str]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a PostgreSQL of our own, or a skip with the reason."""
    with Scratch(tmp_path_factory.mktemp("journal")) as scratch:
        context = Context(
            SystemClock(), lambda _: None, Cancel(), scratch, LocalExecutor(), open_store("/nowhere")
        )
        try:
            running = embedded.running(context, server_settings={"debug_io_direct": "", "fsync": "off"})
            started = running.__enter__()
        except PlimsollError as error:
            pytest.skip(f"no embedded postgresql here: {error.message}")
        try:
            yield started.url
        finally:
            running.__exit__(None, None, None)


@pytest.fixture(params=["sqlite", "postgresql"])
def locate(request: pytest.FixtureRequest, tmp_path: Path) -> Locate:
    """Gives the location of an empty store by name; each test has its own."""
    if request.param == "sqlite":
        return lambda name: str(tmp_path / f"{name}.sqlite")
    url: str = request.getfixturevalue("server")
    return lambda name: _new_database(url, f"{request.node.name.partition('[')[0]}_{name}"[-60:].lower())


def _new_database(url: str, name: str) -> str:
    import psycopg

    with psycopg.connect(url, autocommit=True) as session:
        session.execute(f'DROP DATABASE IF EXISTS "{name}"'.encode())
        session.execute(f'CREATE DATABASE "{name}"'.encode())
    return url.replace("/postgres?", f"/{name}?")


@pytest.fixture
def store(locate: Locate) -> SqlStore:
    return open_store(locate("store"))


@contextmanager
def _session(location: str) -> Iterator[Connection]:
    """The store as somebody else sees it: committed at the end, and closed."""
    dialect = "postgresql+psycopg" if location.startswith("postgresql://") else "sqlite"
    url = location.replace("postgresql", dialect, 1) if dialect != "sqlite" else f"sqlite:///{location}"
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as session:
        yield session


def test_plausible_runs_come_back_exactly(store: SqlStore) -> None:
    for name, run in facts_runs.all_runs().items():
        named = run.model_copy(update={"id": name})
        store.save(named)
        assert store.load(name) == named


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(run=facts(Run))
def test_any_run_comes_back_exactly(store: SqlStore, run: Run) -> None:
    named = run.model_copy(update={"id": new_run_id(datetime.now(UTC))})
    store.save(named)
    assert store.load(named.id) == named


def test_nothing_is_opened_before_the_first_use(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "deep" / "store.sqlite"))
    assert store.summaries() == []
    assert list(tmp_path.iterdir()) == []


def test_summaries_are_newest_first_and_say_the_answer(store: SqlStore) -> None:
    runs = _runs(5)
    for run in [runs[2], runs[0], runs[4], runs[1], runs[3]]:
        store.save(run)
    assert store.summaries() == [summarize(run) for run in reversed(runs)]
    assert [summary.id for summary in store.summaries(2)] == [runs[4].id, runs[3].id]
    assert all(isinstance(summary, RunSummary) and summary.result for summary in store.summaries())


def test_a_run_is_found_by_its_id_a_unique_beginning_and_as_latest(store: SqlStore) -> None:
    runs = _runs(3)
    for run in runs:
        store.save(run)
    assert store.load(runs[0].id) == runs[0]
    assert store.load(runs[1].id[:-3]) == runs[1]
    assert store.load("latest") == runs[2]


def test_an_id_that_is_the_beginning_of_another_is_found(store: SqlStore) -> None:
    short, long = (
        facts_runs.io_run().model_copy(update={"id": id})
        for id in ("20250101-000000-a", "20250101-000000-ab")
    )
    store.save(short)
    store.save(long)
    assert store.load(short.id) == short


def test_unknown_and_ambiguous_ids_name_the_nearest(store: SqlStore) -> None:
    with pytest.raises(UsageError, match="is empty") as empty:
        store.load("latest")
    assert empty.value.id == "run-unknown"
    runs = _runs(8)
    for run in runs:
        store.save(run)
    with pytest.raises(UsageError, match="no run is called") as unknown:
        store.load(f"{runs[3].id[:-1]}!")
    assert unknown.value.id == "run-unknown"
    assert runs[3].id in (unknown.value.hint or "")
    with pytest.raises(UsageError, match="is the beginning of 8 runs") as ambiguous:
        store.load("2025")
    assert ambiguous.value.id == "run-ambiguous"
    assert "and 3 more" in (ambiguous.value.hint or "")
    with pytest.raises(UsageError, match="no run is called ''"):
        store.load("")


def test_an_id_is_taken_once(store: SqlStore) -> None:
    run = facts_runs.io_run()
    store.save(run)
    with pytest.raises(WorldError) as refused:
        store.save(run.model_copy(update={"title": "another"}))
    assert refused.value.id == "run-exists"
    assert store.load(run.id) == run


def test_a_save_that_fails_half_way_leaves_nothing(locate: Locate, monkeypatch: pytest.MonkeyPatch) -> None:
    location = locate("half")
    store = open_store(location)
    store.save(facts_runs.line_run())
    insert, calls = SqlStore._insert, []

    def fail_late(self: SqlStore, connection: Any, table: Any, rows: Any) -> None:
        calls.append(table.name)
        if len(calls) == 4:
            raise RuntimeError("power cut")
        insert(self, connection, table, rows)

    monkeypatch.setattr(SqlStore, "_insert", fail_late)
    with pytest.raises(RuntimeError, match="power cut"):
        store.save(facts_runs.demo_run().model_copy(update={"id": "never-stored"}))
    monkeypatch.undo()
    with _session(location) as session:
        for table in metadata().sorted_tables:
            column = "id" if table.name == "runs" else "run_id"
            found = {row[0] for row in session.execute(text(f"SELECT DISTINCT {column} FROM {table.name}"))}
            assert found <= {facts_runs.line_run().id}


def test_many_threads_save_at_once(store: SqlStore) -> None:
    """All of them meet at the very first save, which also creates the schema."""
    runs = _runs(12)
    barrier, failures = threading.Barrier(len(runs)), []

    def save(run: Run) -> None:
        barrier.wait()
        try:
            store.save(run)
        except (PlimsollError, sqlite3.Error) as error:
            failures.append(error)

    threads = [threading.Thread(target=save, args=[run]) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert {summary.id for summary in store.summaries()} == {run.id for run in runs}


def test_many_processes_save_at_once(locate: Locate) -> None:
    """Six programs start on an empty store together; each keeps 8 runs of a line search."""
    location = locate("many")
    writer = Path(__file__).parent.parent / "faults" / "store_writer.py"
    command = [sys.executable, str(writer), location, "8"]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    confirmed = [line for child in children for line in child.communicate(timeout=100)[0].split()]
    assert [child.returncode for child in children] == [0] * 6
    store = open_store(location)
    assert len(confirmed) == 48
    assert sorted(summary.id for summary in store.summaries()) == sorted(confirmed)
    expected = facts_runs.line_run()
    for run_id in confirmed:
        assert store.load(run_id) == expected.model_copy(update={"id": run_id})


def test_a_question_in_sql_has_a_short_answer(locate: Locate) -> None:
    location = locate("sql")
    run = facts_runs.demo_run()
    open_store(location).save(run)
    assert run.line is not None
    assert run.demand is not None
    with _session(location) as session:
        trials = session.execute(
            text("SELECT rate, achieved, latency_us_p99 FROM trials ORDER BY position")
        ).fetchall()
        hours = session.execute(
            text("SELECT iops FROM demand_intervals WHERE field = 'intervals' ORDER BY begin_time")
        )
        joined = session.execute(
            text(
                "SELECT c.latency_us_hdr FROM trials t JOIN cells c ON c.run_id = t.run_id AND c.parent_no = t.row_no"
            )
        ).fetchall()
        iops = [row[0] for row in hours]
    assert trials == [(t.rate, t.achieved, t.latency_us.p99) for t in run.line.trials]
    assert iops == [interval.iops for interval in run.demand.intervals]
    assert len(joined) == len(run.line.trials)


def test_the_created_schema_is_the_migrated_one_and_the_derived_one(locate: Locate) -> None:
    """If this fails after a fact gained a field: python -m plimsoll.store.migrations "add what"."""
    created, migrated = locate("created"), locate("migrated")
    open_store(created).save(facts_runs.io_run())
    _migrate_from_nothing(migrated)
    assert open_store(migrated).summaries() == []
    for location in (created, migrated):
        with _session(location) as session:
            context = MigrationContext.configure(
                session, opts={"version_table": revisions.VERSION_TABLE, "compare_type": True}
            )
            assert compare_metadata(context, metadata()) == []


def _migrate_from_nothing(location: str) -> None:
    """The way of a store that is as old as the first revision, all steps of it."""
    database = open_store(location).database
    with database.connect() as session, database.transaction(session, alone=True):
        upgrade(database.dialect, session)


LATER = '''"""A revision of tomorrow, for a test."""
import sqlalchemy as sa
from alembic import op
revision, down_revision = "9999", "{newest}"
def upgrade() -> None:
    op.add_column("runs", sa.Column("added_later", sa.Text(), nullable=True))
'''


@pytest.fixture
def tomorrow(tmp_path: Path) -> Path:
    """A folder of revisions that has one more than today's."""
    folder = tmp_path / "versions"
    folder.mkdir()
    for file in revisions.REVISIONS.glob("*.py"):
        (folder / file.name).write_text(file.read_text())
    (folder / "9999_later.py").write_text(LATER.format(newest=revisions.newest()))
    return folder


def test_an_older_store_is_upgraded_and_keeps_its_runs(
    locate: Locate, tomorrow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    location, run = locate("older"), facts_runs.line_run()
    store = open_store(location)
    store.save(run)
    _use_revisions(monkeypatch, tomorrow)
    assert store.load("latest") == run
    with _session(location) as session:
        assert session.execute(text("SELECT added_later FROM runs")).fetchall() == [(None,)]
        assert session.execute(text(f"SELECT version_num FROM {revisions.VERSION_TABLE}")).fetchall() == [
            ("9999",)
        ]


def test_a_newer_store_is_refused_and_left_as_it_is(
    locate: Locate, tomorrow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    location, run = locate("newer"), facts_runs.line_run()
    store = open_store(location)
    with monkeypatch.context() as later:
        _use_revisions(later, tomorrow)
        store.save(run)
    for use in (lambda: store.save(run), store.summaries, lambda: store.load("latest")):
        with pytest.raises(WorldError, match="newer plimsoll: its schema is 9999") as refused:
            use()
        assert refused.value.id == "store-newer"
        assert "pip install" in (refused.value.hint or "")
    _use_revisions(monkeypatch, tomorrow)
    assert store.load("latest") == run


def test_an_upgrade_that_fails_changes_nothing(
    locate: Locate, tomorrow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    location, run = locate("failing"), facts_runs.line_run()
    store = open_store(location)
    store.save(run)
    later = tomorrow / "9999_later.py"
    later.write_text(later.read_text() + "    raise RuntimeError('power cut')\n")
    with monkeypatch.context() as patched:
        _use_revisions(patched, tomorrow)
        with pytest.raises(RuntimeError, match="power cut"):
            store.load("latest")
    assert store.load("latest") == run
    with _session(location) as session:
        assert "added_later" not in session.execute(text("SELECT * FROM runs")).keys()  # noqa: SIM118


def _use_revisions(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    ensure = version.ensure_newest
    monkeypatch.setattr(
        sqlstore, "ensure_newest", lambda database, session: ensure(database, session, folder)
    )


def test_a_database_of_something_else_is_refused_and_left_as_it_is(locate: Locate) -> None:
    location = locate("foreign")
    with _session(location) as session:
        session.execute(text("CREATE TABLE runs (kilometres INTEGER)"))
    with pytest.raises(WorldError, match="database of something else") as refused:
        open_store(location).save(facts_runs.io_run())
    assert refused.value.id == "store-foreign"
    with _session(location) as session:
        assert list(session.execute(text("SELECT * FROM runs")).keys()) == ["kilometres"]
    if not location.startswith("postgresql://"):
        with closing(sqlite3.connect(location)) as file:
            assert file.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def _runs(count: int) -> list[Run]:
    """Runs of different kinds, a minute apart, oldest first."""
    kinds = list(facts_runs.all_runs().values())
    instants = [datetime(2025, 5, 1, 12, tzinfo=UTC) + timedelta(minutes=index) for index in range(count)]
    return [
        kinds[index % len(kinds)].model_copy(
            update={"id": new_run_id(at), "started_at": at, "ended_at": at + timedelta(seconds=90 + index)}
        )
        for index, at in enumerate(instants)
    ]


@pytest.mark.parametrize(
    ("url", "id"),
    [
        ("postgresql://clerk:hunter2@127.0.0.1:1/none", "database-unreachable"),
        ("postgresql://clerk:hunter2@127.0.0.1:1/none?no_such_option=1", "database-url"),
        ("postgresql://clerk:hunter2@no-such-host.invalid/none", "database-unreachable"),
    ],
)
def test_an_unreachable_server_is_named_without_the_password(url: str, id: str) -> None:
    with pytest.raises(PlimsollError) as refused:
        open_store(url).save(facts_runs.io_run())
    assert refused.value.id == id
    assert "hunter2" not in f"{refused.value.message} {refused.value.hint} {open_store(url).display}"
    assert refused.value.hint
    assert "\n" not in refused.value.message


@pytest.mark.parametrize(
    "place", ["me:hunter2@db", "me/hunter2@db/runs", "host=db password=hunter2", "u:hunter2://a@b"]
)
def test_a_login_is_no_file(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be made, and its name shows the password to all who can list the folder."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PlimsollError) as refused:
        open_store(place).save(facts_runs.io_run())
    assert refused.value.id == "store-location"
    assert "hunter2" not in f"{refused.value.message} {refused.value.hint}"
    assert not list(tmp_path.iterdir())


def test_a_file_with_an_at_sign_in_its_name_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for place in ("./a/b@c.sqlite", str(tmp_path / "a:b@c.sqlite")):
        open_store(place).save(facts_runs.io_run())
        assert Path(place).is_file()
    assert open_store("a/b@c.sqlite").load("latest").kind == "io"


def test_a_user_without_rights_is_told_what_to_grant(server: str) -> None:
    location = _new_database(server, "rights")
    with _session(location) as session:
        session.execute(text("DROP ROLE IF EXISTS clerk"))
        session.execute(text("CREATE ROLE clerk LOGIN PASSWORD 'of-the-store'"))
    with pytest.raises(WorldError) as refused:
        open_store(re.sub("//[^@]*@", "//clerk:of-the-store@", location)).save(facts_runs.io_run())
    assert refused.value.id == "store-refused"
    assert "CREATE" in (refused.value.hint or "")


def test_a_server_set_read_only_is_named(server: str) -> None:
    location = _new_database(server, "standby")
    with pytest.raises(WorldError, match="it is read-only") as refused:
        open_store(f"{location}&options=-cdefault_transaction_read_only%3Don").save(facts_runs.io_run())
    assert refused.value.id == "store-read-only"


def test_a_confirmed_run_is_on_disk_whatever_the_servers_default(server: str) -> None:
    location = f"{_new_database(server, 'lazy')}&options=-csynchronous_commit%3Doff"
    database = open_store(location).database
    with database.connect() as session:
        assert session.execute("SHOW synchronous_commit").fetchone() == ("off",)
        with database.transaction(session):
            assert session.execute("SHOW synchronous_commit").fetchone() == ("on",)


@settings(max_examples=5, suppress_health_check=[HealthCheck.data_too_large, HealthCheck.filter_too_much])
@given(st.data())
def test_the_strategy_makes_every_part_of_a_run(data: st.DataObject) -> None:
    """Guards the property test above against a strategy that quietly makes nothing."""
    run: Run = data.draw(facts(Run).filter(lambda run: run.line is not None and run.demand is not None))
    assert run.line is not None


def test_even_a_defect_of_ours_is_an_error_that_flows_can_live_with(locate: Locate) -> None:
    """Whoever saves prints the result all the same; a driver's own exception would take it away."""
    location = locate("defect")
    store = open_store(location)
    store.save(facts_runs.io_run())
    with _session(location) as session:
        session.execute(text("ALTER TABLE cells DROP COLUMN engine"))
    with pytest.raises(WorldError, match="engine") as failed:
        store.save(facts_runs.line_run().model_copy(update={"id": "after"}))
    assert failed.value.id == "store-failed"
    assert len(store.summaries()) == 1
