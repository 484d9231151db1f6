"""A run as rows and back."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

import facts_runs
from facts_strategy import facts
from plimsoll.facts import Cell, Note, Run, Trial
from plimsoll.store.rows import RUN_ROW_NO, from_rows, to_rows
from plimsoll.store.tables import table_of


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(run=facts(Run))
def test_any_run_survives_the_way_through_rows(run: Run) -> None:
    rows = to_rows(run)
    assert from_rows(rows) == run
    for fact, of_fact in rows.items():
        assert all(len(row) == len(table_of(fact).all_columns) for row in of_fact)


def test_rows_are_numbered_through_the_run_and_name_their_parent() -> None:
    run = facts_runs.line_run()
    assert run.line is not None
    rows = to_rows(run)
    numbers = [row[1] for fact, of_fact in rows.items() if fact is not Run for row in of_fact]
    assert sorted(numbers) == list(range(RUN_ROW_NO + 1, len(numbers) + 1))
    trials = {row[1]: row for row in rows[Trial]}
    cells = rows[Cell]
    assert [row[2] for row in cells] == sorted(trials)
    assert {row[3] for row in cells} == {"cell"}
    assert [row[4] for row in trials.values()] == list(range(len(run.line.trials)))


def test_a_row_from_before_a_field_was_added_loads_with_the_fields_default() -> None:
    run = facts_runs.io_run()
    rows = to_rows(run)
    names = [column.name for column in table_of(Run).all_columns]
    for added_later in ("interrupted", "provenance_versions"):
        rows[Run][0][names.index(added_later)] = None
    old = from_rows(rows)
    assert old.interrupted is False
    assert old.provenance.versions == {}


def test_notes_know_whose_they_are() -> None:
    note = Note(code="fallback", message="threads instead")
    run = facts_runs.io_run()
    assert run.cell is not None
    cell = run.cell.model_copy(update={"notes": (note,)})
    rows = to_rows(run.model_copy(update={"cell": cell, "notes": (note, note)}))
    own = [row for row in rows[Note] if row[2] == RUN_ROW_NO]
    of_cell = [row for row in rows[Note] if row[2] == rows[Cell][0][1]]
    assert (len(own), len(of_cell)) == (2, 1)
