"""What every use of flash is reckoned on: objects and intervals as a placement has them, and what splitting their I/Os saves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from plimsoll.facts import HitCurve, Inventory, StorageObject, Tier
from plimsoll.facts.placement import GainLimit
from plimsoll.placement import tiers as tier_numbers
from plimsoll.placement.flash.settings import Setup
from plimsoll.placement.flash.split import STAYS, Outcome, Split, outcome
from plimsoll.placement.gain import Interval, is_open
from plimsoll.placement.intervals import mean
from plimsoll.placement.pins import Terms
from plimsoll.placement.plan import Question, intervals_of, question
from plimsoll.predict.faster_storage import capped

Splits = Sequence[Split]


@dataclass(frozen=True)
class Offer:
    """The flash that there is, and what it is asked of."""

    flash_bytes: int
    hits: HitCurve | None
    block_bytes: int
    memory_price_per_tb_month: float | None
    setup: Setup


@dataclass(frozen=True)
class Saved:
    """Seconds of DB time from low to high ends, and what an I/O takes then; `gain_s` None: beyond what is known of the flash."""

    gain_s: float | None
    gain_s_max: float | None
    then: Outcome


@dataclass(frozen=True)
class Basis:
    """Objects, tiers and intervals. `flash` is the place of its tier."""

    asked: Question
    high: tuple[Interval, ...]
    flash: int
    offer: Offer

    @property
    def tiers(self) -> tuple[Tier, ...]:
        return self.asked.layout.tiers

    @property
    def flash_tier(self) -> Tier:
        return self.tiers[self.flash]

    @property
    def objects(self) -> tuple[StorageObject, ...]:
        return self.asked.layout.objects

    @property
    def last(self) -> Inventory:
        """The last interval: its cache is that of today."""
        return self.asked.found.inventories[-1]

    @cached_property
    def elsewhere(self) -> tuple[int, ...]:
        """Objects that do not lie on flash today, or of which that is not known."""
        return tuple(index for index, home in enumerate(self.asked.layout.homes) if home != self.flash)

    @cached_property
    def db_time_s(self) -> float | None:
        return mean([one.db_time_s for one in self.asked.found.inventories])

    @cached_property
    def busy_share(self) -> float | None:
        return mean([one.cpu_busy_share for one in self.asked.found.inventories])

    @cached_property
    def interval_s(self) -> float | None:
        return mean([one.interval_s for one in self.asked.found.inventories])

    def splits(self, of: Callable[[int], Split]) -> list[Split]:
        """The split of each object that does not lie on flash already; those that do stay."""
        away = set(self.elsewhere)
        return [of(index) if index in away else STAYS for index in range(len(self.objects))]

    def saved(self, low: Splits, high: Splits) -> Saved:
        """What is saved with the splits that gain least, and with those that gain most."""
        then = [self._then(one, low) for one in self.asked.intervals]
        most = tier_numbers.load_max_per_s(self.flash_tier)
        if most is not None and any((one.flash_per_s or 0.0) > most for one in then):
            return Saved(None, None, then[-1])
        least = self._gain([one.seconds_max for one in then], self.asked.intervals)
        best = self._gain([self._then(one, high).seconds_min for one in self.high], self.high)
        is_open_ended = any(is_open(self.objects[index]) for index in self.elsewhere)
        return Saved(self.cap(least), None if is_open_ended else self.cap(max(least, best)), then[-1])

    def _then(self, interval: Interval, splits: Splits) -> Outcome:
        return outcome(interval, self.asked.layout.homes, self.tiers, self.flash, splits)

    def _gain(self, then_s: Sequence[float], intervals: Sequence[Interval]) -> float:
        stays = [STAYS] * len(self.objects)
        now = [self._then(one, stays).seconds_max for one in intervals]
        return (sum(now) - sum(then_s)) / len(intervals)

    def cap(self, gain_s: float) -> float:
        """Within the CPUs' headroom."""
        if self.db_time_s is None:
            return gain_s
        return capped(gain_s, max(gain_s, 0.0), self.db_time_s, self.busy_share)[0]

    @cached_property
    def limited_by(self) -> GainLimit:
        return "waits" if any(one.scale < 1 for one in self.asked.intervals) else "nothing"

    def bytes_of(self, indices: Sequence[int]) -> int | None:
        """None where a size is not known."""
        sizes = [self.asked.layout.sizes[index] for index in indices]
        return None if None in sizes else sum(size or 0 for size in sizes)

    def has_room(self, need_bytes: int | None, indices: Sequence[int]) -> bool | None:
        """Whether so many fit; of unknown sizes those that are known may already be too many."""
        if need_bytes is not None:
            return need_bytes <= self.offer.flash_bytes
        known = sum(self.asked.layout.sizes[index] or 0 for index in indices)
        return False if known > self.offer.flash_bytes else None

    def price_of_copies(self, size_bytes: int | None) -> float | None:
        """A month of so much flash beside what is there today."""
        return None if size_bytes is None else tier_numbers.price_per_month(self.flash_tier, size_bytes)

    def price_of_moves(self, indices: Sequence[int]) -> float | None:
        """A month of these objects on flash in place of their tiers."""
        prices = [self._price_of_move(index) for index in indices]
        return None if None in prices else sum(price or 0.0 for price in prices)

    def _price_of_move(self, index: int) -> float | None:
        size, home = self.asked.layout.sizes[index], self.asked.layout.homes[index]
        if size is None or home is None:
            return None
        prices = [tier_numbers.price_per_month(tier, size) for tier in (self.flash_tier, self.tiers[home])]
        return None if None in prices else (prices[0] or 0.0) - (prices[1] or 0.0)

    def years(self, indices: Sequence[int], fills: float | None = 0.0) -> float | None:
        """Years that the flash lasts with what the last interval writes to these objects, and so many blocks to fill a cache."""
        known = {one.name: one for one in self.last.objects}
        written: list[float | None] = [
            None if fills is None else fills * self.offer.block_bytes,
            *(_written(known.get(self.objects[index].name)) for index in indices),
        ]
        total = None if None in written else sum(one or 0.0 for one in written)
        return tier_numbers.endurance_years(self.flash_tier, total, self.last.interval_s)

    def small_reads(self) -> float:
        """Small reads of the last interval that reach tiers other than flash."""
        costs = self.asked.intervals[-1].costs
        return sum(costs[index].read_share * costs[index].work.small_reads for index in self.elsewhere)


def _written(one: StorageObject | None) -> float | None:
    if one is not None and one.small_writes == 0 and not one.background_writes:
        return 0.0
    return None if one is None else one.write_bytes


def basis_of(inventories: Sequence[Inventory], tiers: Sequence[Tier], flash: int, offer: Offer) -> Basis:
    """What the inventories and tiers give."""
    asked = question(inventories, tiers, Terms())
    return Basis(asked, intervals_of(asked.found, asked.layout, "high"), flash, offer)
