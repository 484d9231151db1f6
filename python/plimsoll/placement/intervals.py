"""Several inventories of one database as one list of objects with their work in each interval, and what all of them say
together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.facts import AccessCount, Inventory, StorageObject, UnseenShare
from plimsoll.placement.gain import End, Work, size_of, work_of

CACHED_SIZE_SHARE_MAX = 0.05
"""An object smaller than this part of the buffer cache is read once and stays there (M. Ault, Tier Zero articles of 2012)."""
CACHED_SHARE_MIN = 0.5
"""Unless its own history says that less than half of its reads found it there."""
_CLASSES: tuple[AccessCount, ...] = ("small_reads", "large_reads", "small_writes")


@dataclass(frozen=True)
class Merged:
    """Objects by name: size, tier and kind are those of the last interval that has them."""

    inventories: tuple[Inventory, ...]
    objects: tuple[StorageObject, ...]
    missing: int
    """How often an object is missing from an interval: nothing is then known of it there, and it gains nothing there."""
    in_memory: frozenset[int]
    """Objects that live in the buffer cache."""

    def works(self, end: End) -> list[list[Work]]:
        """For each interval the work of each object."""
        found = []
        for inventory in self.inventories:
            known = {one.name: one for one in inventory.objects}
            found.append(
                [self._work(index, known.get(one.name), end) for index, one in enumerate(self.objects)]
            )
        return found

    def _work(self, index: int, one: StorageObject | None, end: End) -> Work:
        if one is None:
            return Work(unknown=tuple(_CLASSES), is_missing=True)
        work = work_of(one, end)
        return work.without_reads() if index in self.in_memory else work


def merged(inventories: Sequence[Inventory]) -> Merged:
    """All objects that any of them has, in the order of their first appearance."""
    found: dict[str, StorageObject] = {}
    for inventory in inventories:
        for one in inventory.objects:
            found[one.name] = one
    objects = tuple(found.values())
    missing = sum(len(objects) - len(inventory.objects) for inventory in inventories)
    cache_bytes = inventories[-1].cache_bytes
    in_memory = frozenset(index for index, one in enumerate(objects) if _lives_in_memory(one, cache_bytes))
    return Merged(tuple(inventories), objects, missing, in_memory)


def _lives_in_memory(one: StorageObject, cache_bytes: int | None) -> bool:
    """By the rule of thumb on its size, which its own history of hits overrules."""
    size = size_of(one)
    if cache_bytes is None or size is None or one.kind in ("temp", "undo", "redo", "wal"):
        return False
    if one.lives_in_cache is not None:
        return one.lives_in_cache
    if size >= CACHED_SIZE_SHARE_MAX * cache_bytes:
        return False
    return one.cached_share is None or one.cached_share >= CACHED_SHARE_MIN


def unseen_share(inventory: Inventory) -> float | None:
    """Of all I/Os of the classes whose unseen share is known, the part that no object stands for; None: of none is it known."""
    seen, unseen, known = 0.0, 0.0, False
    for one in inventory.unseen:
        if one.share is None:
            continue
        known = True
        counted = sum(getattr(item, one.count) or 0.0 for item in inventory.objects)
        seen += counted
        # Of a class that is unseen as a whole nobody knows how much it is.
        unseen += counted * one.share / (1.0 - one.share) if one.share < 1 else 0.0
    if not known:
        return None
    if all(one.share == 1 for one in inventory.unseen):
        return 1.0
    return unseen / (seen + unseen) if seen + unseen else max(one.share or 0.0 for one in inventory.unseen)


def mean(values: Sequence[float | None]) -> float | None:
    """None where one of them is not known, or there is none."""
    known = [one for one in values if one is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def unseen_of(inventories: Sequence[Inventory]) -> tuple[UnseenShare, ...]:
    """By class, the largest share of any interval."""
    counts: dict[AccessCount, None] = dict.fromkeys(
        one.count for inventory in inventories for one in inventory.unseen
    )
    return tuple(
        UnseenShare(
            count=count,
            share=max(
                (
                    one.share
                    for inventory in inventories
                    for one in inventory.unseen
                    if one.count == count and one.share is not None
                ),
                default=None,
            ),
        )
        for count in counts
    )
