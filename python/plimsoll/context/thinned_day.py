"""What thinning puts in the place of a day of kept snapshots, all at once or not at all."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from plimsoll.base.values import value

if TYPE_CHECKING:
    from plimsoll.facts import KeptRows, KeptRowsKind, KeptSnapshot


@value
class ThinnedDay:
    """The day reaches from `begin` to before `end`. `seen` and `seen_rows` are what it was made of: where the store holds others
    by now, nothing is done."""

    series: str
    begin: datetime
    end: datetime
    seen: frozenset[datetime]
    """When its snapshots were taken."""
    seen_rows: frozenset[tuple[KeptRowsKind, datetime]]
    """Kinds and moments of rows, of the kinds in `kinds`."""
    kinds: frozenset[KeptRowsKind]
    """Kinds of rows of which `rows` are all from now on."""
    rows: tuple[KeptRows, ...]
    removed: tuple[datetime, ...] = ()
    """Snapshots that go."""
    changed: tuple[KeptSnapshot, ...] = ()
    """Snapshots that stay and are told otherwise."""
