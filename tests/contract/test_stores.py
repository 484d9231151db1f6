"""One suite for every kind of store: what is saved comes back exactly, whole or not at all, whoever else is writing."""

from __future__ import annotations

import json
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
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

import facts_runs
from documents import ROOT
from facts_strategy import facts, of_kind
from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.context import Cancel, Context, LocalExecutor, RunFilter, Scratch
from plimsoll.databases import embedded
from plimsoll.facts import Run, RunSummary
from plimsoll.facts.document import document_of
from plimsoll.facts.run import RESULTS
from plimsoll.ports.clock import SystemClock
from plimsoll.results import RunColumn
from plimsoll.store import SqlStore, new_run_id, open_store, schema, sqlstore, summarize, version
from plimsoll.store.columns import run_columns
from plimsoll.store.rows import to_rows
from plimsoll.store.tables import tables

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
def _session(location: str) -> Iterator[Any]:
    """The store as somebody else sees it: committed at the end, and closed."""
    if location.startswith("postgresql://"):
        import psycopg

        with psycopg.connect(location) as session:
            session.execute("SELECT set_config('search_path', 'plimsoll', false)")
            yield session
        return
    with closing(sqlite3.connect(location)) as session, session:
        yield session


def _count(session: Any, table: str) -> int:
    return session.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


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
    with pytest.raises(UsageError, match="is not there"):
        store.summaries()
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
    assert store.load("latest") == store.load("latest~0") == runs[2]
    assert store.load("latest~2") == runs[0]
    with pytest.raises(UsageError, match="holds 3 runs"):
        store.load("latest~3")


def test_runs_are_filtered_and_retold(store: SqlStore) -> None:
    runs = _runs(4)
    for run in runs:
        store.save(run)
    told = store.retell(runs[1].id, lambda run: run.model_copy(update={"tags": ("a_b", "c")}))
    assert store.load(runs[1].id) == told == runs[1].model_copy(update={"tags": ("a_b", "c")})
    for wanted, found in [
        (RunFilter(tags=("c", "a_b")), [told]),
        (RunFilter(tags=("axb",)), []),
        (RunFilter(kind=runs[3].kind, since=runs[2].started_at), [runs[3]]),
        (RunFilter(target=runs[0].title.upper()[:12], since=runs[0].started_at), [runs[0]]),
    ]:
        assert store.summaries(None, wanted) == [summarize(run) for run in found]


def test_an_id_that_is_the_beginning_of_another_is_found(store: SqlStore) -> None:
    short, long = (
        facts_runs.io_run().model_copy(update={"id": id})
        for id in ("20250101-000000-a", "20250101-000000-ab")
    )
    store.save(short)
    store.save(long)
    assert store.load(short.id) == short


def test_unknown_and_ambiguous_ids_name_the_nearest(store: SqlStore) -> None:
    with pytest.raises(UsageError) as empty:
        store.load("latest")
    assert empty.value.id == ("run-unknown" if store.database.exists() else "store-missing")
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
    store.save(facts_runs.io_run())
    insert, calls = SqlStore._insert, []

    def fail_late(self: SqlStore, connection: Any, table: str, *rest: Any) -> None:
        calls.append(table)
        if table == "run_blobs":
            raise RuntimeError("power cut")
        insert(self, connection, table, *rest)

    with _session(location) as session:
        blobs = _count(session, "blobs")
    monkeypatch.setattr(SqlStore, "_insert", fail_late)
    with pytest.raises(RuntimeError, match="power cut"):
        store.save(facts_runs.demo_run().model_copy(update={"id": "never-stored"}))
    monkeypatch.undo()
    assert calls == ["runs", "documents", "blobs", "run_blobs"]
    with _session(location) as session:
        assert [_count(session, table) for table in ("runs", "documents")] == [1, 1]
        assert _count(session, "blobs") == blobs


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
    assert run.verdict is not None
    with _session(location) as session:
        trials = session.execute(
            "SELECT rate, achieved, latency_us_p99 FROM trials ORDER BY position"
        ).fetchall()
        iops = session.execute(
            "SELECT iops FROM demand_intervals WHERE place LIKE 'results.demand.intervals%' ORDER BY begin_time"
        ).fetchall()
        joined = session.execute(
            "SELECT b.size_bytes FROM trials t JOIN cells c ON c.run_id = t.run_id AND c.place = t.place || '.cell' "
            "JOIN blobs b ON b.sha256 = c.latency_us_hdr ORDER BY t.position"
        ).fetchall()
        often = session.execute("SELECT target, line_iops, headroom FROM runs").fetchone()
        classes = session.execute(
            "SELECT key, ops_per_s FROM class_demands WHERE place LIKE 'results.demand.peak%' ORDER BY key"
        ).fetchall()
    assert trials == [(t.rate, t.achieved, t.latency_us.p99) for t in run.line.trials]
    assert iops == [(interval.iops,) for interval in run.demand.intervals]
    assert joined == [(len(t.cell.latency_us.hdr or b""),) for t in run.line.trials]
    assert often == (run.target and run.target.path, run.line.line_iops, run.verdict.headroom)
    assert run.demand.peak is not None
    assert classes == sorted((name, of.ops_per_s) for name, of in run.demand.peak.classes.items())


