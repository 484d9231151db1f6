"""What was confirmed survives SIGKILL at any moment: the store opens, is sound, and has every confirmed run whole."""

from __future__ import annotations

import random
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

import facts_runs
from plimsoll.store import open_store
from zygote import Zygote, zygote

PROGRAM = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from store_writer import work"
KILLS = 20
ENDLESS = "1000000"


@pytest.mark.timeout(300)
def test_confirmed_runs_survive_kills_at_random_moments(tmp_path: Path) -> None:
    """One store lives through all the kills; two writers work at once, and both are killed at the same moment."""
    location = str(tmp_path / "store.sqlite")
    moments = random.Random(20)
    confirmed: list[str] = []
    with zygote(PROGRAM) as parent:
        for kill in range(KILLS):
            # The first kills fall into the creation of the schema.
            waited_for = 0 if kill < 5 else kill % 4 + 1
            confirmed += _write_until_killed(parent, location, waited_for, moments.uniform(0.0, 0.1))
            _check_sound(location, confirmed)
    assert len(confirmed) > KILLS, "the writers got to save too little for the kills to mean anything"
    expected = facts_runs.line_run()
    store = open_store(location)
    for run_id in confirmed:
        assert store.load(run_id) == expected.model_copy(update={"id": run_id})


def _write_until_killed(parent: Zygote, location: str, waited_for: int, delay_s: float) -> list[str]:
    """The ids that two writers confirmed before they were killed together, so long after the first of them has told so many."""
    children = [parent.started(location, ENDLESS) for _ in range(2)]
    lines = [children[0].stdout.readline() for _ in range(waited_for)]
    time.sleep(delay_s)
    for child in children:
        child.send_kill()
    lines += [line for child in children for line in child.ended().splitlines(keepends=True)]
    return [line.strip() for line in lines if line.endswith("\n")]


def _check_sound(location: str, confirmed: list[str]) -> None:
    """Every run that is there is whole, confirmed or not; every confirmed one is there."""
    if not confirmed and not Path(location).exists():
        return  # all were killed before the store was made
    store = open_store(location)
    stored = [summary.id for summary in store.summaries()]
    assert set(confirmed) <= set(stored)
    expected = facts_runs.line_run()
    for run_id in set(stored) - set(confirmed):
        assert store.load(run_id) == expected.model_copy(update={"id": run_id})
    if Path(location).exists():
        with closing(sqlite3.connect(location)) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert file.execute("PRAGMA foreign_key_check").fetchall() == []
