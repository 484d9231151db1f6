"""What an object costs sessions on a tier, in seconds of DB time: I/Os of each class × their latency there.

For reads, `reads × (1 - cached share) × latency`, small and large ones apart; for writes only those that sessions wait for.
Where the seconds of an object were measured they come first:

- Measured less than reckoned, and nobody said what memory answers: the rest never reached storage, here and on any tier.
- What memory answers of all objects together can be known where that of each is not. Measured seconds then say which of them it
  answers: as many reads reach storage as are left, in the proportion of measured to reckoned seconds.
- Measured more than reckoned: the present tier is slower than it was said to be, which says nothing of other tiers. Commits are the
  exception: one waits for its own write and where another is at work for that one too, so that up to two times the writes count on
  every tier.

Waits bound it all. I/Os overlap, and not all of them are waited for, so that counts × latencies can come to more than was waited;
every second is then taken in proportion. Formulas: Canim et al., PVLDB 2(1), 2009, with latency over load in place of one figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from plimsoll.facts import Inventory, StorageObject, Tier, TierLatency
from plimsoll.placement import tiers as tier_numbers
from plimsoll.predict.faster_storage import LOG_WRITES_PER_COMMIT

End = Literal["low", "high"]
"""Of what is only bounded: the end that gains least, or most."""
Latencies = tuple[float, float, float]
"""Of a small read, a large read and a small write, in microseconds."""
_LOGS = ("redo", "wal")
_CLASSES = ("small_reads", "large_reads", "small_writes")


@dataclass(frozen=True)
class Work:
    """What one object asks of storage in one interval: I/Os that reach it, by class, and what was measured of them."""

    small_reads: float = 0.0
    large_reads: float = 0.0
    small_writes: float = 0.0
    background_writes: float = 0.0
    large_read_bytes: float | None = None
    read_s: float | None = None
    write_s: float | None = None
    is_log: bool = False
    is_cache_known: bool = False
    unknown: tuple[str, ...] = ()
    """Counts of which nothing is known; they are in no figure."""
    is_missing: bool = False
    """Whether the interval does not have the object at all."""

    @property
    def ios(self) -> float:
        """All that reach storage."""
        return self.waited_ios + self.background_writes

    @property
    def waited_ios(self) -> float:
        """Those of them that sessions wait for."""
        return self.small_reads + self.large_reads + self.small_writes

    def without_reads(self) -> Work:
        """The same of an object whose reads memory answers."""
        return replace(self, small_reads=0.0, large_reads=0.0, read_s=None)


def work_of(one: StorageObject, end: End = "low") -> Work:
    """Its work, of what is only bounded by that end."""
    cached = _count(one, "cached_share", "high" if end == "low" else "low")
    reach = 1.0 - (cached or 0.0)
    counts = {name: _count(one, name, end) for name in (*_CLASSES, "background_writes")}
    return Work(
        small_reads=reach * (counts["small_reads"] or 0.0),
        large_reads=reach * (counts["large_reads"] or 0.0),
        small_writes=counts["small_writes"] or 0.0,
        background_writes=counts["background_writes"] or 0.0,
        large_read_bytes=one.large_read_bytes_mean,
        read_s=one.read_s,
        write_s=one.write_s,
        is_log=one.kind in _LOGS,
        is_cache_known=cached is not None,
        unknown=tuple(name for name in _CLASSES if counts[name] is None),
    )


def _count(one: StorageObject, name: str, end: End) -> float | None:
    """A count, or that end of its bounds; the likeliest between them stands for the low end."""
    value = getattr(one, name)
    if value is not None and (end == "low" or name == "cached_share"):
        return value
    ends = (_end(bound.low, bound.high, end) for bound in one.bounds if bound.count == name)
    return next(ends, value)


def _end(low: float, high: float | None, end: End) -> float:
    return low if end == "low" or high is None else high


def is_open(one: StorageObject) -> bool:
    """Whether a count of it has no upper end: nobody can say what it gains at most."""
    known = {bound.count for bound in one.bounds if bound.high is not None}
    return any(getattr(one, name) is None and name not in known for name in _CLASSES)


def size_of(one: StorageObject) -> int | None:
    """Bytes to find room for: the larger end where they are only bounded."""
    if one.size_bytes is not None:
        return one.size_bytes
    high = next((bound.high for bound in one.bounds if bound.count == "size_bytes"), None)
    return None if high is None else int(high)


def latencies_at(tier: Tier, load_per_s: float) -> Latencies:
    """What it serves each class in at a load."""
    return _three(tier, load_per_s, tier_numbers.latency_us)


def least_latencies(tier: Tier, load_per_s: float) -> Latencies:
    """The same at that load or any higher one, whichever is least."""
    return _three(tier, load_per_s, tier_numbers.least_us)


def slopes_at(tier: Tier, load_per_s: float) -> Latencies:
    """By how much each rises with a further I/O per second."""
    return _three(tier, load_per_s, tier_numbers.slope_us)


def _three(tier: Tier, load_per_s: float, how: Callable[[Sequence[TierLatency], float], float]) -> Latencies:
    small, large, write = (how(points, load_per_s) for points in tier_numbers.curves(tier))
    return small, large, write


@dataclass(frozen=True)
class Cost:
    """What one object's work costs on tiers, held against what was measured on its own."""

    work: Work
    read_share: float = 1.0
    """Share of its reads that reach storage, where measured seconds say that fewer do than were counted."""
    write_factor: float = 1.0
    """Of its writes that sessions wait for, on any tier."""
    read_excess: float = 1.0
    """On the present tier alone: measured seconds / reckoned ones, where they are more."""
    write_excess: float = 1.0

    def seconds(self, tier: Tier, latencies: Latencies, is_home: bool) -> float:
        """What sessions wait for it there."""
        reads, writes = _reckoned(self.work, tier, latencies)
        if is_home:
            reads, writes = reads * self.read_excess, writes * self.write_excess
        return self.read_share * reads + self.write_factor * writes

    def reads_s(self, tier: Tier, latencies: Latencies) -> float:
        """What its reads come to by latencies alone."""
        return self.read_share * _reckoned(self.work, tier, latencies)[0]

    @property
    def ios(self) -> float:
        """I/Os of it that reach storage."""
        return self.read_share * self.reads + self.work.small_writes + self.work.background_writes

    @property
    def reads(self) -> float:
        """All that were counted, and were not known to be answered by memory."""
        return self.work.small_reads + self.work.large_reads

    @property
    def read_factor(self) -> float:
        """Measured seconds of its reads / reckoned ones, on the present tier."""
        return self.read_share * self.read_excess

    def reaching(self, level: float) -> Cost:
        """The same with so many times that factor for the share of its reads that reach storage."""
        share = min(1.0, level * self.read_factor)
        return replace(self, read_share=share, read_excess=self.read_factor / share if share else 1.0)


