"""A stored run in Python: equal to what was kept, and a table as what made it."""

from __future__ import annotations

from pathlib import Path

import pytest

import facts_runs
import plimsoll
from plimsoll.api import StoredRun
from plimsoll.facts import Run
from plimsoll.results import main_kind
from plimsoll.store import open_store

EMPTY = {"sparse", "sliced_no", "audited_well", "memory_cut", "heated_unknown"}
"""Runs that ended before there was any part, or were refused, or found nothing."""
RUNS = facts_runs.all_runs()


def loaded(run: Run, folder: Path) -> StoredRun:
    place = str(folder / "runs.sqlite")
    open_store(place).save(run)
    return plimsoll.load(store=place)


@pytest.mark.parametrize("name", RUNS)
def test_a_stored_run_is_a_table(name: str, tmp_path: Path) -> None:
    run = loaded(RUNS[name], tmp_path)
    assert run == RUNS[name]
    assert RUNS[name] == run
    assert run.frame().height > 0 or name in EMPTY
    assert hasattr(run, "__arrow_c_stream__")


def test_its_frame_takes_what_the_frame_of_the_function_takes(tmp_path: Path) -> None:
    run = loaded(RUNS["io"], tmp_path)
    assert main_kind(run) == "cell"
    assert run.cell is not None
    assert run.frame("windows").height == len(run.cell.windows) > 0


def test_a_run_without_a_result_has_no_frame(tmp_path: Path) -> None:
    run = loaded(RUNS["io"].model_copy(update={"cell": None}), tmp_path)
    with pytest.raises(plimsoll.PlimsollError, match="has no frame: it has no result") as refused:
        run.frame()
    assert refused.value.id == "frame-none"


def test_it_differs_from_another_run(tmp_path: Path) -> None:
    assert loaded(RUNS["io"], tmp_path) != RUNS["line"]
