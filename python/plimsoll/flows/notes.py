"""Notes of several jobs or files as one list."""

from __future__ import annotations

from collections.abc import Iterable

from plimsoll.facts import Note


def by_code(notes: Iterable[Note]) -> tuple[Note, ...]:
    """What several have to say under one code as one note, each sentence once: a list of notes shows each code once."""
    said: dict[str, dict[str, None]] = {}
    for note in notes:
        said.setdefault(note.code, {})[note.message] = None
    return tuple(Note(code=code, message="; ".join(messages)) for code, messages in said.items())
