"""Rows of many tables that wait in bounded memory until there are enough of them for a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from plimsoll.base.limits import READ_OPEN_BYTES_MAX, READ_PART_BYTES_MIN

if TYPE_CHECKING:
    import polars

Key = tuple[str, str | None]
"""A table, and the database whose rows these are; None where the format does not part them, or the report names none."""


class Waiting:
    """Frames by key. `write` is given those of one key when they are many, or when all together are too many."""

    def __init__(self, write: Callable[[Key, polars.DataFrame], None]) -> None:
        self._write = write
        self._frames: dict[Key, list[polars.DataFrame]] = {}
        self._bytes: dict[Key, int] = {}

    def add(self, key: Key, frame: polars.DataFrame) -> None:
        """Takes rows in; writes some when memory asks for it."""
        self._frames.setdefault(key, []).append(frame)
        self._bytes[key] = self._bytes.get(key, 0) + int(frame.estimated_size())
        if self._bytes[key] >= READ_PART_BYTES_MIN:
            self._flush(key)
        while sum(self._bytes.values()) > READ_OPEN_BYTES_MAX:
            self._flush(max(self._bytes, key=lambda one: self._bytes[one]))

    def finish(self) -> None:
        """Writes all that is left."""
        for key in list(self._frames):
            self._flush(key)

    def _flush(self, key: Key) -> None:
        import polars

        self._bytes.pop(key)
        self._write(key, polars.concat(self._frames.pop(key)))