PAGE = (ROOT / "docs" / "store.md").read_text(encoding="utf-8")
QUESTIONS = re.findall(r"^```(sql|postgresql)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_questions_of_the_manual_have_answers(locate: Locate) -> None:
    location = locate("manual")
    store = open_store(location)
    for name, run in facts_runs.all_runs().items():
        store.save(run.model_copy(update={"id": name}))
    is_server, asked = location.startswith("postgresql://"), 0
    for dialect, question in QUESTIONS:
        if dialect == (
            "sql" if is_server and "substr" in question else "postgresql" if not is_server else ""
        ):
            continue
        with _session(location) as session:
            assert session.execute(question).fetchall(), question
        asked += 1
    assert asked == len(QUESTIONS) - 1


def test_the_manual_names_every_column_of_runs() -> None:
    listed = PAGE.partition("Columns of `runs`:")[2].partition("What a run")[0]
    assert re.findall(r"`(\w+)`", listed) == [column.name for column in run_columns()]


def test_every_view_of_every_run_has_as_many_rows_as_its_export(locate: Locate) -> None:
    """With `tests/unit/store/test_rows.py`, which holds each cell against SQLite. Each run is alone in the store for a while."""
    location = locate("views")
    store = open_store(location)
    for name, run in facts_runs.all_runs().items():
        store.save(run)
        expected = {table.name: len(rows) for table, rows in to_rows(run).items()}
        with _session(location) as session:
            shown = {
                table.name: len(session.execute(f"SELECT * FROM {table.name}").fetchall())
                for table in tables()
            }
        assert {view: rows for view, rows in shown.items() if rows} == expected, name
        store.delete([run.id])


def test_a_distribution_is_kept_once(locate: Locate) -> None:
    """However often it stands in runs, and gone with the last of them."""
    location, run = locate("once"), facts_runs.line_run()
    store = open_store(location)
    for name in ("first", "second"):
        store.save(run.model_copy(update={"id": name}))
    distinct = len(document_of(run).blobs)
    assert distinct > 0
    with _session(location) as session:
        assert [_count(session, table) for table in ("blobs", "run_blobs")] == [distinct, 2 * distinct]
    assert store.delete(["first"]) > 0
    assert store.load("second") == run.model_copy(update={"id": "second"})
    with _session(location) as session:
        assert [_count(session, table) for table in ("blobs", "run_blobs")] == [distinct, distinct]
    store.delete(["second"])
    with _session(location) as session:
        assert [_count(session, table) for table in ("runs", "documents", "blobs", "run_blobs")] == [0] * 4


def test_all_named_runs_are_deleted_or_none(store: SqlStore) -> None:
    runs = _runs(3)
    for run in runs:
        store.save(run)
    with pytest.raises(UsageError, match="no run is called 'another'"):
        store.delete([runs[0].id, "another"])
    assert len(store.summaries()) == 3
    assert store.find(runs[1].id[:-2]) == summarize(runs[1])
    store.delete([runs[0].id, runs[2].id])
    assert [one.id for one in store.summaries()] == [runs[1].id]
    assert store.load(runs[1].id) == runs[1]


def test_runs_are_deleted_beside_writers_of_the_same_distributions(locate: Locate) -> None:
    location, run = locate("beside"), facts_runs.line_run()
    store, failures, last = open_store(location), [], 12

    def work(writer: int) -> None:
        try:
            for number in range(last + 1):
                name = f"{writer}-{number:02}"
                store.save(run.model_copy(update={"id": name}))
                if number < last:
                    store.delete([name])
        except PlimsollError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=[writer]) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(one.id for one in store.summaries()) == [f"{writer}-{last}" for writer in range(4)]
    for writer in range(4):
        assert store.load(f"{writer}-{last}") == run.model_copy(update={"id": f"{writer}-{last}"})


