"""Puts a placement together: which object belongs where, what that gains within waits and CPUs, what it rests on and what it
leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from plimsoll.base.errors import UsageError
from plimsoll.facts import (
    CurvePoint,
    Inventory,
    Note,
    Placement,
    PlanRow,
    StorageObject,
    Tier,
    TierUse,
)
from plimsoll.facts.placement import GainLimit, PlacementAnswer
from plimsoll.placement import curve, move_cost, words
from plimsoll.placement import tiers as tier_numbers
from plimsoll.placement.choices import Layout, Wishes, layout_of, money
from plimsoll.placement.doubts import cannot_tell, doubts
from plimsoll.placement.gain import End, Interval, interval_of, is_open
from plimsoll.placement.instead import Money, SmallReads, memory_instead, why_unknown
from plimsoll.placement.intervals import Merged, mean, merged, unseen_of, unseen_share
from plimsoll.placement.pins import Terms, wishes_of
from plimsoll.placement.rounds import Settled, gains_of, settle
from plimsoll.placement.solver import Impossible, numpy_module
from plimsoll.predict.faster_storage import capped

GAIN_SHARE_MIN = 0.01
"""Of DB time: a plan that gains less is not worth moving anything."""


@dataclass(frozen=True)
class Question:
    """What is planned, ready for the optimiser."""

    layout: Layout
    wishes: Wishes
    found: Merged
    intervals: tuple[Interval, ...]
    unseen: float | None


def overfull(inventories: Sequence[Inventory], tiers: Sequence[Tier]) -> tuple[int, int] | None:
    """The first tier that holds less than what lies on it today, and how many bytes that is."""
    layout = layout_of(merged(inventories).objects, tiers, Wishes())
    held = layout.bytes_on(layout.homes)
    return next(
        (
            (number, held[number])
            for number, tier in enumerate(tiers)
            if tier.capacity_bytes is not None and held[number] > tier.capacity_bytes
        ),
        None,
    )


def place(inventories: Sequence[Inventory], tiers: Sequence[Tier], terms: Terms) -> Placement:
    """The placement over all intervals. Raises UsageError for pins that contradict, and what the optimiser raises."""
    asked = question(inventories, tiers, terms)
    try:
        settled = settle(asked.layout, asked.wishes, asked.intervals)
    except Impossible:
        message = f"no placement satisfies all limits: {', '.join(words.limits(terms))}"
        has_pins = bool(terms.must or terms.must_not or terms.together)
        hint = f"{'Remove a pin, or give' if has_pins else 'Give'} a tier more capacity."
        raise UsageError("placement-impossible", message, hint) from None
    return _placement(asked, settled, terms)


def question(inventories: Sequence[Inventory], tiers: Sequence[Tier], terms: Terms) -> Question:
    """Names become places, and counts the work of each interval."""
    found = merged(inventories)
    clustered = any(one.clustered for one in inventories)
    terms = _with_toast(terms, found.objects)
    wishes = wishes_of(terms, [one.name for one in found.objects], tiers, clustered)
    layout = layout_of(found.objects, tiers, wishes)
    unseen = _most_unseen(inventories)
    return Question(layout, wishes, found, intervals_of(found, layout, "low"), unseen)


def _with_toast(terms: Terms, objects: Sequence[StorageObject]) -> Terms:
    """A TOAST table moves with its table, whatever is wished."""
    names = {one.name for one in objects}
    pairs = tuple(
        (one.name, one.parent)
        for one in objects
        if one.kind == "toast" and one.parent in names and one.parent
    )
    return replace(terms, together=(*terms.together, *pairs))


def intervals_of(found: Merged, layout: Layout, end: End) -> tuple[Interval, ...]:
    """Each interval as today's layout explains it, of what is only bounded by that end."""
    return tuple(
        interval_of(inventory, works, layout.homes, layout.tiers, unseen_share(inventory))
        for inventory, works in zip(found.inventories, found.works(end), strict=True)
    )


def _most_unseen(inventories: Sequence[Inventory]) -> float | None:
    """The largest of any interval; None where it is not known of one."""
    shares = [unseen_share(one) for one in inventories]
    return None if None in shares else max((one or 0.0 for one in shares), default=None)


@dataclass(frozen=True)
class Worth:
    """What the plan's gain is worth within the CPUs' headroom, and whether it is worth anything."""

    gain_s: float
    limited_by: GainLimit
    answer: PlacementAnswer
    reason: str
    facts: words.Facts


