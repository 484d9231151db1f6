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
from reportgen.restamp import write_folder

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


def test_what_is_loaded_is_what_was_given(tmp_path: Path) -> None:
    """Also of a verb that is given several names, which JSON keeps as a list."""
    (tmp_path / "reports").mkdir()
    write_folder(tmp_path / "reports", 2, rows=1)
    store = str(tmp_path / "store.sqlite")
    for kept in (
        plimsoll.advise(str(tmp_path / "reports"), store=store),
        plimsoll.learn_demand(str(tmp_path / "reports"), store=store),
        plimsoll.trend(str(tmp_path / "reports"), store=store),
        plimsoll.calibrate("sim:", runtime="20ms", store=store),
    ):
        assert kept.run is not None
        assert plimsoll.load(kept.run.id, store=store) == kept.run
