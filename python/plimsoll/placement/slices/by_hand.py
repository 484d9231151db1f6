"""Slices that were given by hand: what they take, and what is wrong with them; and memory that no database runs in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from plimsoll.base.units import format_bytes
from plimsoll.facts import SliceFinding, Topology
from plimsoll.host.topology.values import in_short
from plimsoll.placement.slices.costs import Costs, Item
from plimsoll.placement.slices.fitting import taken_by_hand
from plimsoll.placement.slices.given import Given
from plimsoll.placement.slices.machine import Machine
from plimsoll.placement.slices.wanted import Wanted

MEMORY_LEAST = 64 << 20
"""Bytes. PostgreSQL with its own defaults takes 128 MiB of shared buffers alone, and what it starts takes some MiB each."""


def with_cores(found: Topology, wanted: Wanted) -> Wanted:
    """With the number of cores of which it has a CPU."""
    own = set(wanted.cpus or ())
    return replace(wanted, cores=sum(bool(own & set(core.cpus)) for core in found.cores) or len(own))


def given_by_hand(found: Topology, machine: Machine, items: Sequence[Item]) -> list[Given]:
    """What each takes of a machine of which it has nothing yet."""
    left = {node.id: node.memory_bytes for node in machine.nodes}
    given = []
    for item in items:
        taken = taken_by_hand(item.wanted, left) or {}
        left = {node: size - taken.get(node, 0) for node, size in left.items()}
        given.append(_given(found, machine, item, taken))
    return given


def _given(found: Topology, machine: Machine, item: Item, taken: dict[int, int]) -> Given:
    own = set(item.wanted.cpus or ())
    counts = {at: sum(bool(own & set(core)) for core in pool.cores) for at, pool in enumerate(machine.pools)}
    cores = {at: count for at, count in counts.items() if count}
    by_node = Counter(cpu.node for cpu in found.cpus if cpu.id in own and cpu.node is not None)
    home = machine.place(min(by_node, key=lambda node: (-by_node[node], node)))
    units = {machine.place(node): size // item.wanted.unit_bytes for node, size in taken.items()}
    return Given(home, cores, units, Costs(machine, item).of(home, cores, units))


def findings(found: Topology, machine: Machine, slices: Sequence[Wanted]) -> Iterator[SliceFinding]:
    """Memory that is farther than it need be, cores of which a slice has a part, and of any slice memory that is too little."""
    for one in slices:
        yield from _small_memory(one)
    by_hand = [one for one in slices if one.is_by_hand]
    left, taken = {node.id: node.memory_bytes for node in machine.nodes}, list[dict[int, int]]()
    for one in by_hand:
        taken.append(taken_by_hand(one, left) or {})
        left = {node: size - taken[-1].get(node, 0) for node, size in left.items()}
    for one, own in zip(by_hand, taken, strict=True):
        yield from _far_memory(found, machine, one, own, left)
        yield from _split_cores(found, one)


def _small_memory(one: Wanted) -> Iterator[SliceFinding]:
    if one.memory_bytes < MEMORY_LEAST:
        message = (
            f"{format_bytes(one.memory_bytes)} of memory are less than any database runs in,"
            f" which is {format_bytes(MEMORY_LEAST)} at least; as a limit the kernel ends its processes there"
        )
        yield SliceFinding(code="slice-memory-small", slice=one.name, message=message)


def _far_memory(
    found: Topology, machine: Machine, one: Wanted, taken: dict[int, int], left: dict[int, int]
) -> Iterator[SliceFinding]:
    """A node is far when it has no CPU of the slice, and what is taken of it would have room on nearer ones.

    What other slices by hand take is not room; nodes that the slice is on already count, as far as they have any left.
    """
    homes = sorted({cpu.node for cpu in found.cpus if cpu.id in (one.cpus or ()) and cpu.node is not None})
    distance = {
        node.id: sum(machine.distances[machine.place(home)][at] for home in homes) / len(homes)
        for at, node in enumerate(machine.nodes)
    }
    roomy = sorted((node for node, size in left.items() if size), key=lambda node: (distance[node], node))
    for node in sorted(set(one.mems or ()) - set(homes), key=lambda node: -distance[node]):
        nearer = [other for other in roomy if distance[other] < distance[node]]
        if nearer and sum(left[other] for other in nearer) >= taken.get(node, 0):
            message = (
                f"its CPUs are on node {in_short(tuple(homes))} and memory of it on node {node}, at distance"
                f" {distance[node]:g}; that of node {nearer[0]} is at {distance[nearer[0]]:g}"
            )
            yield SliceFinding(code="slice-memory-far", slice=one.name, message=message)
            return


def _split_cores(found: Topology, one: Wanted) -> Iterator[SliceFinding]:
    own = set(one.cpus or ())
    split = [core.cpus for core in found.cores if own & set(core.cpus) and set(core.cpus) - own]
    if split:
        left = in_short(tuple(cpu for core in split for cpu in core if cpu not in own))
        message = f"it has cores in part: the CPUs {left} are of the same cores, and slow it down when they work for others"
        yield SliceFinding(code="slice-core-split", slice=one.name, message=message)
