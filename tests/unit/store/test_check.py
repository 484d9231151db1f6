"""Whether a run could be kept somewhere, asked before there is one."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from facts_runs import line_run
from plimsoll.base.errors import WorldError
from plimsoll.store import open_store, version


def refused(place: Path) -> WorldError:
    with pytest.raises(WorldError) as caught:
        open_store(str(place)).check()
    return caught.value


def test_where_a_run_can_be_kept_nothing_is_made(tmp_path: Path) -> None:
    assert not open_store(str(tmp_path / "runs.sqlite")).check()
    assert os.listdir(tmp_path) == []


def test_a_store_is_ready_for_the_version_that_made_it_and_for_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(str(tmp_path / "runs.sqlite"))
    store.save(line_run())
    assert store.check()
    monkeypatch.setattr(version, "fingerprint", lambda: "an upgrade")
    assert not store.check()
    monkeypatch.setattr(version, "__version__", "0.0.1")
    assert store.check(), "one of a newer version is left as it is"


def test_a_folder_and_what_is_none_of_ours_are_refused_and_left_alone(tmp_path: Path) -> None:
    error = refused(tmp_path)
    assert (error.id, error.message.endswith(f"the store {tmp_path}: it is a folder")) == (
        "store-unopenable",
        True,
    )
    words = tmp_path / "words"
    words.write_text("something else\n" * 100)
    assert refused(words).id == "store-foreign"
    assert words.read_text().startswith("something else")
    with closing(sqlite3.connect(tmp_path / "others.sqlite")) as others:
        others.execute("CREATE TABLE theirs (a)")
    assert refused(tmp_path / "others.sqlite").id == "store-foreign"


def test_a_folder_that_is_not_there_is_taken_for_a_mistake_where_it_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "rnus" / "store.sqlite"
    error = refused(place)
    assert error.id == "store-unopenable"
    assert f"there is no folder {place.parent}" in error.message
    assert error.hint is not None
    assert f"mkdir -p {place.parent}" in error.hint
    monkeypatch.setenv("PLIMSOLL_STORE", str(place))
    open_store().check()
    assert os.listdir(tmp_path) == [], "what a setting names is made with the first run"


def test_what_takes_no_writes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests may run as root, who may write anywhere."""
    closed = tmp_path / "closed"
    closed.mkdir()
    monkeypatch.setattr(os, "access", lambda path, *_, **__: Path(path) != closed)
    error = refused(closed / "store.sqlite")
    assert (error.id, "permission denied" in error.message) == ("store-read-only", True)