def _worth(asked: Question, settled: Settled, own_plans_s: float | None) -> Worth:
    inventories = asked.found.inventories
    db_time = mean([one.db_time_s for one in inventories])
    waited = mean([one.foreground_io_wait_s for one in inventories])
    busy = mean([one.cpu_busy_share for one in inventories])
    gain = _within_cpus(inventories, settled)
    limited: GainLimit = "waits" if any(one.scale < 1 for one in asked.intervals) else "nothing"
    if gain < settled.gain_s:
        limited = "cpu"
    facts = words.Facts(
        layout=asked.layout,
        found=asked.found,
        intervals=asked.intervals,
        settled=settled,
        wishes=asked.wishes,
        db_time_s=db_time,
        io_wait_s=waited,
        busy_share=busy,
        unseen=asked.unseen,
        own_plans_s=own_plans_s,
    )
    nothing = words.nothing_to_gain(facts, gain, GAIN_SHARE_MIN)
    if nothing is None:
        reason = "; ".join((words.headline(facts, gain), *doubts(facts, moves=True)))
        return Worth(gain, limited, "move", reason, facts)
    if (why := cannot_tell(facts, GAIN_SHARE_MIN)) is not None:
        return Worth(0.0, limited, "cannot tell", why, facts)
    reason = "; ".join((nothing, *doubts(facts, moves=False)))
    return Worth(0.0, limited, "nothing to gain", reason, facts)


def _within_cpus(inventories: Sequence[Inventory], settled: Settled) -> float:
    """The mean of what each interval gains within its own CPUs: one that has none left takes nothing from one that has."""
    gains = [
        _left_by_cpus(sum(row), one.db_time_s, one.cpu_busy_share)
        for one, row in zip(inventories, settled.gains, strict=True)
    ]
    return min(settled.gain_s, sum(gains) / len(gains))


def _left_by_cpus(gain_s: float, db_time_s: float | None, busy_share: float | None) -> float:
    return gain_s if db_time_s is None else capped(gain_s, gain_s, db_time_s, busy_share)[0]


def _placement(asked: Question, settled: Settled, terms: Terms) -> Placement:
    own_plans = _own_plans(asked)
    own_plans_s = _gain_of_own_plans(own_plans, settled)
    worth = _worth(asked, settled, own_plans_s)
    places = settled.places if worth.answer == "move" else asked.layout.homes
    high = _gains_high(asked, places)
    planned = _rows(asked, settled, places, high, _chosen_shares(own_plans, places))
    rows = move_cost.with_costs(planned, terms.dialect, terms.server)
    uses = tuple(_uses(asked, settled, places))
    points, knee = _curve(asked, settled)
    inventories = asked.found.inventories
    each = [sum(row) for row in settled.gains]
    least = min(range(len(each)), key=each.__getitem__)
    several = len(each) > 1
    moved = sum(row.bytes or 0 for row in rows if row.tier != row.from_tier)
    open_ended = any(row.gain_s_max is None for row in rows)
    price = Money(_per_month(asked, settled, places), terms.memory_price_per_tb_month)
    unknown_memory = why_unknown(inventories[-1], price, terms.hits)
    facts = worth.facts
    return Placement(
        answer=worth.answer,
        reason=worth.reason,
        plan=rows,
        gain_s=worth.gain_s,
        gain_s_max=None
        if open_ended
        else max(worth.gain_s, _left_by_cpus(sum(high), facts.db_time_s, facts.busy_share)),
        gain_share=None if not facts.db_time_s else worth.gain_s / facts.db_time_s,
        raw_gain_s=settled.gain_s,
        limited_by=worth.limited_by,
        bound_s=settled.bound_s,
        gap=max(0.0, settled.bound_s - settled.gain_s) / settled.bound_s if settled.bound_s > 0 else 0.0,
        greedy_s=settled.greedy_s,
        lp_bound_s=settled.lp_bound_s,
        rounds=settled.rounds,
        settled=settled.settled,
        moved_bytes=moved,
        total_bytes=sum(size or 0 for size in asked.layout.sizes),
        interval_s=mean([one.interval_s for one in inventories]),
        interval_count=len(inventories),
        worst_interval=inventories[least].source if several else None,
        worst_interval_gain_s=each[least] if several and worth.answer == "move" else None,
        own_plans_gain_s=own_plans_s,
        db_time_s=facts.db_time_s,
        foreground_io_wait_s=facts.io_wait_s,
        cpu_busy_share=facts.busy_share,
        budget_bytes=terms.budget_bytes,
        budget_per_month=terms.budget_per_month,
        curve=points,
        knee_bytes=None if knee is None else knee.bytes,
        knee_gain_s=None if knee is None else knee.gain_s,
        unseen_share=asked.unseen,
        unseen=unseen_of(inventories),
        tiers=asked.layout.tiers,
        tier_uses=uses,
        move_cost=move_cost.totals(rows),
        memory_instead=memory_instead(inventories[-1], price, _small_reads(asked, settled), terms.hits),
        keep_in_memory=tuple(asked.found.objects[index].name for index in sorted(asked.found.in_memory)),
        reasons=(
            *words.reasons(facts, asked.unseen, asked.wishes),
            *([] if unknown_memory is None else [unknown_memory]),
        ),
        database_id=_the_one([one.database_id for one in inventories]),
        source=", ".join(one.source for one in inventories),
        notes=tuple(_notes(inventories)),
    )


