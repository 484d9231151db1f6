"""What a plan moves, in the order in which it has to be moved, and the same the other way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from plimsoll.base.errors import UsageError
from plimsoll.facts import PlanRow
from plimsoll.facts.placement import ObjectKind

Dialect = Literal["postgres", "oracle"]


@dataclass(frozen=True)
class Move:
    """An object that goes from one tablespace to another."""

    object: str
    kind: ObjectKind
    source: str
    target: str
    size_bytes: int | None
    parent: str | None = None


def moves_of(
    rows: Iterable[PlanRow], spaces: Mapping[str, str], *, reverse: bool = False
) -> tuple[Move, ...]:
    """Each row that moves. `spaces` are the tablespaces of tiers, by name; a tier that is not in it is called like its tablespace.

    What gains nothing goes first: it moves only to make room. In reverse everything goes back, last first.
    """
    moved = [row for row in rows if row.tier != row.from_tier]
    moved.sort(key=lambda row: row.gain_s > 0)
    found = [
        Move(
            row.object,
            row.kind,
            spaces.get(row.from_tier, row.from_tier),
            spaces.get(row.tier, row.tier),
            row.bytes,
            row.parent,
        )
        for row in moved
    ]
    if reverse:
        found = [replace(one, source=one.target, target=one.source) for one in reversed(found)]
    return tuple(one for one in found if one.source != one.target)


def kept(rows: Iterable[PlanRow], names: Iterable[str]) -> tuple[Move, ...]:
    """Objects of these names that stay where they are, for a pool that keeps them in memory."""
    wanted = set(names)
    return tuple(
        Move(row.object, row.kind, row.tier, row.tier, row.bytes, row.parent)
        for row in rows
        if row.object in wanted and row.tier == row.from_tier
    )


def spaces_of(words: Iterable[str], tiers: Iterable[str]) -> dict[str, str]:
    """`TIER=TABLESPACE` as a table. Raises UsageError `tablespace-unreadable`, `tier-unknown`."""
    known = list(tiers)
    found: dict[str, str] = {}
    for word in words:
        tier, equals, space = word.partition("=")
        if not (tier and equals and space):
            hint = "Write a tier and its tablespace, such as --tablespace flash=fast."
            raise UsageError("tablespace-unreadable", f"--tablespace: '{word}' is not TIER=TABLESPACE", hint)
        if tier not in known:
            hint = f"The plan has the tiers {', '.join(known)}."
            raise UsageError("tier-unknown", f"--tablespace: the plan has no tier {tier}", hint)
        found[tier] = space
    return found
