"""A larger buffer cache would save reads.

What it finds:
    By Oracle's own advisory, a buffer cache of up to twice the size would take a tenth or more off DB time: the reads that
    it saves, in proportion to the time of reads into the cache.
Why it matters:
    A read that is not made is faster than any storage. Direct path reads, which bypass the cache, are not saved.
What to do:
    Set the cache to the size at the knee of the advisory; compare the seconds with those that faster storage would save.
Evidence:
    Buffer Pool Advisory; waits for reads into the cache.
Source:
    Oracle's manual on the buffer pool advisory; gtsproj's rule SGA_001.
"""

from __future__ import annotations

from plimsoll.rules._cache import largest, of_cache
from plimsoll.rules._events import MULTI, SHARED, SINGLE
from plimsoll.rules._interval import Interval, cells_of, cells_of_waits
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.1
_VIEW = "buffer_pool_advisory"


def _find(interval: Interval) -> Found | None:
    gain, row = of_cache(interval), largest(interval)
    if gain is None or row is None or gain.saves_share < _SHARE_MIN:
        return None
    waits = interval.waits_of(SINGLE, MULTI, SHARED)[:1]
    factor, reads = (
        interval.number(_VIEW, row, column) for column in ("size_factor", "physical_read_factor")
    )
    share = f"{row['physical_read_factor']:.2f} of those of now"
    reason = f"with {row['size_factor']:.2g} times the cache physical reads would be {share}"
    return Found(
        reason=f"{reason}: {gain.saves_s:,.0f} s less to wait",
        cells=cells_of(factor, reads, interval.db_time) + cells_of_waits(waits),
        db_time_s=gain.saves_s,
        events=tuple(wait.event for wait in waits),
    )


RULE = Rule(
    title="A larger buffer cache would save reads",
    family="cache",
    advice="Give the cache the size at the knee of its advisory, and set that against faster storage.",
    disproof="The same reads come back after the next restart: the cache was cold.",
    find=_find,
)
