"""A command's surroundings: listeners that fail spoil nothing, Ctrl-C is asked once, results that were not stored say so."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

import command
from plimsoll.base.errors import ExitStatus
from plimsoll.cli.session import Session, session
from plimsoll.facts import Note, Remark


def test_a_listener_whose_disk_is_full_spoils_nothing() -> None:
    with session(events="/dev/full") as here:
        here.ctx.remark("io", "a word")


def test_events_are_written_as_they_happen(tmp_path: Path) -> None:
    with session(events=str(tmp_path / "events")) as here:
        here.ctx.remark("io", "one")
        assert json.loads((tmp_path / "events").read_text())["message"] == "one"


def test_signals_are_caught_within_and_let_go_after() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with session() as here:
        assert not here.ctx.cancel.is_set
        signal.raise_signal(signal.SIGTERM)
        assert here.ctx.cancel.is_set
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_store_that_is_not_needed_is_not_opened(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    with session(store=str(place)):
        pass
    assert not place.exists()


@pytest.mark.parametrize(
    ("status", "ended"),
    [
        (ExitStatus.DONE, 5),
        (ExitStatus.ANSWER_IS_NO, 1),
        (ExitStatus.INTERRUPTED, 130),
    ],
)
def test_a_result_that_was_not_stored_is_done_in_part(status: ExitStatus, ended: int) -> None:
    here = Session(ctx=None, json=True)  # type: ignore[arg-type]
    assert here.finish("io", {}, lambda: None, [Note(code="not-stored", message="x")], status) == ended
    assert here.finish("io", {}, lambda: None, [], status) == int(status)


def test_a_store_that_refuses_costs_no_result(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("something else\n" * 100)
    done = command.plimsoll("io", "sim:", "--runtime", "100ms", "--store", tmp_path / "store", "--json")
    assert done.returncode == 5
    document = command.document(done)
    assert document["data"]["ios"] > 0
    assert "not-stored" in [warning["code"] for warning in document["warnings"]]
    assert "not stored" in done.stderr
    assert (tmp_path / "store").read_text().startswith("something else")


def test_no_password_is_kept_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = ["plimsoll", "demand", "--database", "postgresql://me:s3cret@db/shop"]
    monkeypatch.setattr(sys, "argv", typed)
    with session() as here:
        assert "s3cret" not in here.ctx.command
        assert "postgresql://me:***@db/shop" in here.ctx.command


@pytest.mark.parametrize(("code", "shown"), [("host-busy", 1), ("io-error", 1)])
def test_equal_notes_are_said_once(code: str, shown: int, capsys: pytest.CaptureFixture[str]) -> None:
    here: Any = Session(ctx=None, json=False)  # type: ignore[arg-type]
    here.finish("io", {}, lambda: None, [Note(code=code, message="a doubt")] * 3)
    assert capsys.readouterr().err.count("note: a doubt") == shown


def test_remarks_reach_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    with session() as here:
        here.ctx.events(Remark(stage="io", message="a word"))
    assert capsys.readouterr().err == "a word\n"


def test_what_is_said_of_several_things_is_said_of_each(capsys: pytest.CaptureFixture[str]) -> None:
    here: Any = Session(ctx=None, json=False)  # type: ignore[arg-type]
    notes = [Note(code="slob-conf-unknown", message=f"nobody knows {key}") for key in "ABCDEFGHIJKLM"]
    here.finish("prove", {}, lambda: None, notes)
    shown = capsys.readouterr().err.splitlines()
    assert shown[:2] == ["note: nobody knows A", "note: nobody knows B"]
    assert shown[10:] == ["note: and 3 more such notes (slob-conf-unknown); --json has them all"]
