"""Several instances of one database in one interval as one inventory: counts are added, a size is taken once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plimsoll.facts import CountBound, Inventory, StorageObject, UnseenShare
from plimsoll.facts.placement import AccessCount

_ADDED = (
    "small_reads",
    "large_reads",
    "small_writes",
    "background_writes",
    "write_bytes",
    "read_s",
    "write_s",
)
_COUNTS: tuple[AccessCount, ...] = ("small_reads", "large_reads", "small_writes", "background_writes")


def joined(inventories: Sequence[Inventory]) -> Inventory:
    """All of them as one. An object that an instance does not show was not in its lists, and adds nothing that is known."""
    if len(inventories) == 1:
        return inventories[0]
    by_name: dict[str, list[StorageObject]] = {}
    for one in inventories:
        for found in one.objects:
            by_name.setdefault(found.name, []).append(found)
    first = inventories[0]
    busy = [one.cpu_busy_share for one in inventories]
    lengths = [one.interval_s for one in inventories]
    return first.model_copy(
        update={
            "objects": tuple(_together(found) for found in by_name.values()),
            "interval_s": _mean(lengths),
            "db_time_s": _sum(one.db_time_s for one in inventories),
            "foreground_io_wait_s": _sum(one.foreground_io_wait_s for one in inventories),
            "cpu_busy_share": _mean(busy),
            "cpus": _sum(one.cpus for one in inventories),
            "cache_bytes": _sum(one.cache_bytes for one in inventories),
            "cache_sizes": (),
            "clustered": True,
            "instance": ", ".join(one.instance or "unnamed" for one in inventories),
            "unseen": tuple(_unseen(inventories)),
            "source": "; ".join(one.source for one in inventories),
            "notes": tuple({note.message: note for one in inventories for note in one.notes}.values()),
        }
    )


def _together(found: Sequence[StorageObject]) -> StorageObject:
    first = found[0]
    changes = {name: _sum(getattr(one, name) for one in found) for name in _ADDED}
    bounds = [bound for one in found for bound in one.bounds if bound.count == "size_bytes"][:1]
    return first.model_copy(
        update={
            **changes,
            "cached_share": _weighted(found, "cached_share"),
            "hit_share": _weighted(found, "hit_share"),
            "large_read_bytes_mean": _mean([one.large_read_bytes_mean for one in found]),
            "lives_in_cache": first.lives_in_cache
            if len({one.lives_in_cache for one in found}) == 1
            else False,
            "bounds": (*bounds, *(bound for count in _COUNTS for bound in _bound(found, count))),
            "evidence": "; ".join(dict.fromkeys(one.evidence for one in found)),
        }
    )


def _bound(found: Sequence[StorageObject], count: AccessCount) -> tuple[CountBound, ...]:
    """The sums of the ends; a figure that is known is both of its ends."""
    lows: list[float] = []
    highs: list[float | None] = []
    is_bounded = False
    for one in found:
        bound = next((bound for bound in one.bounds if bound.count == count), None)
        is_bounded |= bound is not None
        value: float | None = getattr(one, count)
        lows.append(bound.low if bound is not None else value or 0.0)
        highs.append(bound.high if bound is not None else value)
    return (CountBound(count=count, low=sum(lows), high=_sum(highs)),) if is_bounded else ()


def _unseen(inventories: Sequence[Inventory]) -> Iterable[UnseenShare]:
    """By class, the largest of any instance."""
    counts: dict[AccessCount, None] = dict.fromkeys(
        share.count for one in inventories for share in one.unseen
    )
    for count in counts:
        shares = [share.share for one in inventories for share in one.unseen if share.count == count]
        yield UnseenShare(
            count=count, share=None if None in shares else max(share or 0.0 for share in shares)
        )


def _weighted(found: Sequence[StorageObject], name: str) -> float | None:
    """A share of reads, by each instance's own reads."""
    pairs = [(_reads(one), getattr(one, name)) for one in found]
    every = sum(reads for reads, _ in pairs)
    known = [share for _, share in pairs if share is not None]
    if len(known) < len(pairs):
        return None
    return sum(reads * share for reads, share in pairs) / every if every else _mean(known)


def _reads(one: StorageObject) -> float:
    return (one.small_reads or 0.0) + (one.large_reads or 0.0)


def _sum(values: Iterable[float | None]) -> float | None:
    """None where one of them is not known."""
    found = list(values)
    return None if None in found else sum(one or 0.0 for one in found)


def _mean(values: Sequence[float | None]) -> float | None:
    every = _sum(values)
    return None if every is None or not values else every / len(values)