def cost_of(work: Work, home: Tier, latencies: Latencies) -> Cost:
    """The work held against what was measured of it on the tier where it lies now."""
    reads, writes = _reckoned(work, home, latencies)
    read_factor, write_factor = _factor(work.read_s, reads), _factor(work.write_s, writes)
    share = 1.0 if work.is_cache_known else min(1.0, read_factor)
    most = LOG_WRITES_PER_COMMIT[1] if work.is_log else 1.0
    waited = min(most, write_factor)
    return Cost(
        work,
        read_share=share,
        write_factor=waited,
        read_excess=read_factor / share if share else 1.0,
        write_excess=write_factor / waited if waited else 1.0,
    )


def _factor(measured_s: float | None, reckoned_s: float) -> float:
    return 1.0 if measured_s is None or reckoned_s <= 0 else measured_s / reckoned_s


def _reckoned(work: Work, tier: Tier, latencies: Latencies) -> tuple[float, float]:
    small_us, large_us, write_us = latencies
    large_us += _transfer_us(work, tier)
    reads = work.small_reads * small_us + work.large_reads * large_us
    return reads / 1e6, work.small_writes * write_us / 1e6


def _transfer_us(work: Work, tier: Tier) -> float:
    """What the bytes beyond those of the measured large read add to each."""
    known = (work.large_read_bytes, tier.large_read_bytes, tier.large_read_mb_per_s)
    if None in known:
        return 0.0
    mean, measured, mb_per_s = (float(one or 0.0) for one in known)
    return max(0.0, mean - measured) / mb_per_s


