"""I/Os that fail in one of several runs, or in the rounds before a cell: its answer, checks, page and status say so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Cell, Run
from plimsoll.flows import io
from plimsoll.flows.io import measure_io
from plimsoll.pages._doubt import in_doubt
from plimsoll.requests.io import IoRequest
from plimsoll.results import Answer, answer, status
from plimsoll.results._compared import cell_doubts
from plimsoll.results.cell import RESULT
from plimsoll.supply import engine
from plimsoll.supply.failed_ios import own_errors
from simulated import context


def ran(path: Path, monkeypatch: pytest.MonkeyPatch, failing: dict[int, int], **asked: Any) -> Run:
    """A cell on a simulated disk; in measurements of these numbers, from 1 on, so many I/Os fail."""
    made = 0
    really = engine.measure

    def measure(*words: Any) -> Cell:
        nonlocal made
        made += 1
        cell, errors = really(*words), failing.get(made, 0)
        classes = tuple(one.model_copy(update={"errors": errors}) for one in cell.classes)
        return cell.model_copy(update={"errors": errors, "classes": classes})

    monkeypatch.setattr(io, "measure", measure)
    with context(path) as ctx:
        return measure_io(ctx, IoRequest("sim:law=constant,mean=100us", depth=1, runtime_s=0.5, **asked))


def told(run: Run) -> tuple[int, str]:
    """The cell's errors, and what its check says of them; headline, page, comparison and status are as the check."""
    assert run.cell is not None
    (check,) = [one for one in run.cell.checks if one.name == "errors"]
    failed = run.cell.errors > 0
    assert check.passed is not failed
    assert (status(run) is ExitStatus.WORLD_FAILED) is failed
    assert (f"{run.cell.errors:,} errors" in answer(run)) is failed
    assert ("failed" in in_doubt(run, Answer("plain", "at work", "")).headline) is failed
    assert RESULT.compared is not None
    doubts = list(cell_doubts(RESULT.compared.cells(run)))
    assert doubts == ([f"{run.cell.errors:,} I/Os failed"] if failed else [])
    assert sum(one.errors for one in run.cell.classes) == run.cell.errors
    return run.cell.errors, check.reason


@pytest.mark.parametrize(
    ("failing", "errors", "reason"),
    [
        ({1: 88}, 88, "88 I/Os failed in run 1 of 3"),
        ({1: 88, 3: 2}, 90, "90 I/Os failed in run 1, 3 of 3"),
        ({1: 1, 2: 1, 3: 1}, 3, "3 I/Os failed in run 1, 2, 3 of 3"),
    ],
)
def test_failed_ios_of_any_run_are_those_of_the_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: dict[int, int], errors: int, reason: str
) -> None:
    """Errors of [88, 0, 0] were in the status alone."""
    run = ran(tmp_path, monkeypatch, failing, repeats=3)
    assert told(run) == (errors, reason)
    assert [one.errors for one in run.cells] == [failing.get(number, 0) for number in (1, 2, 3)]


def test_failed_ios_of_the_rounds_are_those_of_the_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five rounds, and then the cell: 1.5 s of errors fell into the rounds, and all checks passed with status 0."""
    run = ran(tmp_path, monkeypatch, {2: 70, 5: 7}, check="steady")
    assert told(run) == (77, "77 I/Os failed in round 2, 5 of 5")
    assert run.cell is not None
    assert own_errors(run.cell) == 0


def test_failed_ios_of_rounds_and_cell_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ran(tmp_path, monkeypatch, {3: 1, 6: 4}, check="steady")
    assert told(run) == (5, "1 I/O failed in round 3 of 5; 4 I/Os failed in the run")
    assert run.cell is not None
    assert own_errors(run.cell) == 4


def test_where_none_failed_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(ran(tmp_path, monkeypatch, {}, repeats=3))[0] == 0


def test_failed_ios_in_the_cell_alone_are_told_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors, reason = told(ran(tmp_path, monkeypatch, {1: 3}))
    assert (errors, reason.startswith("3 I/Os failed beside ")) == (3, True)
