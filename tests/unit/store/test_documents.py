"""The document of a run in parts: the same text as in one, and no more of it on its way to the store however long its lists are."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

import facts_runs
from facts_runs import long_advice_run
from plimsoll.facts import document
from plimsoll.facts.document import document_of, pieces_of
from plimsoll.store import open_store
from plimsoll.store.documents import RunDocument

TIMES = 400


@pytest.mark.parametrize("at_once", [1, 7, 500])
def test_the_parts_of_each_kind_of_run_are_its_document(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document, "FACTS_AT_ONCE", at_once)
    for run in [*facts_runs.all_runs().values(), long_advice_run(TIMES), long_advice_run(500)]:
        whole, blobs = document_of(run), {}
        assert "".join(pieces_of(run, blobs)) == whole.text
        assert blobs == whole.blobs


def test_no_part_grows_with_the_number_of_facts() -> None:
    longest = [max(map(len, pieces_of(long_advice_run(times), {}))) for times in (TIMES * 2, TIMES * 8)]
    assert longest[1] == longest[0]


def test_a_long_one_is_written_in_parts_and_read_as_it_was(tmp_path: Path) -> None:
    store, run = open_store(str(tmp_path / "store.sqlite")), long_advice_run(TIMES * 2)
    assert RunDocument(run).is_long
    store.save(run)
    assert store.load(run.id) == run
    with store.database.connect() as connection:
        kept = connection.execute("SELECT typeof(document), document FROM documents").fetchall()
    assert kept == [("text", document_of(run).text)]


def test_what_is_in_memory_to_save_a_run_does_not_grow_with_its_lists(tmp_path: Path) -> None:
    peaks = []
    for times in (TIMES * 4, TIMES * 16):
        store, run = open_store(str(tmp_path / f"{times}.sqlite")), long_advice_run(times)
        store.check()
        tracemalloc.start()
        store.save(run)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_text_in_another_encoding_is_left_to_the_database(tmp_path: Path) -> None:
    store, run = open_store(str(tmp_path / "store.sqlite")), long_advice_run(TIMES * 2)
    with store.database.connect() as connection:
        connection.execute("PRAGMA encoding = 'UTF-16le'")
        connection.execute("CREATE TABLE mine (a)")
        connection.execute("DROP TABLE mine")
    store.save(run)
    assert store.load(run.id) == run