@dataclass(frozen=True)
class Interval:
    """One inventory ready to be planned: what each object costs, by the tiers that lie beneath now."""

    inventory: Inventory
    costs: tuple[Cost, ...]
    scale: float
    """Seconds that were waited / seconds reckoned, where that is less than 1."""
    reckoned_s: float
    """Counts × latencies on today's tiers, all objects together."""


def loads(
    costs: Sequence[Cost], places: Sequence[int | None], count: int, interval_s: float | None
) -> list[float]:
    """I/Os per second of each of so many tiers, with each object on its place; all 0 where the interval's length is not known."""
    found = [0.0] * count
    if interval_s:
        for cost, place in zip(costs, places, strict=True):
            if place is not None:
                found[place] += cost.ios / interval_s
    return found


def interval_of(
    inventory: Inventory,
    works: Sequence[Work],
    homes: Sequence[int | None],
    tiers: Sequence[Tier],
    unseen: float | None,
) -> Interval:
    """The interval as today's layout explains it."""
    bare = [Cost(work) for work in works]
    now = loads(bare, homes, len(tiers), inventory.interval_s)
    at = [latencies_at(tier, load) for tier, load in zip(tiers, now, strict=True)]
    costs = tuple(
        Cost(work) if home is None else cost_of(work, tiers[home], at[home])
        for work, home in zip(works, homes, strict=True)
    )
    if inventory.cached_read_share is not None:
        costs = _sharing(costs, homes, 1.0 - inventory.cached_read_share)
    reckoned = sum(
        cost.seconds(tiers[home], at[home], True)
        for cost, home in zip(costs, homes, strict=True)
        if home is not None
    )
    return Interval(inventory, costs, _scale(waited_most_s(inventory), reckoned, unseen), reckoned)


def _sharing(costs: Sequence[Cost], homes: Sequence[int | None], reach: float) -> tuple[Cost, ...]:
    """The costs with a share of reads that reach storage each, so that of all reads `reach` does."""
    are_open = [
        home is not None and cost.work.read_s is not None and not cost.work.is_cache_known
        for cost, home in zip(costs, homes, strict=True)
    ]
    known = [(cost.read_factor, cost.reads) for cost, is_open in zip(costs, are_open, strict=True) if is_open]
    level = _level(known, reach)
    return tuple(
        cost.reaching(level) if is_open else cost for cost, is_open in zip(costs, are_open, strict=True)
    )


def _level(known: Sequence[tuple[float, float]], reach: float) -> float:
    """By what to multiply the factors, none of which counts for more than 1 then, to have that share of the reads."""
    wanted, left = reach * sum(reads for _, reads in known), sum(factor * reads for factor, reads in known)
    level = 0.0
    for factor, reads in sorted(known, reverse=True):
        if left <= 0:
            break
        level = wanted / left
        if level * factor <= 1:
            break
        wanted, left = wanted - reads, left - factor * reads
    return level


def waited_most_s(inventory: Inventory) -> float | None:
    """Seconds that sessions can have waited for I/O: those that they did, else all of DB time; None: neither is known."""
    waited_s = inventory.foreground_io_wait_s
    return inventory.db_time_s if waited_s is None else waited_s


def _scale(waited_s: float | None, reckoned_s: float, unseen: float | None) -> float:
    """What is unseen was waited for as well, and is no object's."""
    if waited_s is None or reckoned_s <= 0:
        return 1.0
    return min(1.0, waited_s * (1.0 - (unseen or 0.0)) / reckoned_s)
