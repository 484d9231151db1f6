"""Why nothing moves although a move would gain: what would gain most, and the limit that it meets."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.base.units import format_bytes, format_seconds
from plimsoll.placement.choices import Layout, Unit, Wishes
from plimsoll.placement.rounds import Settled


@dataclass(frozen=True)
class _Chance:
    """A move that would gain."""

    unit: Unit
    home: int
    tier: int
    gain_s: float


def held_back(layout: Layout, settled: Settled, wishes: Wishes) -> str | None:
    """None where no move would gain anything."""
    best = max(_chances(layout, settled), key=lambda one: one.gain_s, default=None)
    if best is None:
        return None
    first = layout.objects[best.unit.members[0]].name
    name = f"{first} and what lies together with it" if len(best.unit.members) > 1 else first
    where = layout.tiers[best.tier].name
    return (
        f"{name} would gain {format_seconds(best.gain_s)} on {where}, and stays: "
        f"{_limit(layout, settled, wishes, best)}"
    )


def _chances(layout: Layout, settled: Settled) -> list[_Chance]:
    found = []
    for unit in layout.units:
        if unit.home is None:
            continue
        offers = [settled.offers[member] for member in unit.members]
        stays = sum(row[unit.home] for row in offers)
        found += [
            _Chance(unit, unit.home, tier, gain)
            for tier in range(len(layout.tiers))
            if (gain := sum(row[tier] for row in offers) - stays) > 0
        ]
    return found


def _limit(layout: Layout, settled: Settled, wishes: Wishes, chance: _Chance) -> str:
    """The first limit that such a move alone breaks."""
    unit, tier = chance.unit, layout.tiers[chance.tier]
    size = sum(layout.sizes[member] or 0 for member in unit.members)
    free = (
        None
        if tier.capacity_bytes is None
        else tier.capacity_bytes - layout.bytes_on(layout.homes)[chance.tier]
    )
    least_s = _least_s(settled, wishes, unit)
    if chance.tier not in unit.tiers:
        return _barred(wishes, chance)
    if wishes.budget_bytes is not None and size > wishes.budget_bytes:
        return f"it has {format_bytes(size)}, and the budget is {format_bytes(wishes.budget_bytes)}"
    if free is not None and size > free:
        of = format_bytes(tier.capacity_bytes or 0)
        return f"it has {format_bytes(size)}, and of the {of} of {tier.name} {format_bytes(free)} are free"
    if chance.gain_s < least_s:
        return f"a move of it must gain {format_seconds(least_s)}"
    return "money or the load that tiers are known to bear leave no room for it"


def _least_s(settled: Settled, wishes: Wishes, unit: Unit) -> float:
    now = sum(row[member] for row in settled.seconds_now for member in unit.members) / len(
        settled.seconds_now
    )
    return max(wishes.gain_s_min, wishes.hysteresis * now)


def _barred(wishes: Wishes, chance: _Chance) -> str:
    is_pinned = any(
        member in wishes.must or chance.tier in wishes.must_not.get(member, frozenset())
        for member in chance.unit.members
    )
    return "a pin keeps it" if is_pinned else "not every host of the cluster is known to reach that tier"
