"""How long a command holds what it would go on from, were it ended now: until its result is stored, written and printed."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from types import TracebackType
from typing import Protocol

NOT_STORED = "not-stored"
"""Code of the note that a result is not in the store."""


class _Coded(Protocol):
    @property
    def code(self) -> str: ...


class _NotStored(Exception):
    """What was entered learns by it that the result is not safe; it reaches nobody else."""


def is_stored(notes: Iterable[_Coded]) -> bool:
    """Whether a result is, by what is said of it."""
    return all(note.code != NOT_STORED for note in notes)


class UntilSafe(ExitStack[None]):
    """Ends well, for what was entered, only where the block did and its result is stored."""

    def __init__(self) -> None:
        super().__init__()
        self._is_stored = True

    def look_at(self, notes: Iterable[_Coded]) -> None:
        """At what is said of the result: whether it is stored."""
        self._is_stored = self._is_stored and is_stored(notes)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and not self._is_stored:
            super().__exit__(_NotStored, _NotStored(), None)
        else:
            super().__exit__(kind, error, trace)
