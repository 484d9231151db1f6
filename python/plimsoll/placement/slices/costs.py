"""What a slice costs where it lies: distances above that of a node's own memory, and what they are weighed with.

A slice is centred on a node, its home. Each of its cores elsewhere costs the distance to the home's memory, divided by its cores;
each piece of memory elsewhere the distance from the home, divided by its pieces; devices their mean distance. A plan's cost is that
of each slice times its priority, and of cache domains that several have cores of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from plimsoll.facts.slices import SlicePurpose
from plimsoll.placement.slices.machine import Machine
from plimsoll.placement.slices.wanted import Wanted

DOMAIN_COST = 1.0
"""Of each cache domain that a slice has cores of: a tenth of what its own memory takes."""
SHARED_COST = 1.0
"""Of each slice that has cores of a cache domain beside another."""
WEAKER_COST = 10.0
"""Of a slice whose cores are all of the next weaker kind: as if all of its memory took twice as long."""
SLOWER_COST = 10.0
"""Of a slice whose memory is all of the next slower tier."""
DEVICE_WEIGHT = 0.5
"""Of the distance to devices against that to memory, for the slice that asks most of them."""
SET_ASIDE_WEIGHT = 0.1
"""Of what the host itself does, against a database of priority 1."""


@dataclass(frozen=True)
class Item:
    """A slice that is planned, with what its nearness counts."""

    wanted: Wanted
    purpose: SlicePurpose = "database"
    weight: float = 1.0
    devices: tuple[int, ...] = ()
    """The nodes of its devices, by their places, as far as they are told."""
    device_weight: float = DEVICE_WEIGHT


@dataclass(frozen=True)
class Alone:
    """What an item costs at a home if it had the machine to itself, and the dearest core and piece of memory in that."""

    cost: float
    core_cost_max: float
    unit_cost_max: float


class Costs:
    """Of one item on a machine."""

    def __init__(self, machine: Machine, item: Item) -> None:
        self._machine, self.item = machine, item
        self._weakest = max((pool.weaker_by for pool in machine.pools), default=0)
        allowed = item.wanted.on_nodes
        self._nodes = [at for at, node in enumerate(machine.nodes) if allowed is None or node.id in allowed]

    def homes(self) -> list[int]:
        """Nodes that it may be centred on, by their places."""
        return self._nodes

    def pools(self, home: int) -> Iterator[int]:
        """Pools that it may have cores of."""
        for at, pool in enumerate(self._machine.pools):
            if pool.cores and pool.node in self._nodes and self._may(home, pool.node):
                yield at

    def memory_nodes(self, home: int) -> Iterator[int]:
        """Nodes that it may have memory of."""
        for at in self._nodes if self.item.wanted.units else ():
            if self._machine.nodes[at].memory_bytes >= self.item.wanted.unit_bytes and self._may(home, at):
                yield at

    def _may(self, home: int, node: int) -> bool:
        return not self.item.wanted.one_node or node == home

    def of_home(self, home: int) -> float:
        """Of its devices."""
        near = self.item.devices
        total = sum(self._machine.beyond(home, node) for node in near)
        return self.item.device_weight * total / len(near) if near else 0.0

    def of_core(self, home: int, pool: int) -> float:
        """Of one core of a pool."""
        one = self._machine.pools[pool]
        weaker = self._weakest - one.weaker_by if self.item.purpose == "housekeeping" else one.weaker_by
        return (self._machine.beyond(one.node, home) + WEAKER_COST * weaker) / self.item.wanted.cores

    def of_unit(self, home: int, node: int) -> float:
        """Of one piece of memory of a node."""
        slower = SLOWER_COST * self._machine.nodes[node].slower_by
        return (self._machine.beyond(home, node) + slower) / self.item.wanted.units

    def of(self, home: int, cores: Mapping[int, int], units: Mapping[int, int]) -> float:
        """Of cores by pool and pieces of memory by node, before its weight."""
        return (
            self.of_home(home)
            + DOMAIN_COST * len(self._machine.in_domains(cores))
            + sum(count * self.of_core(home, pool) for pool, count in cores.items())
            + sum(count * self.of_unit(home, node) for node, count in units.items())
        )

    def room(self, node: int) -> int:
        """How many pieces of memory a node has."""
        return self._machine.nodes[node].memory_bytes // self.item.wanted.unit_bytes

    def alone(self, home: int) -> Alone | None:
        """None: the machine has not enough."""
        sizes = {pool: len(self._machine.pools[pool].cores) for pool in self.pools(home)}
        cores = _filled(
            self.item.wanted.cores, [(self.of_core(home, pool), size) for pool, size in sizes.items()]
        )
        rooms = [(self.of_unit(home, node), self.room(node)) for node in self.memory_nodes(home)]
        memory = _filled(self.item.wanted.units, rooms)
        if cores is None or memory is None:
            return None
        domains = fewest(self.item.wanted.cores, self._machine.domain_sizes(sizes).values())
        cost = self.of_home(home) + cores[0] + memory[0] + DOMAIN_COST * domains
        return Alone(cost, cores[1], memory[1])


def _filled(wanted: int, offers: Sequence[tuple[float, int]]) -> tuple[float, float] | None:
    """The least cost of so many, and that of the dearest one; None: there are not so many."""
    total = dearest = 0.0
    for cost, size in sorted(offers):
        taken = min(wanted, size)
        if taken:
            total, dearest, wanted = total + taken * cost, cost, wanted - taken
    return None if wanted else (total, dearest)


def fewest(wanted: int, sizes: Iterable[int]) -> int:
    """How many pools it takes at least."""
    count = 0
    for size in sorted(sizes, reverse=True):
        if wanted <= 0:
            break
        wanted, count = wanted - size, count + 1
    return count
