"""What a flow loads before it is asked to end: whoever sends TERM does not wait until all kinds of results are loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plimsoll.context import Context
from plimsoll.flows import commits, record, watch
from plimsoll.native import block_probe, commit_probe
from plimsoll.requests.commits import CommitsRequest
from plimsoll.requests.watch import WatchRequest
from seen_io import Readings, reading
from simulated import MemoryStore, context

SAVES = """
import sys
import facts_runs
from plimsoll.flows.record import get_ready
from plimsoll.store import open_store

def loaded():
    return {name for name in sys.modules if name.startswith("plimsoll.results.")}

store = open_store(sys.argv[1])
get_ready("line", store.check())
before = loaded()
store.save(facts_runs.line_run().model_copy(update={"id": sys.argv[2]}))
print("plimsoll.results.watch" in before, *sorted(loaded() - before))
"""


def loaded(place: Path, name: str) -> str:
    """Whether a process that got ready had another kind loaded, and what the saving of a line loaded beside it."""
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", SAVES, place, name]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env=here).stdout.strip()


def test_to_save_loads_no_kind_whether_the_store_is_there_or_not(tmp_path: Path) -> None:
    place = tmp_path / "runs.sqlite"
    assert loaded(place, "first") == "True", "a new store is made from all kinds"
    assert loaded(place, "second") == "False", "one that is ready takes the run's own"


class _Store(MemoryStore):
    def __init__(self, is_ready: bool) -> None:
        super().__init__()
        self._is_ready = is_ready

    def check(self) -> bool:
        return self._is_ready


class _Ended(Exception):
    """No more than the beginning is looked at."""


@pytest.mark.parametrize("is_ready", [True, False])
@pytest.mark.parametrize("verb", ["watch", "commits"])
def test_watch_and_commits_get_ready_for_the_store_that_they_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, is_ready: bool
) -> None:
    asked: list[tuple[str, bool]] = []

    def ready(*words: Any) -> None:
        asked.append(words)
        raise _Ended

    monkeypatch.setattr(record, "get_ready", ready)
    monkeypatch.setattr(commits, "get_ready", ready)
    with context(tmp_path / "journals") as made, pytest.raises(_Ended):
        begin(verb, replace(made, store=_Store(is_ready)), monkeypatch)
    assert asked == [(verb, is_ready)]


def begin(verb: str, ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    class Probe:
        def stop(self) -> None: ...

    monkeypatch.setattr(block_probe, "start", Probe)
    monkeypatch.setattr(commit_probe, "start", Probe)
    monkeypatch.setattr(watch, "BlockWatch", lambda *_: Readings(reading(), reading()))
    if verb == "watch":
        watch.watch_io(ctx, WatchRequest(watched_s=1.0))
    else:
        commits.watch_commits(ctx, CommitsRequest(watched_s=1.0))
