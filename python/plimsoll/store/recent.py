"""The newest runs of a store in a file, read without anything that makes facts of them: for what must answer at once."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from plimsoll.store.place import POSTGRES_SCHEMES, named_place, path_of

_WAIT_S = 0.05
"""For a writer that holds the file; somebody waits at a terminal."""


def recent_runs(location: str | None, limit: int | None) -> list[tuple[str, ...]]:
    """Id, kind and title of each, newest first; none of a store that cannot be read at once, or lies in PostgreSQL."""
    words = "SELECT id, kind, title FROM runs ORDER BY started_at DESC, id DESC LIMIT ?"
    return _rows(location, words, -1 if limit is None else limit)


def tags_in_use(location: str | None) -> list[str]:
    """Every tag that a run has; none of such a store, or of one that knows no tags."""
    found = _rows(location, "SELECT DISTINCT tags FROM runs WHERE tags IS NOT NULL LIMIT ?", -1)
    return sorted({tag for (tags,) in found for tag in tags.split(",")})


def _rows(location: str | None, words: str, limit: int) -> list[tuple[str, ...]]:
    place = named_place(location)
    if place is not None and place.startswith(POSTGRES_SCHEMES):
        return []
    path = path_of(place)
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", timeout=_WAIT_S, uri=True)) as connection:
            return connection.execute(words, [limit]).fetchall()
    except (sqlite3.Error, OSError):
        return []