def _the_one(found: Sequence[str | None]) -> str | None:
    return found[0] if len(set(found)) == 1 else None


def _notes(inventories: Sequence[Inventory]) -> Iterator[Note]:
    yield from dict.fromkeys(note for one in inventories for note in one.notes)


def _gains_high(asked: Question, places: Sequence[int | None]) -> list[float]:
    """What each object gains by the high ends of what is only bounded, mean over the intervals."""
    rows = gains_of(asked.layout, intervals_of(asked.found, asked.layout, "high"), places)
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def _own_plans(asked: Question) -> list[Settled]:
    """The best plan of each interval alone; none where there is one interval."""
    several = len(asked.intervals) > 1
    return [settle(asked.layout, asked.wishes, [one]) for one in asked.intervals] if several else []


def _gain_of_own_plans(own_plans: Sequence[Settled], settled: Settled) -> float | None:
    """Mean over the intervals. No search is exact where latencies depend on load, so that the common plan may beat one of them."""
    if not own_plans:
        return None
    each = (max(own.gain_s, sum(row)) for own, row in zip(own_plans, settled.gains, strict=True))
    return sum(each) / len(own_plans)


def _chosen_shares(own_plans: Sequence[Settled], places: Sequence[int | None]) -> list[float] | None:
    """How often each object's place is also that of the best plan of one interval alone; None where there is one interval."""
    if not own_plans:
        return None
    return [
        sum(own.places[index] == place for own in own_plans) / len(own_plans)
        for index, place in enumerate(places)
    ]


def _rows(
    asked: Question,
    settled: Settled,
    places: Sequence[int | None],
    high: Sequence[float],
    shares: Sequence[float] | None,
) -> list[PlanRow]:
    rows = [_row(asked, settled, places, high, shares, index) for index in range(len(places))]
    return sorted(
        rows, key=lambda row: (row.tier == row.from_tier, -row.gain_s / max(row.bytes or 1, 1), -row.wait_s)
    )


def _row(
    asked: Question,
    settled: Settled,
    places: Sequence[int | None],
    high: Sequence[float],
    shares: Sequence[float] | None,
    index: int,
) -> PlanRow:
    layout, one = asked.layout, asked.layout.objects[index]
    home, place, count = layout.homes[index], places[index], len(settled.gains)
    moves = places is settled.places
    gains = [row[index] if moves else 0.0 for row in settled.gains]
    per_s = [
        interval.costs[index].ios / interval.inventory.interval_s if interval.inventory.interval_s else None
        for interval in asked.intervals
    ]
    gain = sum(gains) / count
    excess = max(interval.costs[index].read_excess for interval in asked.intervals)
    return PlanRow(
        object=one.name,
        kind=one.kind,
        parent=one.parent,
        from_tier=words.tier_name(layout, home),
        tier=words.tier_name(layout, place),
        bytes=layout.sizes[index],
        gain_s=gain,
        gain_s_max=None if is_open(one) else max(gain, high[index] if moves else 0.0),
        wait_s=sum(row[index] for row in settled.seconds_now) / count,
        gain_s_worst=min(gains) if count > 1 else None,
        chosen_share=None if shares is None else shares[index],
        ios_per_s=mean(per_s),
        ios=sum(interval.costs[index].work.waited_ios for interval in asked.intervals) / count,
        reason=words.of_row(asked.layout, asked.found, asked.wishes, settled, index, place, excess),
        evidence=one.evidence,
    )