LATER = RunColumn("added_later", "text", lambda run: run.title.upper())


def _with_a_later_column(monkeypatch: pytest.MonkeyPatch, release: str) -> None:
    """As a plimsoll would be that knows a column more."""
    monkeypatch.setattr(version, "__version__", release)
    columns = (*run_columns(), LATER)
    for module in (version, sqlstore, schema):
        monkeypatch.setattr(module, "run_columns", lambda: columns)
    monkeypatch.setattr(version, "derived", lambda dialect: "later")


def test_an_older_store_is_brought_up_to_date_and_keeps_its_runs(
    locate: Locate, monkeypatch: pytest.MonkeyPatch
) -> None:
    location, run = locate("older"), facts_runs.line_run()
    store = open_store(location)
    store.save(run)
    second, third = (run.model_copy(update={"id": name}) for name in ("second", "third"))
    with monkeypatch.context() as later:
        _with_a_later_column(later, "99.0")
        assert store.load("latest") == run
        store.save(second)
    store.save(third)
    with _session(location) as session:
        kept = dict(session.execute("SELECT id, added_later FROM runs").fetchall())
        assert kept == {run.id: run.title.upper(), "second": run.title.upper(), "third": None}
        assert session.execute("SELECT written_by FROM plimsoll_store").fetchall() == [("99.0",)]
        assert _count(session, "lines") == 3
    assert [store.load(name) for name in (run.id, "second", "third")] == [run, second, third]


def test_an_update_that_fails_changes_nothing(locate: Locate, monkeypatch: pytest.MonkeyPatch) -> None:
    location, run = locate("failing"), facts_runs.line_run()
    store = open_store(location)
    store.save(run)
    with monkeypatch.context() as later:
        _with_a_later_column(later, "99.0")

        def power_cut(*_: object) -> None:
            raise RuntimeError("power cut")

        later.setattr(version, "_make_views", power_cut)
        with pytest.raises(RuntimeError, match="power cut"):
            store.save(run.model_copy(update={"id": "second"}))
    assert store.load("latest") == run
    with _session(location) as session:
        assert "added_later" not in [
            column[0] for column in session.execute("SELECT * FROM runs").description
        ]


def test_a_newer_schema_is_refused_and_left_as_it_is(locate: Locate) -> None:
    location, run = locate("newer"), facts_runs.line_run()
    store = open_store(location)
    store.save(run)
    with _session(location) as session:
        session.execute("UPDATE plimsoll_store SET schema_no = 9999, written_by = '99.0'")
    for use in (lambda: store.save(run), store.summaries, lambda: store.load("latest")):
        with pytest.raises(WorldError, match=r"written by plimsoll 99\.0: its schema is 9999") as refused:
            use()
        assert refused.value.id == "store-newer"
        assert "newer release" in (refused.value.hint or "")


def test_a_run_that_a_newer_plimsoll_wrote_is_named(locate: Locate) -> None:
    location, run = locate("newer_run"), facts_runs.line_run()
    store = open_store(location)
    store.save(run)
    _change_document(
        location,
        lambda data: data | {"new_part": {}, "provenance": data["provenance"] | {"plimsoll": "99.1"}},
    )
    with pytest.raises(WorldError, match=r"written by plimsoll 99\.1, which knows more") as refused:
        store.load("latest")
    assert refused.value.id == "run-newer"
    assert len(store.summaries()) == 1


