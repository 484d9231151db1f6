"""Each use of the flash by itself: whether there is room for it, what it saves, what it costs, and what to write where.

All are reckoned alike, as parts of each object's I/Os that flash serves instead of its tier. `parts` is the plan of
`plimsoll place` with so much room on flash.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from plimsoll.base.units import format_bytes, format_share, format_us
from plimsoll.facts import FlashUse, Placement
from plimsoll.facts.flash import FlashUseName
from plimsoll.placement.flash import hits as cache_hits
from plimsoll.placement.flash import settings
from plimsoll.placement.flash.basis import Basis, Saved
from plimsoll.placement.flash.hits import Hits
from plimsoll.placement.flash.split import IN_TURN, MOVES, PREFERRED, STAYS, Split, cached
from plimsoll.placement.gain import latencies_at

SEPARATE = ("redo", "wal", "undo", "temp")
"""What is written while sessions wait: it goes whole to the flash that a mirror leaves over."""
DIRECTORY_BYTES, DIRECTORY_CLUSTER_BYTES = 100, 200
"""Of the buffer cache for each block in Database Smart Flash Cache, and in a cluster (Administrator's Guide)."""
_ADVISED_MULTIPLES = (2, 10)
"""Of the buffer cache, by the same guide."""
_FASTER_MIN = 2.0
_NO_SHARING = "the hosts of a cluster do not reach it, and each must see all data"
_BEYOND = "it would serve more I/Os per second than is known of it"
_NO_CURVE = "no hit curve is known: give one with --hit-curve and --cache, or name a report that prints a buffer pool advisory"


def whole(basis: Basis) -> FlashUse:
    """Everything on flash."""
    splits = basis.splits(lambda index: MOVES)
    need = basis.bytes_of(basis.elsewhere)
    possible = _shared(basis, basis.has_room(need, basis.elsewhere))
    return _use(
        basis,
        "whole database",
        basis.saved(splits, splits),
        possible=possible,
        reason=_room(basis, possible, need, "the database"),
        flash_bytes=need,
        price_per_month=basis.price_of_moves(basis.elsewhere),
        endurance_years=basis.years(basis.elsewhere),
        costs=("no memory and no CPU but what sessions use that wait less", _hosts(basis)),
        settings=settings.of_move(basis.offer.setup),
    )


def parts(basis: Basis, plan: Placement) -> FlashUse:
    """What the plan moves."""
    if plan.answer == "cannot tell":
        return _unknown(basis, "parts", plan.reason)
    moved = {row.object for row in plan.plan if row.tier != row.from_tier}
    indices = [index for index in basis.elsewhere if basis.objects[index].name in moved]
    splits = basis.splits(lambda index: MOVES if index in indices else STAYS)
    return _use(
        basis,
        "parts",
        Saved(plan.gain_s, plan.gain_s_max, basis.saved(splits, splits).then),
        possible=_shared(basis, True),
        reason=plan.reason,
        flash_bytes=plan.moved_bytes,
        price_per_month=basis.price_of_moves(indices),
        endurance_years=basis.years(indices),
        costs=("no memory and no CPU but what sessions use that wait less", _hosts(basis)),
        settings=settings.of_move(basis.offer.setup),
    )


def mirror(basis: Basis, name: FlashUseName, of_data: Split) -> FlashUse:
    """Flash as one side of a mirror of the data; what is left of it takes redo, undo and temporary space whole."""
    data = [index for index in basis.elsewhere if basis.objects[index].kind not in SEPARATE]
    need = basis.bytes_of(data)
    left = basis.offer.flash_bytes - need if need is not None else 0
    moved = _fitting(basis, left)
    splits = basis.splits(lambda index: MOVES if index in moved else of_data if index in data else STAYS)
    possible = _shared(basis, basis.has_room(need, data))
    prices = (basis.price_of_copies(need), basis.price_of_moves(moved))
    reason = _room(basis, possible, need, "a copy of the data")
    if moved and possible:
        reason += f"; {_names(basis, moved)} take what is left"
    return _use(
        basis,
        name,
        basis.saved(splits, splits),
        possible=possible,
        reason=reason,
        flash_bytes=None if need is None else need + (basis.bytes_of(moved) or 0),
        price_per_month=None if None in prices else (prices[0] or 0.0) + (prices[1] or 0.0),
        endurance_years=basis.years([*data, *moved]),
        costs=_mirror_costs(basis, of_data, moved),
        settings=settings.of_mirror(basis.offer.setup) if of_data == PREFERRED else (),
    )


def _mirror_costs(basis: Basis, of_data: Split, moved: Sequence[int]) -> tuple[str, ...]:
    told = [
        "each write goes to both sides and ends with the later one, so that writes of data become no faster"
    ]
    if of_data == IN_TURN:
        told.append(
            "half of the reads still wait for the slow side, which limits all of them to twice its rate"
        )
    if moved:
        told.append(f"{_names(basis, moved)} have no copy elsewhere: flash must be redundant by itself")
    return (*told, "no memory and no CPU of the database", _hosts(basis))


def _fitting(basis: Basis, room_bytes: int) -> list[int]:
    """What waits most for its bytes, as long as it fits."""
    layout, last = basis.asked.layout, basis.asked.intervals[-1]
    waits: list[tuple[float, int]] = []
    for index in basis.elsewhere:
        home, size = layout.homes[index], layout.sizes[index]
        if basis.objects[index].kind in SEPARATE and home is not None and size is not None:
            tier = layout.tiers[home]
            wait_s = last.costs[index].seconds(tier, latencies_at(tier, 0.0), True)
            waits.append((wait_s / max(size, 1), index))
    found = []
    for wait, index in sorted(waits, key=lambda one: (-one[0], one[1])):
        size = layout.sizes[index] or 0
        if wait > 0 and size <= room_bytes:
            found.append(index)
            room_bytes -= size
    return found


def storage_cache(basis: Basis) -> FlashUse:
    """A cache in the controller, or in the block layer beneath the database."""
    offer, curve = basis.offer, basis.offer.hits
    hits = curve and cache_hits.below(curve, basis.last.cache_bytes, offer.flash_bytes)
    return _cache(
        basis,
        "storage cache",
        hits,
        possible=_shared(basis, True),
        price_per_month=basis.price_of_copies(offer.flash_bytes),
        fills=None if hits is None else hits.least.home * basis.small_reads(),
        costs=(
            "writes go through it and become no faster; reads of several blocks are taken to pass it by",
            "in the controller no memory and no CPU of the host, in the block layer some of both",
            "in a cluster only the controller's: a cache inside one host does not see what others write",
        ),
        settings=settings.of_storage_cache(offer.setup),
    )


def database_cache(basis: Basis) -> FlashUse:
    """Database Smart Flash Cache of Oracle: it takes what leaves the buffer cache, and its directory takes memory from it."""
    offer, curve = basis.offer, basis.offer.hits
    taken = _directory_bytes(basis)
    hits = curve and cache_hits.below(curve, basis.last.cache_bytes, offer.flash_bytes, taken)
    possible, why = _has_flash_cache(basis)
    return _cache(
        basis,
        "database cache",
        hits,
        possible=possible,
        why=why,
        memory_bytes=taken,
        price_per_month=basis.price_of_copies(offer.flash_bytes),
        fills=None if hits is None else (hits.least.home + hits.least.flash) * basis.small_reads(),
        costs=(
            f"its directory takes {format_bytes(taken)} of the buffer cache",
            "the database's writers fill it, which takes CPU of the host",
            "each instance of a cluster has one of its own, which the others do not see; it is empty after a restart",
        ),
        settings=settings.of_database_cache(offer.setup, offer.flash_bytes, taken),
    )


def _prices_unknown(basis: Basis) -> str:
    unknown = [
        *(
            []
            if basis.price_of_copies(basis.offer.flash_bytes)
            else ["of flash (price_per_tb_month of its tier)"]
        ),
        *([] if basis.offer.memory_price_per_tb_month else ["of memory (--memory-price)"]),
    ]
    return f"the price {' and '.join(unknown)} is not known"


def memory(basis: Basis) -> FlashUse:
    """A larger buffer cache for the money of the flash."""
    offer, curve, now = basis.offer, basis.offer.hits, basis.last.cache_bytes
    price = basis.price_of_copies(offer.flash_bytes)
    if not price or not offer.memory_price_per_tb_month:
        reason = _prices_unknown(basis)
        return _unknown(basis, "memory instead", reason, flash_bytes=0, memory_bytes=None)
    more = round(price / offer.memory_price_per_tb_month * 1e12)
    return _cache(
        basis,
        "memory instead",
        curve and cache_hits.larger(curve, now, more),
        possible=True,
        why=f"{format_bytes(more)} of memory cost as much",
        flash_bytes=0,
        memory_bytes=more,
        price_per_month=price,
        fills=0.0,
        costs=("memory of the host, and CPU to look through it", "in a cluster of each host"),
        settings=() if now is None else settings.of_memory(offer.setup, now + more),
    )


def _cache(
    basis: Basis,
    name: FlashUseName,
    hits: Hits | None,
    *,
    possible: bool | None,
    fills: float | None,
    why: str = "",
    **more: Any,
) -> FlashUse:
    """A cache of any kind, of which nothing is known without a curve."""
    more = {"flash_bytes": basis.offer.flash_bytes, **more, "possible": possible}
    if hits is None:
        return _unknown(basis, name, _sentence(why, _why_no_hits(basis)), **more)
    low, high = (basis.splits(lambda index, at=at: cached(at)) for at in (hits.least, hits.most))
    is_memory = not hits.most.flash
    answered = [
        1.0 - at.home if is_memory else at.flash / (at.flash + at.home) for at in (hits.least, hits.most)
    ]
    return _use(
        basis,
        name,
        basis.saved(low, high),
        reason=_sentence(why, _answers(answered, is_memory), "" if is_memory else _over(basis)),
        hit_share=answered[0],
        hit_share_max=answered[1],
        endurance_years=basis.years(basis.elsewhere, fills) if not is_memory else None,
        **more,
    )


def _why_no_hits(basis: Basis) -> str:
    curve = basis.offer.hits
    if curve is None:
        return _NO_CURVE
    if curve.of == "flash":
        return "the curve is of a cache of flash, and says nothing of a buffer cache"
    if basis.last.cache_bytes is None:
        return "the present size of the buffer cache is not known: give it with --cache"
    first, last, now = map(
        format_bytes, (curve.points[0].cache_bytes, curve.points[-1].cache_bytes, basis.last.cache_bytes)
    )
    return f"the curve, from {first} to {last}, does not reach the buffer cache of today, {now}"


def _answers(shares: Sequence[float], is_memory: bool) -> str:
    low, high = (format_share(share) for share in shares)
    which = "that reach storage today" if is_memory else "that miss the buffer cache then"
    return f"it answers {low if low == high else f'{low} to {high}'} of the small reads {which}"


def _over(basis: Basis) -> str:
    """What the cache lies over, where it is hardly slower than the flash."""
    slow = _slow_us(basis)
    flash_us = latencies_at(basis.flash_tier, 0.0)[0]
    if slow is None or slow >= _FASTER_MIN * flash_us:
        return ""
    return f"flash over flash: a read takes {format_us(flash_us)} in place of {format_us(slow)}"


def _slow_us(basis: Basis) -> float | None:
    """Mean latency of a small read where it is served today."""
    stays = basis.splits(lambda index: STAYS)
    return basis.saved(stays, stays).then.small_read_us


def _has_flash_cache(basis: Basis) -> tuple[bool | None, str]:
    setup, cache_bytes = basis.offer.setup, basis.last.cache_bytes
    if setup.dialect is None:
        return None, "only Oracle has one: name the database with --dialect"
    if setup.dialect == "postgres":
        return False, "PostgreSQL has no cache of its own on flash"
    if not setup.server.has_flash_cache:
        return False, f"there is none in {setup.server.words}"
    least = _ADVISED_MULTIPLES[0]
    if cache_bytes is not None and basis.offer.flash_bytes < least * cache_bytes:
        return (
            True,
            f"Oracle advises {least} to {_ADVISED_MULTIPLES[1]} times the buffer cache, and this is less",
        )
    return True, ""


def _directory_bytes(basis: Basis) -> int:
    each = DIRECTORY_CLUSTER_BYTES if basis.offer.setup.clustered else DIRECTORY_BYTES
    return each * math.ceil(basis.offer.flash_bytes / basis.offer.block_bytes)


def _shared(basis: Basis, possible: bool | None) -> bool | None:
    """A cluster's data never lies on what one of its hosts alone reaches, or may."""
    return possible if basis.flash_tier.shared or not basis.offer.setup.clustered else False


def _hosts(basis: Basis) -> str:
    if basis.flash_tier.shared:
        return "every host of a cluster reaches it"
    return "inside one host it is not for a cluster"


def _room(basis: Basis, possible: bool | None, need: int | None, what: str) -> str:
    if basis.offer.setup.clustered and not basis.flash_tier.shared:
        return _NO_SHARING
    if need is None and possible is None:
        return f"sizes are not known, so that nobody can say whether {what} fits"
    size = "more than all of it" if need is None else format_bytes(need)
    fits = "fits" if possible else f"does not fit into {format_bytes(basis.offer.flash_bytes)}"
    return f"{what}, {size}, {fits}"


def _names(basis: Basis, indices: Sequence[int]) -> str:
    return ", ".join(basis.objects[index].name for index in indices)


def _sentence(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _use(
    basis: Basis, name: FlashUseName, saved: Saved, *, reason: str, settings: Any, **more: Any
) -> FlashUse:
    share = None if saved.gain_s is None or not basis.db_time_s else saved.gain_s / basis.db_time_s
    return FlashUse(
        use=name,
        gain_s=saved.gain_s,
        gain_s_max=saved.gain_s_max,
        gain_share=share,
        small_read_us=None if saved.gain_s is None else saved.then.small_read_us,
        small_write_us=None if saved.gain_s is None else saved.then.small_write_us,
        small_write_us_max=None if saved.gain_s is None else saved.then.small_write_us_max,
        reason=_sentence(reason, _BEYOND if saved.gain_s is None else ""),
        settings=tuple(settings),
        **more,
    )


def _unknown(basis: Basis, name: FlashUseName, reason: str, **more: Any) -> FlashUse:
    more = {"possible": None, **more, "settings": tuple(more.get("settings", ()))}
    return FlashUse(use=name, reason=reason, gain_s=None, gain_s_max=None, **more)
