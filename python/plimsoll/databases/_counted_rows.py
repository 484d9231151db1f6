"""Rows of counters as a server gave them: one kind of thing at one moment, as lines of text that are parsed where they are needed.

A server with 20,000 tables has some 40,000 such rows, of which few change between two snapshots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

from plimsoll.databases._kind import Connection
from plimsoll.facts import KeptRowsKind, Snapshot


@dataclass(frozen=True)
class CountedRows:
    """All rows of a kind. Columns are keys first, then names, then numbers, as in `KeptRows`."""

    kind: KeptRowsKind
    columns: tuple[str, ...] = ()
    keys: int = 1
    names: int = 0
    lines: Sequence[str] = ()
    """Without a line's end, in the text form of COPY."""
    figures: Mapping[str, float | None] = field(default_factory=dict[str, float | None])
    reset_at: datetime | None = None
    unknown: str | None = None
    """Why there are none, where they could not be read."""


@dataclass(frozen=True)
class WaitingSessions:
    """Sessions or processes of one type that wait for the same at a moment; for nothing where both are None."""

    backend_type: str
    wait_event_type: str | None
    wait_event: str | None
    sessions: int


@runtime_checkable
class CountsRows(Connection, Protocol):
    """A connection whose server counts things row by row."""

    def snapshot_with_rows(self, step: int) -> tuple[Snapshot, tuple[CountedRows, ...]]:
        """All counters at one moment, and the rows of each kind that the server has.

        Of what takes long to ask, such as sizes, each `step`, a number that grows by one, asks for another share. Raises as
        `snapshot` does where the counters themselves could not be read; rows that could not be read say why.
        """
        ...

    def waiting(self) -> Sequence[WaitingSessions] | None:
        """Who is at work at this moment, by what it waits for; None where this user may not see it. Raises as `snapshot` does."""
        ...
