"""Several things measured in turns, repeat after repeat, so that a change of the machine hits all of them alike.

The measurement itself is handed in. Ctrl-C and a device that fails keep what was measured until then.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from plimsoll.base.errors import Interrupted, PlimsollError
from plimsoll.facts import Cell, Note

Key = TypeVar("Key", bound=Hashable)


class Ended(Exception):
    """Nothing more will be measured: somebody asked to end, or the storage has failed."""


class Turns(Generic[Key]):
    """The cells of each thing, in the order of the repeats."""

    def __init__(
        self,
        keys: Sequence[Key],
        measure: Callable[[Key], Cell],
        cancelled: Callable[[], bool],
        on_cell: Callable[[Key, Cell, int], None],
    ) -> None:
        self._keys, self._measure, self._cancelled, self._on_cell = keys, measure, cancelled, on_cell
        self._cells: dict[Key, list[Cell]] = {key: [] for key in keys}
        self._made = 0
        self._ended = ""
        self.interrupted: bool = False
        self.measured_s: float = 0.0

    def make(self, repeats: int) -> None:
        """Measures everything so many times, as far as it gets. Raises what the first measurement of all raises."""
        try:
            for _ in range(repeats):
                for key in self._keys:
                    self._one(key)
        except Ended:
            return

    def of(self, key: Key) -> Sequence[Cell]:
        """Its cells that came to their end without an error."""
        return self._cells[key]

    @property
    def whole(self) -> int:
        """Repeats in which everything was measured."""
        return min(map(len, self._cells.values()), default=0)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What went wrong, if anything did."""
        return (Note(code="point-failed", message=self._ended),) if self._ended else ()

    def _one(self, key: Key) -> None:
        if self._cancelled():
            self.interrupted = True
            raise Ended
        cell = self._cell(key)
        self._made += 1
        self.measured_s += cell.runtime_s
        if cell.ended_early == "stopped":
            self.interrupted = True
            raise Ended
        if cell.errors or cell.ended_early:
            self._ended = f"{cell.errors:,} I/Os failed, and the measurement ended there"
            raise Ended
        self._cells[key].append(cell)
        self._on_cell(key, cell, self._made)

    def _cell(self, key: Key) -> Cell:
        try:
            return self._measure(key)
        except Interrupted as error:
            self.interrupted = True
            raise Ended from error
        except PlimsollError as error:
            if not self._made:
                raise
            self._ended = f"the measurement ended early: {error.message}"
            raise Ended from error
