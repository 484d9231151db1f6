"""What every database offers, so that what reads demand need not know which one it is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from plimsoll.context import Context
from plimsoll.facts import Database, Note, Snapshot

AskPassword = Callable[[str], str]
"""Gets the location without its password, gives the password."""


class Connection(Protocol):
    """An open, read-only session that reads counters."""

    @property
    def database(self) -> Database:
        """Which database this is, and the settings that decide how its I/O looks."""
        ...

    @property
    def notes(self) -> tuple[Note, ...]:
        """What this session may not see or this server does not count, each with its reason."""
        ...

    def snapshot(self, relations: bool = False) -> Snapshot:
        """All counters at one moment; with `relations` those of each table too, which takes longer.

        Raises WorldError `database-lost` when the session broke, `database-slow` when it took too long.
        """
        ...

    def reopen(self) -> None:
        """A new session to the same database with the same password, after `database-lost`. Raises as `open_database` does."""
        ...

    def close(self) -> None:
        """Ends the session."""
        ...


@dataclass(frozen=True)
class DatabaseKind:
    """A registry entry. `schemes` are those of its URLs; without any it is named by `name` alone."""

    name: str
    title: str
    help: str
    schemes: tuple[str, ...]
    opened: Callable[[Context, str, AskPassword | None], AbstractContextManager[Connection]]
