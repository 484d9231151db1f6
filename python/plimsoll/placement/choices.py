"""What may be chosen: units that move as one, the tiers that each may lie on, and the limits of all of them together.

An object stays where it is when its size or its present tier is not known. A move that gains, but less than is asked for, is
no option; one
that gains nothing is, since it can make room for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from plimsoll.facts import StorageObject, Tier
from plimsoll.placement import tiers as tier_numbers
from plimsoll.placement.exact import Options
from plimsoll.placement.gain import size_of
from plimsoll.placement.solver import numpy_module

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Wishes:
    """What was asked besides the best: pins by the objects' places, budgets, and what a move has to gain."""

    must: dict[int, int] = field(default_factory=dict)
    """Tier of an object."""
    must_not: dict[int, frozenset[int]] = field(default_factory=dict)
    """Tiers that an object may not lie on."""
    together: tuple[frozenset[int], ...] = ()
    """Objects that lie on one tier; no object is in two of them."""
    budget_bytes: int | None = None
    """Bytes that may move."""
    budget_per_month: float | None = None
    """Money that the plan may cost more in a month."""
    gain_s_min: float = 0.0
    """Seconds that a move must gain."""
    hysteresis: float = 0.0
    """Share of what its object costs now that a move must gain."""
    clustered: bool = False


@dataclass(frozen=True)
class Unit:
    """Objects that move as one; `home` None: they lie apart today, or must leave."""

    members: tuple[int, ...]
    home: int | None
    tiers: tuple[int, ...]
    """Where it may lie."""


@dataclass(frozen=True)
class Layout:
    """Objects, tiers, where each object lies now, and the units that may move."""

    objects: tuple[StorageObject, ...]
    tiers: tuple[Tier, ...]
    homes: tuple[int | None, ...]
    sizes: tuple[int | None, ...]
    units: tuple[Unit, ...]
    left_out: tuple[int, ...]
    """Objects that stay because something of them is not known."""

    @cached_property
    def unit_of(self) -> dict[int, Unit]:
        """The unit of each object that may move."""
        return {member: unit for unit in self.units for member in unit.members}

    def places(self, chosen: Sequence[int]) -> list[int | None]:
        """Where each object lies with a tier chosen for each unit."""
        found = list(self.homes)
        for unit, tier in zip(self.units, chosen, strict=True):
            for member in unit.members:
                found[member] = tier
        return found

    def bytes_on(self, places: Sequence[int | None]) -> list[int]:
        """Bytes of objects of known size on each tier."""
        found = [0] * len(self.tiers)
        for size, place in zip(self.sizes, places, strict=True):
            if place is not None:
                found[place] += size or 0
        return found


def layout_of(objects: Sequence[StorageObject], tiers: Sequence[Tier], wishes: Wishes) -> Layout:
    """The units with where each may lie."""
    names = {tier.name: index for index, tier in enumerate(tiers)}
    homes = tuple(None if one.tier is None else names[one.tier] for one in objects)
    sizes = tuple(size_of(one) for one in objects)
    left_out = tuple(
        index
        for index, (home, size) in enumerate(zip(homes, sizes, strict=True))
        if home is None or size is None
    )
    units = tuple(
        _unit(members, homes, tiers, wishes)
        for members in _members(len(objects), wishes)
        if not any(index in set(left_out) for index in members)
    )
    return Layout(tuple(objects), tuple(tiers), homes, sizes, units, left_out)


def _members(count: int, wishes: Wishes) -> list[tuple[int, ...]]:
    grouped = {index: group for group in wishes.together for index in group}
    found: list[tuple[int, ...]] = []
    for index in range(count):
        group = grouped.get(index, frozenset((index,)))
        if index == min(group):
            found.append(tuple(sorted(group)))
    return found


def _unit(
    members: tuple[int, ...], homes: Sequence[int | None], tiers: Sequence[Tier], wishes: Wishes
) -> Unit:
    musts = {wishes.must[index] for index in members if index in wishes.must}
    barred = frozenset().union(*(wishes.must_not.get(index, frozenset()) for index in members))
    own = {homes[index] for index in members}
    home = next(iter(own)) if len(own) == 1 else None
    allowed = tuple(
        tier
        for tier in range(len(tiers))
        if tier not in barred
        and (tier == home or _reached(tiers[tier], wishes))
        and (not musts or musts == {tier})
    )
    return Unit(members, home if home in allowed else None, allowed)


def _reached(tier: Tier, wishes: Wishes) -> bool:
    """A clustered database never lands on what one of its hosts alone reaches, or may."""
    return not wishes.clustered or bool(tier.shared)


@dataclass(frozen=True)
class Matrix:
    """The choices as the optimiser takes them, and the tier of each option."""

    options: Options
    tier: np.ndarray

    def tiers(self, chosen: np.ndarray) -> list[int]:
        """The tier of each unit."""
        return [int(one) for one in self.tier[chosen]]


