"""Whether a host has enough for all slices, and if not, the smallest change of what they ask for with which it has.

Nearness plays no part: the question is only what fits. A change is measured by the shares of all cores, and of all memory, that are
asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plimsoll.placement.slices.costs import Costs, Item
from plimsoll.placement.slices.machine import Machine
from plimsoll.placement.slices.unknowns import NotKnown, Unknowns
from plimsoll.placement.solver import Impossible

Taken = tuple[Mapping[int, int], Mapping[int, int]]


@dataclass(frozen=True)
class Short:
    """By how much a slice has to ask for less."""

    item: Item
    cores: int
    units: int


@dataclass(frozen=True)
class Shortfall:
    """What has to go so that all fit; empty: nothing."""

    short: tuple[Short, ...] = ()
    is_certain: bool = True
    """Whether it is proved that something has to go where anything is named."""
    is_least: bool = True
    """Whether it is proved that no smaller change would do."""
    is_possible: bool = True
    """Whether any change of the slices would do."""
    taken: tuple[Taken, ...] = ()
    """Where nothing has to go: cores by pool and pieces of memory by node that each may have, with no thought of what is near."""


def shortfall(machine: Machine, items: Sequence[Item]) -> Shortfall:
    """What has to go, as far as a search finds out."""
    model = _Model(machine, items)
    try:
        values, least = model.unknowns.least()
    except Impossible:
        return Shortfall(is_possible=False)
    except NotKnown:
        return Shortfall(is_certain=False, is_least=False, is_possible=False)
    found = tuple(
        Short(item, values[fewer], values[less])
        for item, (fewer, less) in zip(items, model.missing, strict=True)
        if values[fewer] or values[less]
    )
    if not found:
        return Shortfall(taken=model.taken(values))
    close = model.step / 2
    return Shortfall(found, is_certain=least > close, is_least=model.unknowns.cost(values) - least < close)


class _Model:
    """Each slice takes cores and memory, of one node alone where it asks for that, and goes without the rest."""

    def __init__(self, machine: Machine, items: Sequence[Item]) -> None:
        self.unknowns = Unknowns()
        self.missing: list[tuple[int, int]] = []
        self._own: list[tuple[dict[int, int], dict[int, int]]] = []
        self._machine = machine
        self._cores = sum(item.wanted.cores for item in items)
        self._bytes = sum(item.wanted.memory_bytes for item in items)
        self._cores_taken: list[dict[int, float]] = [{} for _ in machine.pools]
        self._bytes_taken: list[dict[int, float]] = [{} for _ in machine.nodes]
        pieces = [item.wanted.unit_bytes / self._bytes for item in items if item.wanted.units]
        self.step = min([1 / self._cores, *pieces])
        """What the smallest change counts."""
        largest = max((item.wanted.unit_bytes for item in items), default=1)
        for item in items:
            self._add(item, largest)
        for pool, taken in zip(machine.pools, self._cores_taken, strict=True):
            self.unknowns.at_most(len(pool.cores), taken)
        for node, taken in zip(machine.nodes, self._bytes_taken, strict=True):
            self.unknowns.at_most(node.memory_bytes / largest, taken)

    def taken(self, values: Sequence[int]) -> tuple[Taken, ...]:
        """What each takes, by places of pools and nodes."""
        return tuple((_counts(cores, values), _counts(units, values)) for cores, units in self._own)

    def _add(self, item: Item, largest: int) -> None:
        wanted, costs = item.wanted, Costs(self._machine, item)
        fewer_max = wanted.cores - 1 if item.purpose == "database" else 0
        fewer = self.unknowns.add(fewer_max, 1 / self._cores)
        less = self.unknowns.add(
            max(0, wanted.units - 1), wanted.unit_bytes / self._bytes if wanted.units else 0
        )
        self.missing.append((fewer, less))
        cores = {pool: self.unknowns.add(wanted.cores) for pool in _pools(costs)}
        units = {node: self.unknowns.add(wanted.units) for node in _memory_nodes(costs)}
        self._own.append((cores, units))
        self.unknowns.equal(wanted.cores, {**dict.fromkeys(cores.values(), 1), fewer: 1})
        self.unknowns.equal(wanted.units, {**dict.fromkeys(units.values(), 1), less: 1})
        for pool, unknown in cores.items():
            self._cores_taken[pool][unknown] = 1
        for node, unknown in units.items():
            self._bytes_taken[node][unknown] = wanted.unit_bytes / largest
        if wanted.one_node:
            self._stay_on_one_node(costs, cores, units)

    def _stay_on_one_node(self, costs: Costs, cores: dict[int, int], units: dict[int, int]) -> None:
        wanted = costs.item.wanted
        chosen = {home: self.unknowns.add(1) for home in costs.homes()}
        self.unknowns.equal(1, dict.fromkeys(chosen.values(), 1))
        for pool, unknown in cores.items():
            self.unknowns.at_most(0, {unknown: 1, chosen[self._machine.pools[pool].node]: -wanted.cores})
        for node, unknown in units.items():
            self.unknowns.at_most(0, {unknown: 1, chosen[node]: -wanted.units})


def _pools(costs: Costs) -> list[int]:
    return list(dict.fromkeys(pool for home in costs.homes() for pool in costs.pools(home)))


def _memory_nodes(costs: Costs) -> list[int]:
    return list(dict.fromkeys(node for home in costs.homes() for node in costs.memory_nodes(home)))


def _counts(unknowns: Mapping[int, int], values: Sequence[int]) -> dict[int, int]:
    return {place: values[unknown] for place, unknown in unknowns.items() if values[unknown]}