@pytest.mark.parametrize("damage", ["{", "[]", '{"id": 1}', "null"])
def test_a_document_that_no_plimsoll_wrote_is_named(locate: Locate, damage: str) -> None:
    location = locate("damaged")
    store = open_store(location)
    store.save(facts_runs.line_run())
    if damage == "{" and location.startswith("postgresql://"):
        pytest.skip("jsonb takes no text that is not json")
    with _session(location) as session:
        session.execute(f"UPDATE documents SET document = '{damage}'")
    with pytest.raises(WorldError, match="holds what no plimsoll wrote") as refused:
        store.load("latest")
    assert refused.value.id == "store-damaged"


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM run_blobs",
        "UPDATE blobs SET size_bytes = size_bytes + 1",
        "UPDATE blobs SET size_bytes = 1",
        "UPDATE blobs SET zlib = substr(zlib, 3)",
    ],
)
def test_a_distribution_that_is_gone_or_damaged_is_named(locate: Locate, statement: str) -> None:
    location = locate("blobs")
    store = open_store(location)
    store.save(facts_runs.line_run())
    with _session(location) as session:
        session.execute(statement)
    with pytest.raises(WorldError, match="blob") as refused:
        store.load("latest")
    assert refused.value.id == "store-damaged"


def _change_document(location: str, change: Callable[[Any], Any]) -> None:
    mark = "%s" if location.startswith("postgresql://") else "?"
    with _session(location) as session:
        text = session.execute("SELECT CAST(document AS text) FROM documents").fetchone()[0]
        session.execute(f"UPDATE documents SET document = {mark}", [json.dumps(change(json.loads(text)))])


def test_a_store_from_before_the_first_release_is_named(locate: Locate) -> None:
    location = locate("old")
    with _session(location) as session:
        if location.startswith("postgresql://"):
            session.execute("CREATE SCHEMA plimsoll")
        session.execute("CREATE TABLE plimsoll_version (version_num TEXT)")
    for use in (lambda: open_store(location).save(facts_runs.io_run()), open_store(location).summaries):
        with pytest.raises(WorldError, match="before the first release") as refused:
            use()
        assert refused.value.id == "store-older"


def test_a_view_that_others_built_upon_stays(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    location, run = _new_database(server, "built"), facts_runs.line_run()
    store = open_store(location)
    store.save(run)
    with _session(location) as session:
        session.execute("CREATE VIEW theirs AS SELECT max(line_iops) AS best FROM lines")
    _with_a_later_column(monkeypatch, "99.0")
    store.save(run.model_copy(update={"id": "second"}))
    with _session(location) as session:
        assert session.execute("SELECT best FROM theirs").fetchone() == (run.line and run.line.line_iops,)


def test_a_database_of_something_else_is_refused_and_left_as_it_is(locate: Locate) -> None:
    location = locate("foreign")
    with _session(location) as session:
        if location.startswith("postgresql://"):
            session.execute("CREATE SCHEMA plimsoll")
        session.execute("CREATE TABLE runs (kilometres INTEGER)")
    with pytest.raises(WorldError, match="database of something else") as refused:
        open_store(location).save(facts_runs.io_run())
    assert refused.value.id == "store-foreign"
    with _session(location) as session:
        assert [column[0] for column in session.execute("SELECT * FROM runs").description] == ["kilometres"]
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
        session.execute("DROP ROLE IF EXISTS clerk")
        session.execute("CREATE ROLE clerk LOGIN PASSWORD 'of-the-store'")
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


@pytest.mark.parametrize("kind", RESULTS)
@settings(max_examples=3, suppress_health_check=[HealthCheck.data_too_large, HealthCheck.too_slow])
@given(data=st.data())
def test_the_strategy_makes_every_part_of_a_run(kind: str, data: st.DataObject) -> None:
    """Guards the property test above against a strategy that quietly makes nothing."""
    run = facts_runs.line_run()
    assert run.model_copy(update={"results": {kind: data.draw(of_kind(kind))}}).results[kind] is not None


def test_the_strategy_makes_runs_with_results() -> None:
    # Whole runs are large: the first one will do, and need not be made smaller.
    first = settings(
        phases=[Phase.generate], suppress_health_check=[HealthCheck.data_too_large, HealthCheck.too_slow]
    )
    assert find(facts(Run), lambda run: bool(run.results), settings=first).results


def test_even_a_defect_of_ours_is_an_error_that_flows_can_live_with(locate: Locate) -> None:
    """Whoever saves prints the result all the same; a driver's own exception would take it away."""
    location = locate("defect")
    store = open_store(location)
    store.save(facts_runs.io_run())
    with _session(location) as session:
        session.execute("ALTER TABLE runs DROP COLUMN engine")
    with pytest.raises(WorldError, match="engine") as failed:
        store.save(facts_runs.line_run().model_copy(update={"id": "after"}))
    assert failed.value.id == "store-failed"
    assert len(store.summaries()) == 1