def matrix_of(
    layout: Layout,
    wishes: Wishes,
    gains: Sequence[Sequence[float]],
    seconds_now: Sequence[float],
    loads: Sequence[Sequence[float]] = (),
) -> Matrix:
    """`gains` has a row for each object with its seconds on each tier; `seconds_now` what each costs today.

    `loads` are I/Os per second of each object, a row for each interval.
    """
    numpy = numpy_module()
    rows: list[tuple[int, int, float]] = []
    home = []
    for number, unit in enumerate(layout.units):
        at_home = -1
        for tier in _worthwhile(unit, wishes, gains, seconds_now):
            if tier == unit.home:
                at_home = len(rows)
            rows.append((number, tier, sum(gains[member][tier] for member in unit.members)))
        home.append(at_home)
    tier = numpy.array([row[1] for row in rows], dtype=int)
    unit_of = numpy.array([row[0] for row in rows], dtype=int)
    weights, most = _limits(layout, wishes, unit_of, tier, loads)
    options = Options(
        unit=unit_of,
        gain=numpy.array([row[2] for row in rows], dtype=float),
        weights=numpy.array(weights, dtype=float).reshape(len(most), len(rows)),
        most=numpy.array(most, dtype=float),
        home=numpy.array(home, dtype=int),
    )
    return Matrix(options, tier)


def _worthwhile(
    unit: Unit, wishes: Wishes, gains: Sequence[Sequence[float]], seconds_now: Sequence[float]
) -> list[int]:
    """Its tiers without those whose gain is too small to move for."""
    if unit.home is None:
        return list(unit.tiers)
    least = max(wishes.gain_s_min, wishes.hysteresis * sum(seconds_now[member] for member in unit.members))
    stays = sum(gains[member][unit.home] for member in unit.members)
    return [
        tier
        for tier in unit.tiers
        if tier == unit.home or not 0 < sum(gains[member][tier] for member in unit.members) - stays < least
    ]


def _limits(
    layout: Layout, wishes: Wishes, unit_of: np.ndarray, tier: np.ndarray, loads: Sequence[Sequence[float]]
) -> tuple[list[np.ndarray], list[float]]:
    """Bytes that move, capacity of each tier, money, and I/Os per second of each tier in each interval."""
    numpy = numpy_module()
    sizes = numpy.array(
        [sum(layout.sizes[i] or 0 for i in unit.members) for unit in layout.units], dtype=float
    )
    moved = numpy.array(
        [_moved(layout, layout.units[u], t) for u, t in zip(unit_of, tier, strict=True)], dtype=float
    )
    weights, most = [moved], [float("inf") if wishes.budget_bytes is None else float(wishes.budget_bytes)]
    if wishes.budget_bytes is None:
        most = [float(moved.sum())]
    fixed = _fixed_bytes(layout)
    for number, one in enumerate(layout.tiers):
        if one.capacity_bytes is not None:
            weights.append(numpy.where(tier == number, sizes[unit_of], 0.0))
            most.append(float(one.capacity_bytes - fixed[number]))
    if wishes.budget_per_month is not None:
        weights.append(money(layout, unit_of, tier))
        most.append(wishes.budget_per_month)
    for one_load in loads:
        for row, bound in _load_limits(layout, one_load, unit_of, tier):
            weights.append(row)
            most.append(bound)
    return weights, most


def _moved(layout: Layout, unit: Unit, tier: int) -> int:
    return sum(layout.sizes[index] or 0 for index in unit.members if layout.homes[index] != tier)


def _fixed_bytes(layout: Layout) -> list[int]:
    """Bytes of objects that stay, by tier."""
    free = {member for unit in layout.units for member in unit.members}
    places = [None if index in free else home for index, home in enumerate(layout.homes)]
    return layout.bytes_on(places)


def money(layout: Layout, unit_of: np.ndarray, tier: np.ndarray) -> np.ndarray:
    """What each option costs more in a month than today."""
    numpy = numpy_module()
    prices = [one.price_per_tb_month or 0.0 for one in layout.tiers]
    rows = [
        sum(
            (layout.sizes[i] or 0) * (prices[t] - prices[layout.homes[i] or 0])
            for i in layout.units[u].members
        )
        / 1e12
        for u, t in zip(unit_of, tier, strict=True)
    ]
    return numpy.array(rows, dtype=float)


def _load_limits(
    layout: Layout, loads: Sequence[float], unit_of: np.ndarray, tier: np.ndarray
) -> list[tuple[np.ndarray, float]]:
    """A tier that bears more today than it is known to bear may go on so, and takes no more."""
    numpy = numpy_module()
    of_unit = numpy.array([sum(loads[i] for i in unit.members) for unit in layout.units], dtype=float)
    free = {member for unit in layout.units for member in unit.members}
    found = []
    for number, one in enumerate(layout.tiers):
        most = tier_numbers.load_max_per_s(one)
        if most is None:
            continue
        on_it = [(index, load) for index, load in enumerate(loads) if layout.homes[index] == number]
        now = sum(load for _, load in on_it)
        stays = sum(load for index, load in on_it if index not in free)
        found.append((numpy.where(tier == number, of_unit[unit_of], 0.0), max(most, now) - stays))
    return found
