"""The same money spent on memory: what the database's own advice on its cache says a larger one would not read."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.units import format_bytes
from plimsoll.facts import CacheSize, Inventory, MemoryInstead


def memory_instead(
    inventory: Inventory,
    per_month: float | None,
    memory_price_per_tb_month: float | None,
    seconds_per_read: float | None,
) -> MemoryInstead | None:
    """None where it cannot be asked: no price, no advice, or a plan that costs nothing more."""
    sizes = sorted(inventory.cache_sizes, key=lambda one: one.cache_bytes)
    if (
        not sizes
        or inventory.cache_bytes is None
        or not memory_price_per_tb_month
        or not per_month
        or per_month <= 0
    ):
        return None
    memory = round(per_month / memory_price_per_tb_month * 1e12)
    wanted = inventory.cache_bytes + memory
    told = f"{format_bytes(memory)} of memory cost as much"
    if wanted > sizes[-1].cache_bytes:
        reason = f"{told}; the advice ends at a cache of {format_bytes(sizes[-1].cache_bytes)}, and beyond it nothing is known"
        return MemoryInstead(
            price_per_month=per_month, memory_bytes=memory, reads_saved=None, gain_s=None, reason=reason
        )
    saved = max(0.0, _reads(sizes, inventory.cache_bytes) - _reads(sizes, wanted))
    gained = None if seconds_per_read is None else saved * seconds_per_read
    reason = f"{told}, and would spare {saved:,.0f} block reads in the interval"
    return MemoryInstead(
        price_per_month=per_month, memory_bytes=memory, reads_saved=saved, gain_s=gained, reason=reason
    )


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
