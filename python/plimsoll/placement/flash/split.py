"""What sessions wait for when parts of each object's I/Os go to flash: reads by share, writes to one side or to both.

Every tier is taken at the load that it then has. A write of a mirror ends with its later side: its mean is at least that of the
slower side and at most the sum of both, whatever the laws of the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from plimsoll.facts import Tier
from plimsoll.placement.flash.hits import Shares
from plimsoll.placement.gain import Cost, Interval, Latencies, latencies_at


@dataclass(frozen=True)
class Split:
    """Where the I/Os of an object go: shares of its small and large reads, and its writes."""

    flash_small: float = 0.0
    home_small: float = 1.0
    flash_large: float = 0.0
    writes: Literal["home", "flash", "both"] = "home"


STAYS = Split()
MOVES = Split(1.0, 0.0, 1.0, "flash")
PREFERRED = Split(1.0, 0.0, 1.0, "both")
IN_TURN = Split(0.5, 0.5, 0.5, "both")


def cached(shares: Shares) -> Split:
    """Small reads go to the cache in part; it is written through, and large reads pass it by."""
    return Split(flash_small=shares.flash, home_small=shares.home)


@dataclass(frozen=True)
class Outcome:
    """What is waited for in one interval, in seconds, and the means of an I/O in microseconds."""

    seconds_max: float
    seconds_min: float
    flash_per_s: float | None
    """I/Os per second that flash serves then; None where the interval's length is not known."""
    small_read_us: float | None
    """None where no small read reaches storage."""
    small_write_us: float | None
    small_write_us_max: float | None


@dataclass(frozen=True)
class _Part:
    """A part of an object's work, on a tier."""

    place: int
    cost: Cost
    is_home: bool


def outcome(
    interval: Interval,
    homes: Sequence[int | None],
    tiers: Sequence[Tier],
    flash: int,
    splits: Sequence[Split],
) -> Outcome:
    """The interval with each object split; those whose tier is not known wait for nothing that is known."""
    known = [
        (cost, home, split)
        for cost, home, split in zip(interval.costs, homes, splits, strict=True)
        if home is not None
    ]
    reads = [part for one in known for part in _reads(*one, flash)]
    writes = [tuple(_writes(*one, flash)) for one in known]
    loads = [0.0] * len(tiers)
    for part in (*reads, *(side for sides in writes for side in sides)):
        loads[part.place] += part.cost.ios / (interval.inventory.interval_s or float("inf"))
    at = [latencies_at(tier, load) for tier, load in zip(tiers, loads, strict=True)]
    waited = sum(_seconds(part, tiers, at) for part in reads)
    each = [[_seconds(side, tiers, at) for side in sides] for sides in writes]
    counted = [sides[0].cost for sides in writes]
    return Outcome(
        seconds_max=interval.scale * (waited + sum(map(sum, each))),
        seconds_min=interval.scale * (waited + sum(map(max, each))),
        flash_per_s=loads[flash] if interval.inventory.interval_s else None,
        small_read_us=_mean_read_us(reads, at),
        small_write_us=_mean_write_us(sum(map(max, each)), counted),
        small_write_us_max=_mean_write_us(sum(map(sum, each)), counted),
    )


def _reads(cost: Cost, home: int, split: Split, flash: int) -> Iterator[_Part]:
    shares = (
        (home, split.home_small, 1.0 - split.flash_large),
        (flash, split.flash_small, split.flash_large),
    )
    for place, small, large in shares:
        work = replace(
            cost.work,
            small_reads=small * cost.work.small_reads,
            large_reads=large * cost.work.large_reads,
            small_writes=0.0,
            background_writes=0.0,
        )
        # What was measured of the home tier says nothing of flash, also where flash is a cache in front of it.
        yield _Part(place, replace(cost, work=work), is_home=place == home)


def _writes(cost: Cost, home: int, split: Split, flash: int) -> Iterator[_Part]:
    alone = replace(cost, work=cost.work.without_reads())
    if split.writes != "flash":
        yield _Part(home, alone, is_home=True)
    if split.writes != "home":
        yield _Part(flash, alone, is_home=flash == home)


def _seconds(part: _Part, tiers: Sequence[Tier], at: Sequence[Latencies]) -> float:
    return part.cost.seconds(tiers[part.place], at[part.place], part.is_home)


def _mean_read_us(parts: Sequence[_Part], at: Sequence[Latencies]) -> float | None:
    counts = [part.cost.read_share * part.cost.work.small_reads for part in parts]
    total = sum(count * at[part.place][0] for count, part in zip(counts, parts, strict=True))
    return total / sum(counts) if sum(counts) else None


def _mean_write_us(seconds: float, costs: Sequence[Cost]) -> float | None:
    count = sum(cost.write_factor * cost.work.small_writes for cost in costs)
    return seconds * 1e6 / count if count else None
