"""A command that saves a run loads the kinds that the run holds, and no others: all of them cost half of what a command takes to
start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from facts_runs import line_run
from plimsoll import results
from plimsoll.facts.run import RESULTS
from plimsoll.store import open_store, schema, version

SAVES = """
import sys
import facts_runs
from plimsoll.results import answer, status
from plimsoll.store import open_store

run = facts_runs.line_run().model_copy(update={"id": sys.argv[2]})
before = set(sys.modules)
open_store(sys.argv[1]).save(run)
print(answer(run), int(status(run)), *sorted(name for name in set(sys.modules) - before if name.startswith("plimsoll.results.")))
"""


def saved(place: Path, name: str) -> str:
    """What a process of its own says that saves a line under this id."""
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", SAVES, place, name]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env=here).stdout


def test_only_the_kinds_that_the_run_holds_are_loaded(tmp_path: Path) -> None:
    place = tmp_path / "runs.sqlite"
    assert "plimsoll.results.watch" in saved(place, "first"), "a new store is made from all kinds"
    assert "plimsoll.results.watch" not in saved(place, "second")
    stored = open_store(str(place)).columns(("id",), "id")
    assert [row["id"] for row in stored] == ["second", "first"]


def test_a_store_is_not_made_anew_where_other_code_would_make_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two installations that write to one store in turn: each signs, and no view is dropped and made again."""
    store = open_store(str(tmp_path / "runs.sqlite"))
    store.save(line_run().model_copy(update={"id": "first"}))
    monkeypatch.setattr(version, "fingerprint", lambda: "another installation")
    monkeypatch.setattr(version, "_replace_views", None)
    asked: list[str] = []
    derived = schema.derived
    monkeypatch.setattr(version, "derived", lambda dialect: asked.append(dialect) or derived(dialect))
    store.save(line_run().model_copy(update={"id": "second"}))
    assert asked, "it was looked whether other code makes the same"
    asked.clear()
    store.save(line_run().model_copy(update={"id": "third"}))
    assert not asked, "the store was signed"


def test_every_kind_has_its_class_where_runs_look_for_it() -> None:
    for name, kind in results.kinds().items():
        assert RESULTS[name] == kind.fact, name
