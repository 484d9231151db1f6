"""The document of a run in parts: the same text as in one, and no more of it on its way to the store however long its lists are."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import facts_runs
from facts_runs import long_advice_run
from plimsoll.base import limits
from plimsoll.facts import document
from plimsoll.facts.document import document_of, pieces_of
from plimsoll.store import SqlStore, open_store
from plimsoll.store.documents import RunDocument
from store_places import session_of

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


def rows_of(place: str) -> dict[str, list[tuple[Any, ...]]]:
    """What the views have that advice has rows in."""
    with session_of(place) as session:
        return {
            name: session.execute(f"SELECT * FROM {name} ORDER BY place").fetchall()
            for name in ("advices", "interval_verdicts", "findings", "evidence_cells", "db_time_parts")
        }


def test_a_very_long_one_is_kept_as_bytes_and_read_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = long_advice_run(TIMES * 2)
    text, blob = (open_store(str(tmp_path / f"{name}.sqlite")) for name in ("text", "blob"))
    text.save(run)
    monkeypatch.setattr(limits, "DOCUMENT_TEXT_BYTES_MAX", 1 << 20)
    blob.save(run)
    assert blob.load(run.id) == text.load(run.id) == run
    with blob.database.connect() as connection:
        kept = connection.execute("SELECT typeof(document), CAST(document AS TEXT) FROM documents").fetchall()
    assert kept == [("blob", document_of(run).text)]
    blob_rows = rows_of(str(tmp_path / "blob.sqlite"))
    assert blob_rows == rows_of(str(tmp_path / "text.sqlite"))
    assert len(blob_rows["findings"]) == TIMES * 4


def test_a_very_long_one_is_found_tagged_and_deleted_as_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "DOCUMENT_TEXT_BYTES_MAX", 1 << 20)
    store, run = open_store(str(tmp_path / "store.sqlite")), long_advice_run(TIMES * 2)
    store.save(run)
    assert kept_as(store) == [("blob",)]
    store.retell(run.id, lambda one: one.model_copy(update={"tags": ("flash",)}))
    assert kept_as(store) == [("blob",)]
    assert store.load(run.id) == run.model_copy(update={"tags": ("flash",)})
    assert store.find(run.id).tags == ("flash",)
    assert store.delete([run.id]) > 1 << 20
    assert store.summaries() == []


def kept_as(store: SqlStore) -> list[tuple[str]]:
    """The form of each document."""
    with store.database.connect() as connection:
        return connection.execute("SELECT typeof(document) FROM documents").fetchall()


def test_a_long_one_that_is_tagged_stays_text(tmp_path: Path) -> None:
    store, run = open_store(str(tmp_path / "store.sqlite")), long_advice_run(TIMES * 2)
    store.save(run)
    changed = store.retell(run.id, lambda one: one.model_copy(update={"tags": ("flash", "new")}))
    assert kept_as(store) == [("text",)]
    assert store.load(run.id) == changed


def test_where_json_in_bytes_is_refused_it_stays_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "DOCUMENT_TEXT_BYTES_MAX", 1 << 20)
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 45, 0))
    store, run = open_store(str(tmp_path / "store.sqlite")), long_advice_run(TIMES * 2)
    store.save(run)
    with store.database.connect() as connection:
        assert connection.execute("SELECT typeof(document) FROM documents").fetchall() == [("text",)]


LIMITED = """
import sys
from pathlib import Path
from facts_runs import long_advice_run
from plimsoll.base import limits
from plimsoll.base.errors import WorldError
from plimsoll.store import open_store
from plimsoll.store.documents import RunDocument

store, run = open_store(sys.argv[1]), long_advice_run(12_000)
store.check()
with store.database.connect() as connection:
    connection.execute("PRAGMA hard_heap_limit = 8388608")  # of this process; it can only be lowered
limits.DOCUMENT_TEXT_BYTES_MAX = int(sys.argv[2])
try:
    store.save(run)
except (WorldError, MemoryError) as error:
    raise SystemExit(3) from error
size_bytes = RunDocument(run).size_bytes
assert size_bytes > 20 << 20, size_bytes
"""


def test_sqlite_makes_room_for_a_very_long_one_without_memory(tmp_path: Path) -> None:
    """Twenty megabytes, where SQLite may have eight."""

    def status(name: str, text_bytes_max: int) -> int:
        place = str(tmp_path / name)
        return subprocess.run(
            [sys.executable, "-c", LIMITED, place, str(text_bytes_max)], stderr=subprocess.DEVNULL
        ).returncode

    if status("text.sqlite", 1 << 40) != 3:
        pytest.skip("this SQLite does not count its memory")
    assert status("blob.sqlite", 1 << 20) == 0
