"""How large relations were when they were last asked: each snapshot has the sizes of another share of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    for oid, size in _sizes(parts):
        found[oid] = size
    return found


def sizes_about(
    parts: Iterable[KeptRows], begin: datetime
) -> tuple[dict[str, KnownSize], dict[str, KnownSize]]:
    """By oid, of parts in the order of time: the last size until the begin, else the first after it; and the last of all."""
    firsts: dict[str, KnownSize] = {}
    lasts: dict[str, KnownSize] = {}
    for oid, size in _sizes(parts):
        if size.taken_at <= begin or oid not in firsts:
            firsts[oid] = size
        lasts[oid] = size
    return firsts, lasts


def _sizes(parts: Iterable[KeptRows]) -> Iterator[tuple[str, KnownSize]]:
    for part in parts:
        for line in part.rows.split("\n") if part.rows else ():
            (size_bytes,) = numbers_of(line, part.keys)
            if size_bytes is not None:
                yield key_of(line, part.keys), KnownSize(part.taken_at, int(size_bytes))
