"""Columns of many runs at once, also in a store that no plimsoll with these columns has written to."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import facts_runs
from plimsoll.store import open_store

NAMES = ("id", "verdict", "headroom")


def test_of_runs_that_have_them_newest_first(tmp_path: Path) -> None:
    assert open_store().columns(NAMES, known="verdict") == []
    store = open_store(str(tmp_path / "s.sqlite"))
    runs = [facts_runs.assess_run_no(), facts_runs.line_run(), facts_runs.assess_run_cannot_tell()]
    for number, run in enumerate(runs):
        store.save(run.model_copy(update={"id": f"run-{number}"}))
    found = store.columns(NAMES, known="verdict")
    assert found == [
        {"id": "run-2", "verdict": "cannot tell", "headroom": None},
        {"id": "run-0", "verdict": "does not carry", "headroom": 0.8},
    ]
    settled = facts_runs.settle_run(None).model_copy(update={"id": "run-3"})
    store.save(settled)
    assert store.columns(("settles", "settled"), known="settles") == [
        {"settles": "20250314-092650-abcdef", "settled": "cannot be settled"}
    ]


def test_a_store_without_the_columns_answers_from_its_documents(tmp_path: Path) -> None:
    place = tmp_path / "s.sqlite"
    store = open_store(str(place))
    for number, run in enumerate([facts_runs.assess_run_no(), facts_runs.line_run()]):
        store.save(run.model_copy(update={"id": f"run-{number}"}))
    known = store.columns(NAMES, known="verdict")
    with closing(sqlite3.connect(place)) as session:
        session.execute("ALTER TABLE runs DROP COLUMN verdict")
        session.commit()
    assert open_store(str(place)).columns(NAMES, known="verdict") == known != []