def _uses(asked: Question, settled: Settled, places: Sequence[int | None]) -> Iterator[TierUse]:
    layout, count = asked.layout, len(asked.intervals)
    before, after = layout.bytes_on(layout.homes), layout.bytes_on(places)
    then = 1 if places is settled.places else 0
    has_rates = all(one.inventory.interval_s for one in asked.intervals)
    for number, tier in enumerate(layout.tiers):
        now_us, then_us = (
            sum(row[number][0] for row in settled.latencies[which]) / count for which in (0, then)
        )
        now_load, then_load = (
            sum(row[number] for row in settled.loads[which]) / count for which in (0, then)
        )
        yield TierUse(
            tier=tier.name,
            capacity_bytes=tier.capacity_bytes,
            bytes_before=before[number],
            bytes_after=after[number],
            ios_per_s_before=now_load if has_rates else None,
            ios_per_s_after=then_load if has_rates else None,
            small_read_us_before=now_us,
            small_read_us_after=then_us,
            price_per_month=tier_numbers.price_per_month(tier, after[number]),
            endurance_years=_years(asked, places, number),
        )


def _years(asked: Question, places: Sequence[int | None], number: int) -> float | None:
    """By the writes of the last interval."""
    inventory = asked.found.inventories[-1]
    place_of = {one.name: place for one, place in zip(asked.layout.objects, places, strict=True)}
    on_it = [one for one in inventory.objects if place_of[one.name] == number]
    written = [
        0.0 if _writes_nothing(one.small_writes, one.background_writes) else one.write_bytes for one in on_it
    ]
    if None in written:
        return None
    total = sum(one or 0.0 for one in written)
    return tier_numbers.endurance_years(asked.layout.tiers[number], total, inventory.interval_s)


def _writes_nothing(foreground: float | None, background: float | None) -> bool:
    return foreground == 0 and not background


def _curve(asked: Question, settled: Settled) -> tuple[tuple[CurvePoint, ...], curve.Step | None]:
    options, tier = settled.matrix.options, settled.matrix.tier
    extra = money(asked.layout, options.unit, tier) if _has_prices(asked.layout) else None
    at: dict[tuple[int, int | None], int] = {
        (int(unit), int(one)): index for index, (unit, one) in enumerate(zip(options.unit, tier, strict=True))
    }
    plan = [
        at.get((number, settled.places[unit.members[0]])) for number, unit in enumerate(asked.layout.units)
    ]
    numpy = numpy_module()
    chosen = None if None in plan else numpy.array(plan, dtype=int)
    points = curve.steps(options, extra, chosen, settled.worth)
    units = asked.layout.units
    told = tuple(
        CurvePoint(
            bytes=one.bytes,
            gain_s=one.gain_s,
            price_per_month=one.per_month,
            object=None if one.unit is None else asked.layout.objects[units[one.unit].members[0]].name,
        )
        for one in points
    )
    return told, curve.knee(points)


def _has_prices(layout: Layout) -> bool:
    return all(tier.price_per_tb_month is not None for tier in layout.tiers)


def _per_month(asked: Question, settled: Settled, places: Sequence[int | None]) -> float | None:
    """What the layout costs more than today's."""
    if not _has_prices(asked.layout):
        return None
    now, then = (asked.layout.bytes_on(on) for on in (asked.layout.homes, places))
    return sum(
        (after - before) * (tier.price_per_tb_month or 0.0) / 1e12
        for tier, before, after in zip(asked.layout.tiers, now, then, strict=True)
    )


def _small_reads(asked: Question, settled: Settled) -> SmallReads:
    """What is read block by block today, by the last interval."""
    last, at = asked.intervals[-1], settled.latencies[0][-1]
    reads, seconds = 0.0, 0.0
    for cost, home in zip(last.costs, asked.layout.homes, strict=True):
        if home is not None:
            work = replace(cost.work, large_reads=0.0, small_writes=0.0, background_writes=0.0)
            reads += cost.read_share * work.small_reads
            seconds += last.scale * replace(cost, work=work).seconds(asked.layout.tiers[home], at[home], True)
    return SmallReads(reads, seconds)
