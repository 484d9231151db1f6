"""What a placement says in words: its answer, why an object lies where it does, what the plan rests on and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plimsoll.base.units import format_bytes, format_seconds, format_share, format_us
from plimsoll.facts import StorageObject, Tier
from plimsoll.placement import tiers as tier_numbers
from plimsoll.placement.choices import Layout, Unit, Wishes
from plimsoll.placement.gain import Interval, Work
from plimsoll.placement.held_back import held_back
from plimsoll.placement.intervals import Merged
from plimsoll.placement.pins import Terms
from plimsoll.placement.rounds import Settled
from plimsoll.predict.processors import is_bound

_NAMES_MAX = 3
_MEMORY_ANSWERS_MIN = 0.99
_CLASSES = ("small reads", "large reads", "writes")
_WRITES = 2


@dataclass(frozen=True)
class Facts:
    """What sentences are about; seconds are means over the intervals."""

    layout: Layout
    found: Merged
    intervals: tuple[Interval, ...]
    settled: Settled
    wishes: Wishes
    db_time_s: float | None
    io_wait_s: float | None
    busy_share: float | None
    unseen: float | None = None
    """Share of all I/Os that no object stands for."""
    own_plans_s: float | None = None
    """What plans of their own for each interval would save, mean over the intervals; None where there is one."""

    @property
    def moved(self) -> list[int]:
        """Objects that the best plan moves."""
        pairs = zip(self.layout.homes, self.settled.places, strict=True)
        return [index for index, (home, place) in enumerate(pairs) if home != place]

    @property
    def is_forced(self) -> bool:
        """Whether pins leave some object no right to stay where it is."""
        return any(unit.home is None for unit in self.layout.units)

    @property
    def compared_s(self) -> float | None:
        """What a gain is held against: DB time, or else the length of the interval."""
        if self.db_time_s is not None:
            return self.db_time_s
        lengths = [one.inventory.interval_s for one in self.intervals]
        return None if None in lengths else sum(one or 0.0 for one in lengths) / len(lengths)


def tier_name(layout: Layout, place: int | None) -> str:
    """The tier, or that it is not known."""
    return "unknown" if place is None else layout.tiers[place].name


def limits(terms: Terms) -> Iterator[str]:
    """What was asked that no plan may fulfil."""
    yield "the capacities of the tiers"
    if terms.must or terms.must_not or terms.together:
        yield "the pins"
    if terms.budget_bytes is not None or terms.budget_per_month is not None:
        yield "the budget"


def headline(facts: Facts, gain_s: float) -> str:
    """What the plan does, and for how much."""
    moved = facts.moved
    size = sum(facts.layout.sizes[index] or 0 for index in moved)
    total = sum(one or 0 for one in facts.layout.sizes)
    part = f" of {format_bytes(total)} ({format_share(size / total)})" if total else ""
    share = "" if not facts.db_time_s else f", {format_share(abs(gain_s) / facts.db_time_s)} of DB time"
    count = f"{len(moved):,} of {len(facts.layout.objects):,} objects, {format_bytes(size)}{part}"
    return f"moving {count}, {saves_or_costs(gain_s)} of waits for I/O{share}{_of_intervals(facts)}"


def saves_or_costs(gain_s: float) -> str:
    """A gain in words; pins can ask for a plan that loses."""
    return f"saves {format_seconds(gain_s)}" if gain_s >= 0 else f"costs {format_seconds(-gain_s)}"


def _of_intervals(facts: Facts) -> str:
    """That a gain is of one interval, or a mean, and what the worst interval makes of it."""
    count = len(facts.intervals)
    if count < 2:
        length_s = facts.intervals[0].inventory.interval_s
        return f", in one interval of {'unknown length' if length_s is None else format_seconds(length_s)}"
    worst_s, source = min(
        (sum(row), one.inventory.source)
        for row, one in zip(facts.settled.gains, facts.intervals, strict=True)
    )
    return f", in the mean of {count:,} intervals; in the worst, {source}, it {saves_or_costs(worst_s)}"


def nothing_to_gain(facts: Facts, gain_s: float, share_min: float) -> str | None:
    """Why nothing is worth moving; None where something is."""
    if facts.is_forced and facts.moved:
        return None
    base = facts.compared_s
    is_little = base is not None and gain_s < share_min * base
    if gain_s < facts.settled.gain_s and (is_bound(facts.busy_share) or is_little):
        busy = "" if facts.busy_share is None else f" {format_share(facts.busy_share)}"
        return (
            f"the host's CPUs were{busy} busy: sessions that wait less need more of them, and hardly any are left;"
            f" of {format_seconds(facts.settled.gain_s)} that tiers would save {format_seconds(gain_s)} are left"
        )
    if facts.settled.gain_s > 0 and facts.moved and not is_little:
        return None
    return _why_little(facts)


def _why_little(facts: Facts) -> str:
    """The first cause that explains it."""
    counted, reached = _reads(facts)
    if counted and reached <= (1 - _MEMORY_ANSWERS_MIN) * counted:
        return (
            f"{format_share(1 - reached / counted, 1)} of all reads are cache hits: hardly any reaches storage, "
            f"and no tier makes those faster"
        )
    now = sum(map(sum, facts.settled.seconds_now)) / len(facts.intervals)
    base = facts.compared_s
    of = "DB time" if facts.db_time_s is not None else "the interval"
    if facts.io_wait_s is not None and facts.db_time_s and facts.io_wait_s <= 0.05 * facts.db_time_s:
        return (
            f"sessions waited {format_seconds(facts.io_wait_s)} for I/O, "
            f"{format_share(facts.io_wait_s / facts.db_time_s)} of DB time: the rest is not I/O"
        )
    if facts.found.in_memory and not now:
        return "every object that is read is small enough to stay in the buffer cache once it was read"
    if not now:
        return "no session waited for I/O of these objects"
    if facts.settled.gain_s > 0 and base:
        share = format_share(facts.settled.gain_s / base)
        return f"the best plan saves {format_seconds(facts.settled.gain_s)}, {share} of {of}: too little to notice"
    held = held_back(facts.layout, facts.settled, facts.wishes)
    return held or "every object lies already where it is fastest"


def _reads(facts: Facts) -> tuple[float, float]:
    """Reads that were counted, and those of them that reached storage."""
    counted = sum(
        (one.small_reads or 0.0) + (one.large_reads or 0.0)
        for inventory in facts.found.inventories
        for one in inventory.objects
    )
    reached = sum(
        cost.read_share * (cost.work.small_reads + cost.work.large_reads)
        for interval in facts.intervals
        for cost in interval.costs
    )
    return counted, reached


def of_row(
    layout: Layout,
    found: Merged,
    wishes: Wishes,
    settled: Settled,
    index: int,
    place: int | None,
    excess: float = 1.0,
) -> str:
    """Why an object belongs where it does. `excess` is by how much its reads took longer than latencies say."""
    home, one = layout.homes[index], layout.objects[index]
    if home is None or layout.sizes[index] is None:
        return "stays: " + ("its size" if home is not None else "the tier that it lies on") + " is not known"
    if place != home:
        if index in wishes.must:
            return "moves: pinned"
        return _why_moved(layout, settled, index, home, place, excess)
    if index in found.in_memory:
        return "stays: it lives in the buffer cache; a pool that keeps it there is the better place"
    if index in wishes.must or not settled.offers[index]:
        return (
            "stays: pinned"
            if index in wishes.must
            else "stays: kept with the objects that it is grouped with"
        )
    if one.cached_share is not None and one.cached_share >= _MEMORY_ANSWERS_MIN:
        return f"stays: {format_share(one.cached_share, 1)} of its reads are cache hits"
    offers, unit = settled.offers[index], layout.unit_of[index]
    better = [number for number in unit.tiers if offers[number] > offers[home]]
    if not better:
        return _why_none_is_faster(settled, index, one, barred=max(offers) > offers[home])
    best = max(offers[number] for number in better) - offers[home]
    if settled.places[index] != home:
        return f"stays: by latencies alone a move would gain {format_seconds(best)}; nothing moves, for the reason above"
    if best < max(wishes.gain_s_min, wishes.hysteresis * _now(settled, index)):
        return f"stays: a move would gain {format_seconds(best)}, less than it must"
    return f"stays: a move would gain {format_seconds(best)}, {_why_not_there(layout, wishes, unit, better)}"


def _why_none_is_faster(settled: Settled, index: int, one: StorageObject, barred: bool) -> str:
    is_counted = None not in (one.small_reads, one.large_reads, one.small_writes)
    if is_counted and not _now(settled, index):
        return "stays: no session waited for I/O of it"
    return f"stays: no tier {'that it may lie on ' if barred else ''}is faster for it"


def _why_not_there(layout: Layout, wishes: Wishes, unit: Unit, better: Sequence[int]) -> str:
    """What keeps a unit from every faster tier by itself, or else that others take what it would need."""
    size = sum(layout.sizes[index] or 0 for index in unit.members)
    it = "it" if len(unit.members) == 1 else "its group"
    room = [layout.tiers[number].capacity_bytes for number in better]
    if all(one is not None and size > one for one in room):
        names = " and ".join(layout.tiers[number].name for number in better)
        return f"but {it} is larger than the capacity of {names}"
    if wishes.budget_bytes is not None and size > wishes.budget_bytes:
        return f"but {it} is larger than the budget"
    return "and room or budget gains more elsewhere"


def _now(settled: Settled, index: int) -> float:
    return sum(row[index] for row in settled.seconds_now) / len(settled.seconds_now)


def _why_moved(
    layout: Layout, settled: Settled, index: int, home: int, place: int | None, excess: float
) -> str:
    gain = sum(row[index] for row in settled.gains)
    if gain <= 0 and layout.objects[index].kind == "toast":
        return "moves with its table"
    if place is None or gain <= 0:
        return f"moves: makes room on {layout.tiers[home].name} for what gains more"
    before, after = settled.latencies[0][0][home], settled.latencies[1][0][place]
    which = _main_class(layout, index)
    is_slower = excess > 1 and which != _WRITES
    now = (
        f"{format_us(before[which] * excess)} each now, as measured"
        if is_slower
        else f"{format_us(before[which])} each now"
    )
    return f"mostly {_CLASSES[which]}: {now}, {format_us(after[which])} there"


def _main_class(layout: Layout, index: int) -> int:
    one = layout.objects[index]
    counts = (one.small_reads or 0.0, one.large_reads or 0.0, one.small_writes or 0.0)
    home = layout.homes[index]
    at = (
        (0.0, 0.0, 0.0)
        if home is None
        else tuple(p[0].latency_us for p in tier_numbers.curves(layout.tiers[home]))
    )
    return max(range(3), key=lambda number: counts[number] * at[number])


def reasons(facts: Facts, unseen: float | None, wishes: Wishes) -> Iterator[str]:
    """What the plan rests on, and what it leaves out."""
    yield _said_unseen(unseen)
    yield from _scaled(facts)
    yield from _unknown(facts)
    yield from _measured(facts)
    yield from _of_tiers(facts, wishes)
    yield from _of_memory(facts)
    if facts.found.missing:
        times = "once" if facts.found.missing == 1 else f"{facts.found.missing:,} times"
        yield (
            f"objects are missing from an interval {times}; nothing is known of them there, and they gain nothing there"
        )
    yield from _gone(facts)
    if facts.db_time_s is None:
        yield "DB time is not known, so that no share of it is told"
    if facts.busy_share is None:
        yield "how busy CPUs were is not known: sessions that wait less need more of them, and the gain may be less"


def _gone(facts: Facts) -> Iterator[str]:
    """What moves though the last interval has it no more: it may have been dropped, or no statement uses it now."""
    last = {one.name for one in facts.found.inventories[-1].objects}
    names = [name for index in facts.moved if (name := facts.layout.objects[index].name) not in last]
    if names:
        yield (
            f"{names_of(names)} would move, and {'is' if len(names) == 1 else 'are'} missing from the last interval: "
            f"see whether it was dropped, or is no longer used, before you move anything for it"
        )


def _said_unseen(unseen: float | None) -> str:
    if unseen is None:
        return "what share of all I/Os these objects stand for is not known: nothing is said of the rest"
    if not unseen:
        return "these objects stand for all I/Os"
    return (
        f"{format_share(unseen)} of all I/Os belong to none of these objects; they are spread over none, and "
        f"nothing is said of them"
    )


def _scaled(facts: Facts) -> Iterator[str]:
    scaled = [one for one in facts.intervals if one.scale < 1]
    if scaled:
        one = scaled[0]
        waited = format_seconds(one.scale * one.reckoned_s)
        if one.inventory.foreground_io_wait_s is None:
            yield (
                f"counts × latencies come to {format_seconds(one.reckoned_s)}, more than the DB time that sessions "
                f"can have waited for these objects, {waited}: every gain is taken × {one.scale:.2g}"
            )
            return
        yield (
            f"counts × latencies come to {format_seconds(one.reckoned_s)}, and sessions waited {waited} for these "
            f"objects: I/Os overlap, or caches of the system or the array answer some, and every"
            f" gain is taken × {one.scale:.2g}"
        )


def _unknown(facts: Facts) -> Iterator[str]:
    if facts.layout.left_out:
        names = [facts.layout.objects[index].name for index in facts.layout.left_out]
        yield f"{names_of(names)} {'stays' if len(names) == 1 else 'stay'}: size or present tier is not known"
    for number, told in enumerate(_CLASSES):
        column = ("small_reads", "large_reads", "small_writes")[number]
        names = [
            one.name
            for index, one in enumerate(facts.layout.objects)
            if any(
                column in interval.costs[index].work.unknown and not interval.costs[index].work.is_missing
                for interval in facts.intervals
            )
        ]
        if names:
            yield f"{told} of {names_of(names)} are not known, and in no gain"


def _measured(facts: Facts) -> Iterator[str]:
    """Where seconds that were measured speak against counts × latencies by more than two."""
    far = [
        facts.layout.objects[index].name
        for index, cost in enumerate(facts.intervals[-1].costs)
        if _has_reads(cost.work) and (cost.read_share < 0.5 or cost.read_excess > 2)
    ]
    if far:
        yield (
            f"measured seconds of reads of {names_of(far)} differ from counts × latencies by more than a factor of "
            f"two; the measured ones are taken"
        )


def _has_reads(work: Work) -> bool:
    return work.read_s is not None and work.small_reads + work.large_reads > 0


def _of_tiers(facts: Facts, wishes: Wishes) -> Iterator[str]:
    for number, tier in enumerate(facts.layout.tiers):
        if tier.runs:
            yield _measured_tier(tier)
        if wishes.clustered and not tier.shared:
            why = (
                "only one host reaches it"
                if tier.shared is False
                else "whether every host reaches it is not known"
            )
            yield f"nothing moves to {tier.name}: the database is clustered, and {why}"
        most = tier_numbers.load_max_per_s(tier)
        now = max((row[number] for row in facts.settled.loads[0]), default=0.0)
        if most is not None and now > most:
            yield (
                f"{tier.name} serves {now:,.0f} I/Os per second today, more than the {most:,.0f} that are known of "
                f"it: it takes no more, and its latency there is a guess"
            )
        if tier.hot_swap is False and any(facts.settled.places[index] == number for index in facts.moved):
            yield f"a device of {tier.name} cannot be replaced while the database runs"
    if not facts.settled.settled:
        yield (
            f"after {facts.settled.rounds} rounds the loads of the plan still change its latencies: it is the best "
            f"of all rounds, and the gap tells how far from best it may be"
        )


def _measured_tier(tier: Tier) -> str:
    """By which runs, and where a class was measured at less load than the tier may bear."""
    most = tier_numbers.load_max_per_s(tier)
    short = [
        f"of {name} up to {points[-1].load_per_s:,.0f}"
        for name, points in zip(_CLASSES, tier_numbers.curves(tier), strict=True)
        if most is not None and len(points) > 1 and points[-1].load_per_s < most
    ]
    told = f"latencies of {tier.name} that the file of tiers does not state were measured by {', '.join(tier.runs)}"
    if not short:
        return told
    return f"{told}, those {' and '.join(short)} I/Os per second: beyond it the last latency is taken"


def _of_memory(facts: Facts) -> Iterator[str]:
    names = [facts.found.objects[index].name for index in sorted(facts.found.in_memory)]
    if names:
        yield f"{names_of(names)}: taken to stay in the buffer cache, and better kept there than moved"


def names_of(names: Sequence[str]) -> str:
    """The first few names, and how many more."""
    shown = ", ".join(names[:_NAMES_MAX])
    left = len(names) - _NAMES_MAX
    return f"{shown} and {left:,} more" if left > 0 else shown
