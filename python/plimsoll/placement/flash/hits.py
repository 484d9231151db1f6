"""What a second cache would answer, from a curve of misses over the size of a cache.

A curve of the buffer cache tells of a cache of flash below it as well. A cache that holds only what left the buffer cache (victim,
exclusive) makes one LRU of both: it answers R(C) - R(C + F) of R(C) reads, where R are reads by size, C is the buffer cache and F
the flash. That is the high end. One that holds what the buffer cache holds as well wastes so much of its room: it answers about
R(C) - R(F), the low end. About, since it forgets what the buffer cache still answers, which no curve tells; and all of them are
ideal LRUs. So it is an estimate between two ends, and not a proof of them. Beyond the curve's end reads only become fewer, which
bounds what is unknown.

source: Mattson et al., IBM Systems Journal 9(2), 1970 (one curve for all sizes of an LRU); Wong and Wilkes, USENIX ATC 2002
(exclusive caches)
"""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.facts import HitCurve, HitPoint, Inventory
from plimsoll.placement.miss_curve import misses


@dataclass(frozen=True)
class Shares:
    """Of the small reads that reach storage today, the shares that flash and the present tiers serve then.

    Together they may be more than 1, where a cache takes memory from the buffer cache.
    """

    flash: float
    home: float


@dataclass(frozen=True)
class Hits:
    """What a cache leaves and answers: at the end where it does least, and where it does most."""

    least: Shares
    most: Shares


def advised(inventory: Inventory) -> HitCurve | None:
    """The curve of the database's own advice on its buffer cache; None where it gave none."""
    sizes = sorted(inventory.cache_sizes, key=lambda one: one.cache_bytes)
    if not sizes or sizes[0].physical_reads <= 0:
        return None
    points = tuple(
        HitPoint(cache_bytes=one.cache_bytes, miss_share=one.physical_reads / sizes[0].physical_reads)
        for one in sizes
    )
    return HitCurve(of="buffer cache", points=points, source=f"buffer pool advisory of {inventory.source}")


def below(curve: HitCurve, cache_bytes: int | None, flash_bytes: int, taken_bytes: int = 0) -> Hits | None:
    """A cache of flash below the buffer cache, which takes so much of that for its directory; None: the curve does not tell."""
    if curve.of == "flash":
        left = misses(curve, flash_bytes)
        return left and Hits(Shares(1.0 - left.high, left.high), Shares(1.0 - left.low, left.low))
    now = None if cache_bytes is None else _known(curve, cache_bytes)
    if now is None or cache_bytes is None:
        return None
    kept = _known(curve, cache_bytes - taken_bytes)
    if kept is None:
        return None
    exclusive = misses(curve, cache_bytes - taken_bytes + flash_bytes)
    inclusive = misses(curve, flash_bytes)
    most_left = kept if inclusive is None else min(kept, inclusive.high)
    least_left = kept if exclusive is None else exclusive.low
    return Hits(_shares(kept, most_left, now), _shares(kept, least_left, now))


def larger(curve: HitCurve, cache_bytes: int | None, more_bytes: int) -> Hits | None:
    """So much more buffer cache: what it answers reaches no storage at all; None: the curve does not tell."""
    now = None if cache_bytes is None or curve.of == "flash" else _known(curve, cache_bytes)
    left = None if cache_bytes is None else misses(curve, cache_bytes + more_bytes)
    if not now or left is None:
        return None
    return Hits(Shares(0.0, left.high / now), Shares(0.0, left.low / now))


def _known(curve: HitCurve, cache_bytes: int) -> float | None:
    """Misses at a size that the curve covers; None beyond its ends, and where nothing misses."""
    found = misses(curve, cache_bytes)
    return found.low if found is not None and found.low == found.high and found.low > 0 else None


def _shares(kept: float, left: float, now: float) -> Shares:
    return Shares(flash=(kept - left) / now, home=left / now)
