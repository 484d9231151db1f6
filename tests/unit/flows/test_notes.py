"""Notes of several become one list in which each code stands once and no sentence is lost."""

from __future__ import annotations

from plimsoll.facts import Note
from plimsoll.flows.notes import by_code


def test_sentences_of_one_code_are_joined_and_said_once() -> None:
    notes = [
        Note(code="a", message="x"),
        Note(code="b", message="y"),
        Note(code="a", message="z"),
        Note(code="a", message="x"),
    ]
    assert by_code(notes) == (Note(code="a", message="x; z"), Note(code="b", message="y"))
