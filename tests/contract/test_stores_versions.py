"""Stores of other releases, of something else, or damaged: brought up to date, or named and left as they are."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

import facts_runs
from plimsoll.base.errors import WorldError
from plimsoll.results import RunColumn
from plimsoll.store import open_store, schema, sqlstore, version
from plimsoll.store.columns import run_columns
from store_places import Locate, new_database, row_count, session_of

LATER = RunColumn("added_later", "text", lambda run: run.title.upper())


def _with_a_later_column(monkeypatch: pytest.MonkeyPatch, release: str) -> None:
    """As a plimsoll would be that knows a column more."""
    monkeypatch.setattr(version, "__version__", release)
    columns = (*run_columns(), LATER)
    for module in (version, schema):
        monkeypatch.setattr(module, "run_columns", lambda: columns)
    monkeypatch.setattr(sqlstore, "columns_of", lambda run: columns)
    monkeypatch.setattr(version, "derived", lambda dialect: "later")
    monkeypatch.setattr(version, "fingerprint", lambda: "later")


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
    with session_of(location) as session:
        kept = dict(session.execute("SELECT id, added_later FROM runs").fetchall())
        assert kept == {run.id: run.title.upper(), "second": run.title.upper(), "third": None}
        assert session.execute("SELECT written_by FROM plimsoll_store").fetchall() == [("99.0",)]
        assert row_count(session, "lines") == 3
    assert [store.load(name) for name in (run.id, "second", "third")] == [run, second, third]


def test_an_update_that_fails_changes_nothing(locate: Locate, monkeypatch: pytest.MonkeyPatch) -> None:
    location, run = locate("failing"), facts_runs.line_run()
    store = open_store(location)
    store.save(run)
    with monkeypatch.context() as later:
        _with_a_later_column(later, "99.0")

        def power_cut(*_: object) -> None:
            raise RuntimeError("power cut")

        later.setattr(version, "_sign", power_cut)
        with pytest.raises(RuntimeError, match="power cut"):
            store.save(run.model_copy(update={"id": "second"}))
    assert store.load("latest") == run
    with session_of(location) as session:
        assert "added_later" not in [
            column[0] for column in session.execute("SELECT * FROM runs").description
        ]


def test_a_newer_schema_is_refused_and_left_as_it_is(locate: Locate) -> None:
    location, run = locate("newer"), facts_runs.line_run()
    store = open_store(location)
    store.save(run)
    with session_of(location) as session:
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
    with session_of(location) as session:
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
    with session_of(location) as session:
        session.execute(statement)
    with pytest.raises(WorldError, match="blob") as refused:
        store.load("latest")
    assert refused.value.id == "store-damaged"


def _change_document(location: str, change: Callable[[Any], Any]) -> None:
    mark = "%s" if location.startswith("postgresql://") else "?"
    with session_of(location) as session:
        text = session.execute("SELECT CAST(document AS text) FROM documents").fetchone()[0]
        session.execute(f"UPDATE documents SET document = {mark}", [json.dumps(change(json.loads(text)))])


def _with_a_table(location: str, table: str) -> None:
    """A place of a store in which somebody else made this table."""
    with session_of(location) as session:
        if location.startswith("postgresql://"):
            session.execute("CREATE SCHEMA plimsoll")
        session.execute(f"CREATE TABLE {table}")


def test_a_store_from_before_the_first_release_is_named(locate: Locate) -> None:
    location = locate("old")
    _with_a_table(location, "plimsoll_version (version_num TEXT)")
    for use in (lambda: open_store(location).save(facts_runs.io_run()), open_store(location).summaries):
        with pytest.raises(WorldError, match="before the first release") as refused:
            use()
        assert refused.value.id == "store-older"


def test_a_view_that_others_built_upon_stays(store_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    location, run = new_database(store_server, "built"), facts_runs.line_run()
    store = open_store(location)
    store.save(run)
    with session_of(location) as session:
        session.execute("CREATE VIEW theirs AS SELECT max(line_iops) AS best FROM lines")
    _with_a_later_column(monkeypatch, "99.0")
    store.save(run.model_copy(update={"id": "second"}))
    with session_of(location) as session:
        assert session.execute("SELECT best FROM theirs").fetchone() == (run.line and run.line.line_iops,)


def test_views_of_somebody_else_are_refused_and_left_as_they_are(locate: Locate) -> None:
    location = locate("views")
    with session_of(location) as session:
        if location.startswith("postgresql://"):
            session.execute("CREATE SCHEMA plimsoll")
        session.execute("CREATE VIEW checks AS SELECT 7 AS mine")
    with pytest.raises(WorldError, match="somebody else's checks") as refused:
        open_store(location).save(facts_runs.io_run())
    assert refused.value.id == "store-foreign"
    with session_of(location) as session:
        assert session.execute("SELECT mine FROM checks").fetchall() == [(7,)]


@pytest.mark.parametrize("what", ["VIEW", "TABLE"])
def test_what_others_made_under_the_name_of_a_later_view_stays(
    locate: Locate, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    location, run = locate(f"their_{what}"), facts_runs.line_run()
    open_store(location).save(run)
    with session_of(location) as session:
        session.execute(f"CREATE {what} later_facts AS SELECT 7 AS mine")
    _with_a_later_column(monkeypatch, "99.0")
    dialect = "postgresql" if location.startswith("postgresql://") else "sqlite"
    views = {**schema.view_selects(dialect), "later_facts": "SELECT d.run_id FROM documents d"}
    monkeypatch.setattr(version, "view_selects", lambda _: views)
    open_store(location).save(run.model_copy(update={"id": "second"}))
    with session_of(location) as session:
        assert session.execute("SELECT mine FROM later_facts").fetchall() == [(7,)]
        assert row_count(session, "lines") == 2


def test_a_database_of_something_else_is_refused_and_left_as_it_is(locate: Locate) -> None:
    location = locate("foreign")
    _with_a_table(location, "runs (kilometres INTEGER)")
    with pytest.raises(WorldError, match="database of something else") as refused:
        open_store(location).save(facts_runs.io_run())
    assert refused.value.id == "store-foreign"
    with session_of(location) as session:
        assert [column[0] for column in session.execute("SELECT * FROM runs").description] == ["kilometres"]
    if not location.startswith("postgresql://"):
        with closing(sqlite3.connect(location)) as file:
            assert file.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_installations_that_sign_a_store_at_once_leave_one_signature(
    locate: Locate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has other code, which makes the same of facts, and waits until the other is about to sign."""
    location, run = locate("signed"), facts_runs.line_run()
    open_store(location).save(run)
    both, sign_again = threading.Barrier(2), version._sign_again
    here = threading.local()

    def sign(*given: Any) -> None:
        both.wait(timeout=60)
        sign_again(*given)

    def save(name: str) -> None:
        here.code = f"the code of {name}"
        open_store(location).save(run.model_copy(update={"id": name}))

    monkeypatch.setattr(version, "fingerprint", lambda: here.code)
    monkeypatch.setattr(version, "_sign_again", sign)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(save, ("first", "second")))
    with session_of(location) as session:
        assert row_count(session, "plimsoll_store") == 1
    assert {row["id"] for row in open_store(location).columns(("id",), "id")} == {run.id, "first", "second"}
