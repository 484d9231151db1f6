"""How large relations were when they were last asked: each snapshot has the sizes of another share of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from plimsoll.demand.changed_rows import key_of, numbers_of
from plimsoll.facts import KeptRows


@dataclass(frozen=True)
class KnownSize:
    """A relation's size at a moment."""

    taken_at: datetime
    size_bytes: int


def latest_sizes(parts: Iterable[KeptRows]) -> dict[str, KnownSize]:
    """By oid, of parts in the order of time. One that was dropped since keeps the size that it had: see whether it is there."""
    found: dict[str, KnownSize] = {}
    for part in parts:
        for line in part.rows.split("\n") if part.rows else ():
            (size_bytes,) = numbers_of(line, part.keys)
            if size_bytes is not None:
                found[key_of(line, part.keys)] = KnownSize(part.taken_at, int(size_bytes))
    return found
