"""How an object is read: by single blocks or by many at once, and whether the database's own cache answers it.

Nothing counts large reads by object, so they lie between bounds: blocks = small + large × blocks of a large one, and requests =
small + large where requests are counted. An object that is small beside the cache is read once and then stays in it (M. Ault, Tier
Zero articles of 2012: less than 5 % of the cache); what was counted of the object itself says better whether that is so.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf

from plimsoll.facts import CountBound
from plimsoll.facts.placement import AccessCount

SMALL_SHARE_OF_CACHE = 0.05
HITS_PER_READ_MIN = 10.0
"""Of an object that is larger than that: its blocks stay in the cache when it is answered so much more often than read."""
LARGE_BLOCKS_MIN = 2.0
"""A large read is of two blocks at least."""


@dataclass(frozen=True)
class Between:
    """A figure that was not counted itself. `guess` is the likeliest; None where nothing tells one end from the other."""

    low: float
    high: float
    guess: float | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the ends meet."""
        return not isinf(self.high) and self.high - self.low <= 1e-9 * max(1.0, abs(self.high))

    @property
    def value(self) -> float | None:
        """What is taken for it."""
        return self.high if self.is_exact else self.guess

    def at(self, share: float) -> Between:
        """With a guess at this share of the way from the low end to the high one."""
        return Between(self.low, self.high, self.low + min(1.0, max(0.0, share)) * (self.high - self.low))

    def over(self, size: float) -> Between:
        """Divided."""
        return Between(self.low / size, self.high / size, None if self.guess is None else self.guess / size)

    def taken_from(self, whole: float) -> Between:
        """The rest of a whole."""
        guess = None if self.guess is None else whole - self.guess
        return Between(max(0.0, whole - self.high), max(0.0, whole - self.low), guess)

    def bound(self, count: AccessCount) -> tuple[CountBound, ...]:
        """What is told of a figure that is not exact."""
        if self.is_exact:
            return ()
        return (CountBound(count=count, low=self.low, high=None if isinf(self.high) else self.high),)


UNKNOWN = Between(0.0, inf)


@dataclass(frozen=True)
class Reads:
    """Small and large requests of an object, and the mean blocks of a large one where that is known."""

    small: Between
    large: Between
    large_blocks_mean: float | None = None


def by_requests(blocks: float, requests: float, large_blocks: float | None, large_blocks_max: float) -> Reads:
    """From both counts: so many blocks in so many requests leave little room. `large_blocks` is the mean of a large one, if known.

    Fewer large ones explain the blocks the larger each of them is.
    """
    beyond = max(0.0, blocks - requests)
    low = min(requests, beyond / max(1.0, large_blocks_max - 1.0))
    high = min(requests, beyond / (LARGE_BLOCKS_MIN - 1.0))
    if large_blocks is None or large_blocks < LARGE_BLOCKS_MIN:
        large = Between(low, high)
        return Reads(large.taken_from(requests), large)
    guess = min(high, max(low, beyond / (large_blocks - 1.0)))
    large = Between(low, high, guess)
    mean = 1.0 + beyond / guess if guess else None
    return Reads(large.taken_from(requests), large, mean)


def by_blocks(blocks: float, large_blocks: float | None = None) -> Reads:
    """From blocks alone: all small, all large, or anything between."""
    size = LARGE_BLOCKS_MIN if large_blocks is None else max(LARGE_BLOCKS_MIN, large_blocks)
    return Reads(Between(0.0, blocks), Between(0.0, blocks / size), large_blocks)


@dataclass(frozen=True)
class InCache:
    """Whether the database's own cache holds an object (None: not known), and why."""

    lives: bool | None
    reason: str = ""


def in_cache(
    size_bytes: float | None,
    cache_bytes: float | None,
    block_bytes: int,
    blocks_read: float | None,
    hits: float | None,
) -> InCache:
    """By its size beside the cache, and by what was counted of it where that is known."""
    if size_bytes is None or not cache_bytes:
        return InCache(None)
    if size_bytes > cache_bytes:
        return InCache(False)
    share = size_bytes / cache_bytes
    is_small = share < SMALL_SHARE_OF_CACHE
    beside = f"{100 * share:.2g} % of the buffer cache"
    if blocks_read is None:
        return InCache(True, f"it is {beside}") if is_small else InCache(None)
    if blocks_read > size_bytes / block_bytes:
        again = f"it is {beside}, and yet was read {blocks_read * block_bytes / size_bytes:,.1f} times over"
        return InCache(False, f"{again}: a pool that keeps it would spare these reads" if is_small else "")
    if is_small:
        return InCache(True, f"it is {beside}, and no block of it need have been read twice")
    if hits is not None and hits >= HITS_PER_READ_MIN * blocks_read and hits > 0:
        return InCache(
            True,
            f"it is {beside}, and was answered from it {hits:,.0f} times for {blocks_read:,.0f} blocks read",
        )
    return InCache(False)
