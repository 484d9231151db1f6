"""A run as rows: what an export writes is what the views of the store show."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import facts_runs
from facts_strategy import facts
from plimsoll.facts import Cell, Note, Run, Trial
from plimsoll.facts.document import document_of
from plimsoll.store import open_store
from plimsoll.store.rows import to_rows
from plimsoll.store.tables import table_of, tables


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(run=facts(Run))
def test_every_row_has_a_value_for_each_column(run: Run) -> None:
    for table, rows in to_rows(run).items():
        assert all(len(row) == len(table.all_columns) for row in rows)


def test_rows_say_where_in_the_document_they_stand() -> None:
    run = facts_runs.line_run()
    assert run.line is not None
    rows = to_rows(run)
    paths = [f"results.line.trials[{number}]" for number in range(len(run.line.trials))]
    assert [row[1:4] for row in rows[table_of(Trial)]] == [[path, n, None] for n, path in enumerate(paths)]
    assert [row[1:4] for row in rows[table_of(Cell)]] == [[f"{path}.cell", None, None] for path in paths]


def test_notes_know_whose_they_are() -> None:
    note = Note(code="fallback", message="threads instead")
    run = facts_runs.io_run()
    assert run.cell is not None
    cell = run.cell.model_copy(update={"notes": (note,)})
    rows = to_rows(run.model_copy(update={"cell": cell, "notes": (note, note)}))
    assert sorted(row[1] for row in rows[table_of(Note)]) == [
        "notes[0]",
        "notes[1]",
        "results.cell.notes[0]",
        "target.notes[0]",
    ]


@pytest.mark.parametrize("name", facts_runs.all_runs())
def test_the_views_show_the_rows_of_a_run(name: str, tmp_path: Path) -> None:
    run = facts_runs.all_runs()[name]
    open_store(str(tmp_path / "s.sqlite")).save(run)
    digests = {blob: digest for digest, blob in document_of(run).blobs.items()}
    rows = to_rows(run)
    with closing(sqlite3.connect(tmp_path / "s.sqlite")) as session:
        for table in tables():
            names = ", ".join(column.name for column in table.all_columns)
            shown = session.execute(f"SELECT {names} FROM {table.name}").fetchall()
            expected = [list(_as_shown(row, table.all_columns, digests)) for row in rows.get(table, [])]
            assert sorted(map(repr, map(list, shown))) == sorted(map(repr, expected)), table.name


def _as_shown(row: list[Any], columns: Any, digests: dict[bytes, str]) -> Iterator[Any]:
    """SQLite has no instants and no booleans; a view has the SHA-256 of what lies in `blobs`."""
    for value, column in zip(row, columns, strict=True):
        if column.kind == "instant" and value is not None:
            yield value.isoformat().replace("+00:00", "Z")
        elif column.kind == "binary" and value is not None:
            yield digests[value]
        else:
            yield int(value) if isinstance(value, bool) else value
