"""The same money spent on memory: what a larger cache would not read, by the database's own advice or by a stated curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.base.units import format_bytes
from plimsoll.facts import CacheSize, HitCurve, Inventory, MemoryInstead
from plimsoll.placement.miss_curve import misses


@dataclass(frozen=True)
class SmallReads:
    """Reads of single blocks that reach storage today, and what sessions wait for them, in an interval."""

    count: float
    seconds: float

    @property
    def seconds_each(self) -> float | None:
        """None where nothing is read."""
        return self.seconds / self.count if self.count else None


@dataclass(frozen=True)
class Money:
    """What the plan costs more in a month than today's layout, and 10^12 bytes of memory; None: not known."""

    per_month: float | None
    memory_per_tb_month: float | None

    @property
    def memory_bytes(self) -> int | None:
        """Memory for what the plan costs; None where it costs nothing more, or a price is not known."""
        if not self.memory_per_tb_month or not self.per_month or self.per_month <= 0:
            return None
        return round(self.per_month / self.memory_per_tb_month * 1e12)


def memory_instead(
    inventory: Inventory, money: Money, reads: SmallReads, stated: HitCurve | None
) -> MemoryInstead | None:
    """None where it cannot be asked: no price, no advice, or a plan that costs nothing more."""
    memory = money.memory_bytes
    if memory is None or inventory.cache_bytes is None:
        return None
    told = f"{format_bytes(memory)} of memory cost as much"
    if stated is not None:
        spared = _by_curve(stated, inventory.cache_bytes, memory, reads.count)
    elif inventory.cache_sizes:
        spared = _by_advice(inventory.cache_sizes, inventory.cache_bytes, memory)
    else:
        return None
    found = MemoryInstead(
        price_per_month=money.per_month or 0.0,
        memory_bytes=memory,
        reads_saved=None,
        gain_s=None,
        reason=told,
    )
    if isinstance(spared, str):
        return found.but(reason=f"{told}; {spared}")
    return found.but(
        reads_saved=spared,
        gain_s=None if reads.seconds_each is None else spared * reads.seconds_each,
        reason=f"{told}, and would spare {spared:,.0f} block reads in the interval",
    )


def why_unknown(inventory: Inventory, money: Money, stated: HitCurve | None) -> str | None:
    """Why nothing is said of memory though a curve was stated; None where something is, or none was."""
    if stated is None or (money.memory_bytes is not None and inventory.cache_bytes is not None):
        return None
    why = "the present size of the buffer cache is not known: --cache states it"
    if money.per_month is None:
        why = "a tier has no price_per_tb_month"
    elif money.per_month <= 0:
        why = "the plan costs no more in a month than today's layout"
    return f"what memory instead of the plan would save is not known: {why}"


def _by_curve(curve: HitCurve, cache_bytes: int, memory_bytes: int, reads: float) -> float | str:
    """Of the reads of today, as many less as the curve's fall; or why that is not known."""
    now, then = misses(curve, cache_bytes), misses(curve, cache_bytes + memory_bytes)
    if now is None or then is None:
        return f"{curve.source} begins at a cache of {format_bytes(curve.points[0].cache_bytes)}, and below it nothing is known"
    if then.low < then.high:
        return _beyond(curve.source, curve.points[-1].cache_bytes)
    return reads * (1.0 - then.low / now.low) if now.low > 0 else 0.0


def _by_advice(advice: Sequence[CacheSize], cache_bytes: int, memory_bytes: int) -> float | str:
    """By the database's own figures of the interval."""
    sizes = sorted(advice, key=lambda one: one.cache_bytes)
    wanted = cache_bytes + memory_bytes
    if wanted > sizes[-1].cache_bytes:
        return _beyond("the advice", sizes[-1].cache_bytes)
    return max(0.0, _reads(sizes, cache_bytes) - _reads(sizes, wanted))


def _beyond(source: str, last_bytes: int) -> str:
    return f"{source} ends at a cache of {format_bytes(last_bytes)}, and beyond it nothing is known"


def _reads(sizes: Sequence[CacheSize], cache_bytes: float) -> float:
    """Blocks read with a cache of that size, on the straight line between two lines of the advice."""
    before = sizes[0]
    for one in sizes:
        if one.cache_bytes >= cache_bytes:
            span = one.cache_bytes - before.cache_bytes
            share = (cache_bytes - before.cache_bytes) / span if span > 0 else 1.0
            return before.physical_reads + max(0.0, share) * (one.physical_reads - before.physical_reads)
        before = one
    return before.physical_reads
