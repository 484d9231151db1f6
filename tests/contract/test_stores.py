"""One suite for every kind of store: what is saved comes back exactly, whole or not at all, whoever else is writing."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import facts_runs
from plimsoll.base import limits
from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.context import RunFilter
from plimsoll.facts import Run, RunSummary
from plimsoll.facts.document import document_of
from plimsoll.store import SqlStore, documents, open_store, summarize
from store_places import Locate, row_count, runs_of_all_kinds, session_of
from zygote import Zygote, zygote

FAULTS = Path(__file__).parent.parent / "faults"
WRITER = f"import sys; sys.path.insert(0, {str(FAULTS)!r}); from store_writer import work"


def test_plausible_runs_come_back_exactly(store: SqlStore) -> None:
    for name, run in facts_runs.all_runs().items():
        named = run.model_copy(update={"id": name})
        store.save(named)
        assert store.load(name) == named


def test_nothing_is_opened_before_the_first_use(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "deep" / "store.sqlite"))
    with pytest.raises(UsageError, match="is not there"):
        store.summaries()
    assert list(tmp_path.iterdir()) == []


def test_summaries_are_newest_first_and_say_the_answer(store: SqlStore) -> None:
    runs = runs_of_all_kinds(5)
    for run in [runs[2], runs[0], runs[4], runs[1], runs[3]]:
        store.save(run)
    assert store.summaries() == [summarize(run) for run in reversed(runs)]
    assert [summary.id for summary in store.summaries(2)] == [runs[4].id, runs[3].id]
    assert all(isinstance(summary, RunSummary) and summary.result for summary in store.summaries())


def test_a_run_is_found_by_its_id_a_unique_beginning_and_as_latest(store: SqlStore) -> None:
    runs = runs_of_all_kinds(3)
    for run in runs:
        store.save(run)
    assert store.load(runs[0].id) == runs[0]
    assert store.load(runs[1].id[:-3]) == runs[1]
    assert store.load("latest") == store.load("latest~0") == runs[2]
    assert store.load("latest~2") == runs[0]
    with pytest.raises(UsageError, match="holds 3 runs"):
        store.load("latest~3")


def test_runs_are_filtered_and_retold(store: SqlStore) -> None:
    runs = runs_of_all_kinds(4)
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
    runs = runs_of_all_kinds(8)
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

    with session_of(location) as session:
        blobs = row_count(session, "blobs")
    monkeypatch.setattr(SqlStore, "_insert", fail_late)
    with pytest.raises(RuntimeError, match="power cut"):
        store.save(facts_runs.demo_run().model_copy(update={"id": "never-stored"}))
    monkeypatch.undo()
    assert calls == ["runs", "documents", "blobs", "run_blobs"]
    with session_of(location) as session:
        assert [row_count(session, table) for table in ("runs", "documents")] == [1, 1]
        assert row_count(session, "blobs") == blobs


def test_a_run_whose_document_comes_in_parts_is_read_as_it_was(store: SqlStore) -> None:
    run = facts_runs.long_advice_run(800)
    store.save(run)
    assert store.load(run.id) == run


def test_a_very_long_document_is_never_whole_on_its_way_and_is_read_as_it_was(
    locate: Locate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "DOCUMENT_TEXT_BYTES_MAX", 1 << 20)

    def refuse(_: documents.RunDocument) -> str:
        raise AssertionError("it is asked for as a whole")

    monkeypatch.setattr(documents.RunDocument, "text", property(refuse))
    location, run = locate("very_long"), facts_runs.long_advice_run(800)
    store = open_store(location)
    store.save(run)
    assert store.load(run.id) == run
    tagged = store.retell(run.id, lambda one: one.model_copy(update={"tags": ("flash",)}))
    assert store.load(run.id) == tagged
    with session_of(location) as session:
        found = session.execute("SELECT place, reason FROM findings ORDER BY position").fetchall()
        assert len(found) == 1600
        if location.startswith("postgresql://"):
            assert session.execute("SELECT count(*) FROM pg_largeobject_metadata").fetchall() == [(0,)]


def test_many_threads_save_at_once(store: SqlStore) -> None:
    """All of them meet at the very first save, which also creates the schema."""
    runs = runs_of_all_kinds(12)
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


@pytest.fixture(scope="module")
def writers() -> Iterator[Zygote]:
    """Processes that save runs: `started(location, count)`."""
    with zygote(WRITER) as parent:
        yield parent


def test_many_processes_save_at_once(locate: Locate, writers: Zygote) -> None:
    """Six processes start on an empty store together; each keeps 8 runs of a line search."""
    location = locate("many")
    children = [writers.started(location, "8") for _ in range(6)]
    kept = [child.ended().split() for child in children]
    assert [len(ids) for ids in kept] == [8] * 6
    confirmed = [run_id for ids in kept for run_id in ids]
    store = open_store(location)
    assert sorted(summary.id for summary in store.summaries()) == sorted(confirmed)
    expected = facts_runs.line_run()
    for run_id in confirmed:
        assert store.load(run_id) == expected.model_copy(update={"id": run_id})


def test_a_distribution_is_kept_once(locate: Locate) -> None:
    """However often it stands in runs, and gone with the last of them."""
    location, run = locate("once"), facts_runs.line_run()
    store = open_store(location)
    for name in ("first", "second"):
        store.save(run.model_copy(update={"id": name}))
    distinct = len(document_of(run).blobs)
    assert distinct > 0
    with session_of(location) as session:
        assert [row_count(session, table) for table in ("blobs", "run_blobs")] == [distinct, 2 * distinct]
    assert store.delete(["first"]) > 0
    assert store.load("second") == run.model_copy(update={"id": "second"})
    with session_of(location) as session:
        assert [row_count(session, table) for table in ("blobs", "run_blobs")] == [distinct, distinct]
    store.delete(["second"])
    with session_of(location) as session:
        assert [row_count(session, table) for table in ("runs", "documents", "blobs", "run_blobs")] == [0] * 4


def test_all_named_runs_are_deleted_or_none(store: SqlStore) -> None:
    runs = runs_of_all_kinds(3)
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


def test_even_a_defect_of_ours_is_an_error_that_flows_can_live_with(locate: Locate) -> None:
    """Whoever saves prints the result all the same; a driver's own exception would take it away."""
    location = locate("defect")
    store = open_store(location)
    store.save(facts_runs.io_run())
    with session_of(location) as session:
        session.execute("ALTER TABLE runs DROP COLUMN slo")
    with pytest.raises(WorldError, match="slo") as failed:
        store.save(facts_runs.line_run().model_copy(update={"id": "after"}))
    assert failed.value.id == "store-failed"
    assert len(store.summaries()) == 1
