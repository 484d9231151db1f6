"""The best plan of a small machine by looking at every one: an own reading of what docs/host.md says that a plan costs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

from plimsoll.placement.slices.costs import Item
from plimsoll.placement.slices.machine import Machine, Node, Pool
from plimsoll.placement.slices.wanted import Wanted

GIB = 1 << 30


def random_machine(rolled: random.Random) -> Machine:
    """At most four nodes of six cores, in one cache domain or two; distances that may be unlike back and forth.

    Some domains reach into a part beside them: unlike cores share a cache, and so may nodes.
    """
    count = rolled.randint(1, 4)
    nodes = tuple(
        Node(number, rolled.randint(0, 4) * GIB, int(rolled.random() < 0.15)) for number in range(count)
    )
    pools: list[Pool] = []
    cpu = 0
    for node in range(count):
        cores, parts = rolled.randint(0 if count > 1 else 1, 6), rolled.randint(1, 2 if count < 4 else 1)
        for part in range(parts):
            size = cores // parts + (part < cores % parts)
            members = tuple((cpu + number,) for number in range(size))
            cpu += size
            if members:
                pools.append(Pool(node, int(rolled.random() < 0.15), members))
    pools = _with_shared_domains(pools, random.Random(cpu))
    distances = tuple(
        tuple(10 if one == other else rolled.choice((12, 16, 21, 21, 32)) for other in range(count))
        for one in range(count)
    )
    return Machine(nodes, tuple(pools), distances)


def _with_shared_domains(pools: Sequence[Pool], rolled: random.Random) -> list[Pool]:
    """Each of the domain of the pool before it, at times."""
    found: list[Pool] = []
    for at, pool in enumerate(pools):
        is_shared = at > 0 and rolled.random() < 0.3
        found.append(replace(pool, domain=found[-1].domain if is_shared else at))
    return found


def random_items(rolled: random.Random, machine: Machine) -> list[Item]:
    """At most four slices, in pieces of 1 GiB; some more than there is room for."""
    items = []
    for number in range(rolled.randint(1, 4)):
        on = rolled.sample(range(len(machine.nodes)), rolled.randint(1, len(machine.nodes)))
        wanted = Wanted(
            f"db{number}",
            rolled.randint(1, 5),
            rolled.randint(0, 3) * GIB,
            huge_page_bytes=GIB,
            one_node=rolled.random() < 0.3,
            on_nodes=tuple(on) if rolled.random() < 0.2 else None,
        )
        devices = tuple(rolled.choices(range(len(machine.nodes)), k=rolled.randint(0, 2)))
        items.append(Item(wanted, weight=float(rolled.randint(1, 3)), devices=devices))
    return items


def least_cost(machine: Machine, items: Sequence[Item]) -> float | None:
    """Of all plans; None: there is none."""
    options = [sorted(_options(machine, item), key=lambda one: one[0]) for item in items]
    if not all(options):
        return None
    after = [sum(some[0][0] for some in options[place:]) for place in range(len(options) + 1)]
    best = inf

    def place(
        number: int, cost: float, cores: list[int], rooms: list[int], users: dict[int | None, int]
    ) -> None:
        nonlocal best
        if number == len(options):
            best = min(best, cost)
            return
        for own, taken, given in options[number]:
            if cost + own + after[number + 1] >= best:
                return
            if any(a > b for a, b in zip(taken, cores, strict=True)):
                continue
            if any(a > b for a, b in zip(given, rooms, strict=True)):
                continue
            own_domains = _domains(machine, taken)
            beside = sum(users[domain] > 0 for domain in own_domains)
            place(
                number + 1,
                cost + own + beside,
                [b - a for a, b in zip(taken, cores, strict=True)],
                [b - a for a, b in zip(given, rooms, strict=True)],
                {**users, **{domain: users[domain] + 1 for domain in own_domains}},
            )

    rooms = [node.memory_bytes // GIB for node in machine.nodes]
    place(
        0, 0.0, [len(pool.cores) for pool in machine.pools], rooms, {pool.domain: 0 for pool in machine.pools}
    )
    return None if best == inf else best


def _domains(machine: Machine, taken: Sequence[int]) -> set[int | None]:
    return {pool.domain for pool, count in zip(machine.pools, taken, strict=True) if count}


def _options(machine: Machine, item: Item) -> Iterator[tuple[float, tuple[int, ...], tuple[int, ...]]]:
    """Each way to give one slice what it asks for, centred where that costs least."""
    wanted, units = item.wanted, item.wanted.memory_bytes // GIB
    sizes = [len(pool.cores) for pool in machine.pools]
    rooms = [node.memory_bytes // GIB for node in machine.nodes]
    allowed = set(range(len(machine.nodes)) if wanted.on_nodes is None else wanted.on_nodes)
    for cores in _divided(wanted.cores, sizes):
        for memory in _divided(units, rooms):
            lies_on = {machine.pools[at].node for at, count in enumerate(cores) if count}
            lies_on |= {at for at, count in enumerate(memory) if count}
            if not lies_on <= allowed or (wanted.one_node and len(lies_on) > 1):
                continue
            homes = lies_on if wanted.one_node else allowed
            yield min(_cost(machine, item, home, cores, memory) for home in homes), cores, memory


def _divided(count: int, sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    if not sizes:
        if count == 0:
            yield ()
        return
    for taken in range(min(count, sizes[0]) + 1):
        for rest in _divided(count - taken, sizes[1:]):
            yield (taken, *rest)


def _cost(machine: Machine, item: Item, home: int, cores: Sequence[int], memory: Sequence[int]) -> float:
    far = machine.distances
    cost = sum(
        count * (far[machine.pools[at].node][home] - 10 + 10 * machine.pools[at].weaker_by)
        for at, count in enumerate(cores)
    ) / sum(cores)
    if any(memory):
        cost += sum(
            count * (far[home][at] - 10 + 10 * machine.nodes[at].slower_by) for at, count in enumerate(memory)
        ) / sum(memory)
    if item.devices:
        cost += 0.5 * sum(far[home][at] - 10 for at in item.devices) / len(item.devices)
    return item.weight * (cost + len(_domains(machine, cores)))
