"""Rows of many tables that wait in bounded memory until there are enough of them for a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plimsoll.base.limits import READ_OPEN_BYTES_MAX, READ_PART_BYTES_MIN
from plimsoll.reports.tables import Identity, Source

if TYPE_CHECKING:
    import pyarrow

_BATCHES_MAX = 32
"""So many small batches are made into one: each column of each of them costs memory of its own, however few its rows."""
_COLUMN_BYTES = 400
"""That cost."""

Write = Callable[[str, "pyarrow.Table", Sequence[Source]], None]


@dataclass
class _Pile:
    """What waits of one table."""

    sources: list[Source] = field(default_factory=list)
    merged: list[pyarrow.RecordBatch] = field(default_factory=list)
    small: list[pyarrow.RecordBatch] = field(default_factory=list)
    size_bytes: int = 0


class Waiting:
    """Batches by table. `write` is given those of one table when they are many, or when all together are too many."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._piles: dict[str, _Pile] = {}
        self._total_bytes = 0

    def add(self, name: str, identity: Identity, rows: pyarrow.RecordBatch) -> None:
        """Takes rows in; writes some when memory asks for it."""
        pile = self._piles.setdefault(name, _Pile())
        pile.sources.append((identity, rows.num_rows))
        pile.small.append(rows)
        size_bytes = rows.nbytes + rows.num_columns * _COLUMN_BYTES
        pile.size_bytes += size_bytes
        self._total_bytes += size_bytes
        if len(pile.small) >= _BATCHES_MAX:
            _merge(pile)
        if pile.size_bytes >= READ_PART_BYTES_MIN:
            self._flush(name)
        while self._total_bytes > READ_OPEN_BYTES_MAX:
            self._flush(max(self._piles, key=lambda one: self._piles[one].size_bytes))

    def finish(self) -> None:
        """Writes all that is left."""
        for name in list(self._piles):
            self._flush(name)

    def _flush(self, name: str) -> None:
        import pyarrow

        pile = self._piles.pop(name)
        self._total_bytes -= pile.size_bytes
        self._write(
            name, pyarrow.Table.from_batches([*pile.merged, *pile.small]).unify_dictionaries(), pile.sources
        )


def _merge(pile: _Pile) -> None:
    import pyarrow

    pile.merged += pyarrow.Table.from_batches(pile.small).unify_dictionaries().combine_chunks().to_batches()
    pile.small = []
