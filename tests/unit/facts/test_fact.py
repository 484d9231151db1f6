"""What facts say to people has no passwords in it, wherever it comes from: a flow, an old store, a library's words."""

from __future__ import annotations

import pickle

import pytest

import facts_runs
from plimsoll.facts import Note, Progress, Provenance, Remark, Run

URL, SHOWN = "postgresql://me:hunter2@db/shop", "postgresql://me:***@db/shop"


def test_notes_and_events_are_redacted() -> None:
    assert Note(code="c", message=f"no answer from {URL}").message == f"no answer from {SHOWN}"
    assert Progress(stage="s", message=URL).message == SHOWN
    assert Remark(stage="s", message="password='a b' is wrong").message == "password=*** is wrong"


def test_a_stored_run_is_redacted_when_it_is_read() -> None:
    """A store may be older than the redaction."""
    stored = facts_runs.io_run().model_dump(mode="json")
    stored["title"] = f"demand of {URL}"
    stored["provenance"]["command"] = f"plimsoll demand --database {URL} --store me/tiger@db"
    read = Run.model_validate(stored)
    assert read.title == f"demand of {SHOWN}"
    assert read.provenance.command == f"plimsoll demand --database {SHOWN} --store me/***@db"


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("plimsoll demand --database me/tiger", "plimsoll demand --database me/***"),
        ("plimsoll io --database 'sys/tiger as sysdba'", "plimsoll io --database 'sys/*** as sysdba'"),
        ("plimsoll prove slob --set x=me/tiger@db", "plimsoll prove slob --set x=me/***@db"),
        ("plimsoll io /data/a@b --store ./me/runs", "plimsoll io /data/a@b --store ./me/runs"),
    ],
)
def test_a_stored_command_is_redacted_word_by_word(command: str, shown: str) -> None:
    stored = facts_runs.io_run().provenance.model_dump()
    assert Provenance.model_validate({**stored, "command": command}).command == shown


@pytest.mark.parametrize("command", ["plimsoll io '/data/my file' --rate 2k", "plimsoll it's", ""])
def test_a_command_without_a_password_stays_as_it_was_typed(command: str) -> None:
    stored = facts_runs.io_run().provenance.model_dump()
    assert Provenance.model_validate({**stored, "command": command}).command == command


def test_facts_from_another_process_have_what_they_had_in_one_room() -> None:
    notes = [Note(code="a", message="b"), Note(code="c", message="d")]
    one, two = (pickle.loads(pickle.dumps(note)) for note in notes)
    assert [one, two] == notes
    assert one.model_fields_set is two.model_fields_set
    changed = one.model_copy(update={"place": "x"})
    assert changed.model_fields_set == {"code", "message", "place"}
    assert two.model_fields_set == {"code", "message"}
