"""Waits are told apart by name as the query of a snapshot tells them apart: its words are run on each of them."""

from __future__ import annotations

import sqlite3

import pytest

from plimsoll.databases import queries
from plimsoll.demand.wait_classes import waits_for

WAITS = [
    (None, None), ("LWLock", "WALWrite"), ("IO", "WALSync"), ("IO", "WalSync"), ("IPC", "SyncRep"), ("IO", "BufFileRead"),
    ("IO", "BuffileWrite"), ("IO", "DataFileRead"), ("IO", "DataFilePrefetch"), ("IPC", "BufferIO"), ("LWLock", "BufferIO"),
    ("IO", "AioIoCompletion"), ("IO", "AioIoUringExecution"), ("IO", "DataFileSync"), ("Lock", "transactionid"),
    ("LWLock", "BufferMapping"), ("BufferPin", "BufferPin"), ("Buffer", "BufferShared"), ("Client", "ClientRead"),
    ("Activity", "WalWriterMain"), ("IPC", "ParallelFinish"), ("Timeout", "VacuumDelay"), ("Extension", "Extension"),
]  # fmt: skip


@pytest.fixture(scope="module")
def words() -> str:
    """The expression by which the query sorts."""
    _, _, rest = queries("postgres", 18)["moment"].partition("select case")
    expression, mark, _ = rest.partition("end as waits_for")
    assert mark, "the query sorts waits"
    return f"select case{expression}end from (select ? as wait_event_type, ? as wait_event)"


@pytest.mark.parametrize("wait", WAITS, ids=str)
def test_a_wait_is_what_the_query_takes_it_for(words: str, wait: tuple[str | None, str | None]) -> None:
    ((expected,),) = sqlite3.connect(":memory:").execute(words, wait).fetchall()
    assert waits_for(*wait) == expected


def test_each_class_is_among_them(words: str) -> None:
    assert {waits_for(*wait) for wait in WAITS} == {
        part.split("'")[1] for part in words.split("then ")[1:]
    } | {"other"}
