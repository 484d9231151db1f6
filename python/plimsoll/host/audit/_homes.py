"""Nodes whose memory is at home for CPUs of some nodes: their own, by each of their numbers, and memory without CPUs near to them.

source: the kernel's Documentation/admin-guide/mm/numaperf.rst (memory that is slower or faster than a node's own is a node without
CPUs)
"""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.facts import Topology, TopologyNode


def memory_homes(topology: Topology, cpu_nodes: frozenset[int]) -> frozenset[int]:
    """By the kernel's numbers. Memory of a graphics card is no database's home."""
    return frozenset(
        number
        for node in topology.nodes
        if node.id in cpu_nodes or (not node.cpus and not node.is_gpu and cpu_nodes & _near(topology, node))
        for number in (node.id, *node.also_ids)
    )


def _near(topology: Topology, node: TopologyNode) -> frozenset[int]:
    """Nodes whose CPUs reach this memory fastest: as the firmware says, else those at the least distance, else all."""
    with_cpus = [one for one in topology.nodes if one.cpus]
    told = frozenset(one.id for one in with_cpus if set(node.near_nodes) & {one.id, *one.also_ids})
    if told:
        return told
    far = dict(_distances(topology, node))
    known = [distance for distance in far.values() if distance is not None]
    if len(known) < len(with_cpus):
        return frozenset(one.id for one in with_cpus)
    return frozenset(number for number, distance in far.items() if distance == min(known))


def _distances(topology: Topology, node: TopologyNode) -> Iterator[tuple[int, int | None]]:
    """From each node that has CPUs."""
    place = topology.nodes.index(node)
    for one, row in zip(topology.nodes, topology.distances, strict=False):
        if one.cpus:
            yield one.id, row[place]
