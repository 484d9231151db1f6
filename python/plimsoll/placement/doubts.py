"""What an answer must not be read without: clauses that belong into its sentence, and when there is no answer."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.units import format_seconds, format_share
from plimsoll.facts import StorageObject
from plimsoll.placement.gain import Cost
from plimsoll.placement.words import Facts, names_of, saves_or_costs

UNSEEN_SHARE_MIN = 0.5
"""What is said of objects that stand for less than half of all I/Os is said of the smaller part."""
KEPT_SHARE_MIN = 0.75
"""Of what plans of their own for each interval would save; one that keeps less is of some intervals and not of others."""
SLOWER_MIN = 2.0
"""Measured seconds of reads that are so many times what latencies come to speak against those latencies."""


def cannot_tell(facts: Facts, share_min: float) -> str | None:
    """Why it cannot be said whether anything would gain; None where it can.

    Waits of less than `share_min` that were measured tell that nothing would, whatever was read.
    """
    if not facts.layout.units:
        return "no object can be planned: of none both its size and the tier that it lies on are known"
    if facts.io_wait_s is not None and facts.io_wait_s <= share_min * (facts.db_time_s or 0.0):
        return None
    names = _uncounted(facts)
    if names and not any(map(any, facts.settled.seconds_now)):
        return f"how much {names_of(names)} {_reads(names)} is not known, and no session is known to have waited for I/O"
    return None


def _reads(names: list[str]) -> str:
    return "was read and written" if len(names) == 1 else "were read and written"


def doubts(facts: Facts, moves: bool) -> Iterator[str]:
    """Clauses that go on after the sentence."""
    if moves:
        yield from _changing(facts)
        yield from _slower(facts)
        yield from _rooms(facts)
    else:
        if names := _unread(facts):
            yield f"reads of {names_of(names)} are not known, and are left out of this"
        yield from _slower_now(facts)
    if names := _pinned_in_vain(facts):
        yield f"pins of {names_of(names)} are not carried out: size or present tier is not known"
    if facts.unseen is not None and facts.unseen >= UNSEEN_SHARE_MIN:
        yield f"{format_share(facts.unseen)} of all I/Os belong to none of these objects, and nothing is said of them"


def is_changing(gain_s: float, own_plans_s: float | None) -> bool:
    """Whether one plan for all intervals keeps too little of what plans of their own would save: what is hot moves about."""
    return own_plans_s is not None and gain_s < KEPT_SHARE_MIN * own_plans_s


def _changing(facts: Facts) -> Iterator[str]:
    gain_s, own_s = facts.settled.gain_s, facts.own_plans_s
    if own_s is not None and is_changing(gain_s, own_s):
        yield (
            f"but other objects are hot in other intervals: of the {format_seconds(own_s)} that a plan of its own for each would "
            f"save in the mean, this one keeps {format_share(max(0.0, gain_s) / own_s)}"
        )


def _slower_now(facts: Facts) -> Iterator[str]:
    """Tiers, or where objects share one measured mean the layout as a whole, that reads take longer on than latencies say."""
    for number, tier in enumerate(facts.layout.tiers):
        times = _times_slower(facts, number)
        if times is not None and times > SLOWER_MIN:
            yield f"but reads on {tier.name} took {times:,.1f} × as long as its latencies say, by measured seconds"
    times = _times_slower_together(facts)
    if times is not None and times > SLOWER_MIN:
        yield (
            f"but all reads together took {times:,.1f} × as long as the latencies of their tiers say, by measured seconds: "
            "measure the tiers again"
        )


def _times_slower_together(facts: Facts) -> float | None:
    """Of intervals in which each object's seconds are its part of one mean; None where there is none."""
    measured = reckoned = 0.0
    for row, interval in enumerate(facts.intervals):
        if not interval.inventory.has_shared_read_times:
            continue
        for cost, home in zip(interval.costs, facts.layout.homes, strict=True):
            if home is not None and cost.work.read_s is not None:
                at = facts.settled.latencies[0][row][home]
                measured += cost.work.read_s
                reckoned += Cost(cost.work).reads_s(facts.layout.tiers[home], at)
    return measured / reckoned if reckoned else None


def _pinned_in_vain(facts: Facts) -> list[str]:
    """Objects that must lie elsewhere, and stay since they cannot be planned."""
    layout, must = facts.layout, facts.wishes.must
    return [
        layout.objects[index].name
        for index in layout.left_out
        if must.get(index, layout.homes[index]) != layout.homes[index]
    ]


def _uncounted(facts: Facts) -> list[str]:
    """Objects of which a count is not known, or is only bounded, and that reach storage."""
    return [
        one.name
        for index, one in enumerate(facts.layout.objects)
        if index not in facts.found.in_memory and None in (one.small_reads, one.large_reads, one.small_writes)
    ]


def _unread(facts: Facts) -> list[str]:
    """Objects whose reads nothing bounds from above."""
    return [one.name for one in facts.layout.objects if _is_unread(one)]


def _is_unread(one: StorageObject) -> bool:
    bounded = {bound.count for bound in one.bounds if bound.high is not None}
    return any(getattr(one, name) is None and name not in bounded for name in ("small_reads", "large_reads"))


def _slower(facts: Facts) -> Iterator[str]:
    """Tiers that objects move to, and that measured seconds show to be slower than their latencies."""
    for tier in sorted(
        {place for index in facts.moved if (place := facts.settled.places[index]) is not None}
    ):
        times = _times_slower(facts, tier)
        if times is not None and times > SLOWER_MIN:
            worth = saves_or_costs(facts.settled.gain_s - (times - 1) * _seconds_of_moved(facts, tier))
            yield (
                f"but reads on {facts.layout.tiers[tier].name} took {times:,.1f} × as long as its latencies say, "
                f"by measured seconds, and if all took so the plan {worth}"
            )


def _times_slower(facts: Facts, tier: int) -> float | None:
    """Measured seconds of the reads of what lies there / what latencies come to; None where none was measured."""
    measured = reckoned = 0.0
    for row, interval in enumerate(facts.intervals):
        if interval.inventory.has_shared_read_times:
            continue
        at = facts.settled.latencies[0][row][tier]
        for cost, home in zip(interval.costs, facts.layout.homes, strict=True):
            if home == tier and cost.work.read_s is not None:
                seconds = cost.reads_s(facts.layout.tiers[tier], at)
                reckoned += seconds
                measured += seconds * cost.read_excess
    return measured / reckoned if reckoned else None


def _seconds_of_moved(facts: Facts, tier: int) -> float:
    """What the objects that move there are to wait there, mean over the intervals."""
    settled = facts.settled
    there = [index for index in facts.moved if settled.places[index] == tier]
    pairs = list(zip(settled.seconds_now, settled.gains, strict=True))
    return sum(now[index] - gains[index] for now, gains in pairs for index in there) / len(pairs)


def _rooms(facts: Facts) -> Iterator[str]:
    """Tiers of some capacity that objects move to, beside what has no known size."""
    targets = {facts.settled.places[index] for index in facts.moved}
    for number, tier in enumerate(facts.layout.tiers):
        names = [
            one.name
            for index, one in enumerate(facts.layout.objects)
            if facts.layout.homes[index] == number and facts.layout.sizes[index] is None
        ]
        if number in targets and names and tier.capacity_bytes is not None:
            yield f"whether it fits is not known, as {names_of(names)} on {tier.name} has no known size"
