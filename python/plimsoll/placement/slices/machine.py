"""What a host has to give: cores by node and cache domain, memory by node, distances; and what is assumed where it is not told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from plimsoll.facts import Topology, TopologyCore, TopologyNode
from plimsoll.host.topology.values import in_short

OWN_DISTANCE = 10
_OTHER_DISTANCE = 20
"""What the kernel itself takes for any other node where firmware does not tell (`REMOTE_DISTANCE`, include/linux/topology.h)."""


@dataclass(frozen=True)
class Node:
    """A node with the memory that may be given away."""

    id: int
    memory_bytes: int
    slower_by: int
    """How many tiers its memory is below the fastest."""


@dataclass(frozen=True)
class Pool:
    """Cores that share a last cache, on one node, all of one kind."""

    node: int
    """Place in `Machine.nodes`."""
    weaker_by: int
    """How many kinds its cores are below the strongest."""
    cores: tuple[tuple[int, ...], ...]
    """Each by its CPUs, those that are free."""
    domain: int | None = None
    """Number of its cache domain, which other pools may be of too, as of unlike cores that share a cache. None: its own."""
    users: frozenset[frozenset[int]] = frozenset()
    """CPUs of each slice that was given cores of it by hand."""


@dataclass(frozen=True)
class Machine:
    """All that may be given away, and what was assumed."""

    nodes: tuple[Node, ...]
    pools: tuple[Pool, ...]
    distances: tuple[tuple[int, ...], ...]
    """From the CPUs of a node to the memory of another, by their places in `nodes`."""
    assumptions: tuple[str, ...] = ()
    untold: tuple[int, ...] = ()
    """Numbers of nodes whose memory is not told: none of it is given away."""

    @cached_property
    def domains(self) -> tuple[int, ...]:
        """The place of the cache domain of each pool."""
        places: dict[object, int] = {}
        return tuple(
            places.setdefault(("alone", at) if pool.domain is None else pool.domain, len(places))
            for at, pool in enumerate(self.pools)
        )

    @cached_property
    def users(self) -> tuple[int, ...]:
        """How many slices were given cores of each cache domain by hand."""
        found: dict[int, set[frozenset[int]]] = {domain: set() for domain in self.domains}
        for domain, pool in zip(self.domains, self.pools, strict=True):
            found[domain] |= pool.users
        return tuple(len(found[domain]) for domain in range(len(found)))

    def in_domains(self, pools: Iterable[int]) -> set[int]:
        """The cache domains of pools."""
        return {self.domains[pool] for pool in pools}

    def domain_sizes(self, pools: Iterable[int]) -> dict[int, int]:
        """How many free cores these pools have, by cache domain."""
        sizes = dict[int, int]()
        for pool in pools:
            domain = self.domains[pool]
            sizes[domain] = sizes.get(domain, 0) + len(self.pools[pool].cores)
        return sizes

    def place(self, node: int) -> int:
        """The place in `nodes` of a node's number. Raises KeyError."""
        return {one.id: at for at, one in enumerate(self.nodes)}[node]

    def beyond(self, here: int, there: int) -> int:
        """How much farther than its own the memory of a node is, from another; both by their places."""
        return self.distances[here][there] - OWN_DISTANCE

    def with_untold(self, memory_bytes: int) -> Machine:
        """As if each node whose memory is not told had so much."""
        nodes = (
            replace(node, memory_bytes=memory_bytes) if node.id in self.untold else node
            for node in self.nodes
        )
        return replace(self, nodes=tuple(nodes))

    def without(self, cpus: frozenset[int], memory: dict[int, int]) -> Machine:
        """What is left when CPUs, and memory by node, were given away."""
        return replace(
            self,
            pools=tuple(_left(pool, cpus) for pool in self.pools),
            nodes=tuple(
                replace(node, memory_bytes=node.memory_bytes - memory.get(node.id, 0)) for node in self.nodes
            ),
        )


def _left(pool: Pool, cpus: frozenset[int]) -> Pool:
    cores = tuple(core for core in pool.cores if not cpus & set(core))
    users = pool.users | {cpus} if len(cores) < len(pool.cores) else pool.users
    return replace(pool, cores=cores, users=users)


def machine_of(found: Topology, memory_free_share: float) -> Machine:
    """What those that read a topology may give away: whole cores that are online, and memory that is not a graphics card's."""
    nodes = [node for node in found.nodes if node.allowed is not False]
    cores = list(_cores(found))
    fastest = min((node.tier for node in nodes if node.tier is not None), default=1)
    rooms = tuple(
        Node(
            node.id,
            int(_given(node) * (1 - memory_free_share)),
            0 if node.tier is None else max(0, node.tier - fastest),
        )
        for node in nodes
    )
    return Machine(
        nodes=rooms,
        pools=tuple(_pools(found, rooms, cores)),
        distances=_distances(found, nodes),
        assumptions=tuple(_assumed(found, nodes, cores)),
        untold=_untold(nodes),
    )


def _given(node: TopologyNode) -> int:
    """Memory that is not told is not given away."""
    return 0 if node.is_gpu else node.memory_bytes or 0


def _untold(nodes: Sequence[TopologyNode]) -> tuple[int, ...]:
    return tuple(node.id for node in nodes if node.memory_bytes is None and not node.is_gpu)


def _cores(found: Topology) -> Iterator[TopologyCore]:
    """Those that may be given whole. Where no core is told, each CPU counts as one."""
    barred = {cpu.id for cpu in found.cpus if not cpu.online or cpu.allowed is False}
    cores = found.cores or tuple(
        TopologyCore(package=cpu.package, core=None, node=cpu.node, cpus=(cpu.id,))
        for cpu in found.cpus
        if cpu.online
    )
    closed = {node.id for node in found.nodes if node.allowed is False}
    for core in cores:
        if core.node is not None and core.node not in closed and not barred & set(core.cpus):
            yield core


def _pools(found: Topology, nodes: Sequence[Node], cores: Sequence[TopologyCore]) -> Iterator[Pool]:
    by_place: dict[tuple[int, int, int], list[tuple[int, ...]]] = {}
    places = {node.id: at for at, node in enumerate(nodes)}
    shared, numbers = _domains(found), dict[object, int]()
    for core in sorted(cores, key=lambda one: one.cpus):
        if core.node is not None:
            node = places[core.node]
            domain = numbers.setdefault(shared.get(core.cpus[0]) or ("node", node), len(numbers))
            by_place.setdefault((node, domain, core.kind - 1), []).append(core.cpus)
    for (node, domain, weaker_by), members in sorted(
        by_place.items(), key=lambda one: (one[0][0], one[1][0])
    ):
        yield Pool(node, weaker_by, tuple(members), domain)


def _domains(found: Topology) -> dict[int, tuple[int, ...]]:
    """For each CPU those with which it shares its last cache, where that is more than its core."""
    last: dict[int, tuple[int, tuple[int, ...]]] = {}
    for cache in found.caches:
        if cache.kind != "instruction":
            for cpu in cache.cpus:
                last[cpu] = max(last.get(cpu, (0, ())), (cache.level, cache.cpus))
    own = {cpu: core.cpus for core in found.cores for cpu in core.cpus}
    return {cpu: shared for cpu, (_, shared) in last.items() if set(shared) - set(own.get(cpu, (cpu,)))}


def _distances(found: Topology, nodes: Sequence[TopologyNode]) -> tuple[tuple[int, ...], ...]:
    told = {
        (one.id, other.id): value
        for one, row in zip(found.nodes, found.distances, strict=True)
        for other, value in zip(found.nodes, row, strict=True)
    } if found.distances else {}  # fmt: skip
    return tuple(
        tuple(
            told.get((one.id, other.id)) or (OWN_DISTANCE if one.id == other.id else _OTHER_DISTANCE)
            for other in nodes
        )
        for one in nodes
    )


def _assumed(found: Topology, nodes: Sequence[TopologyNode], cores: Sequence[TopologyCore]) -> Iterator[str]:
    """What a reader of the plan must know of the host."""
    if not found.cores:
        yield "cores are not told: each CPU counts as one, and the CPUs of a core may go to two slices"
    usable = {cpu for core in cores for cpu in core.cpus}
    left_out = [cpu.id for cpu in found.cpus if cpu.online and cpu.id not in usable]
    if left_out:
        numbers = in_short(tuple(left_out))
        yield f"the CPUs {numbers} are left out: they may not be used from here, or their core or node is not told"
    untold = _untold(nodes)
    if untold:
        yield f"the memory of the nodes {in_short(untold)} is not told, and is given to nobody"
    if len(nodes) > 1 and (not found.distances or any(None in row for row in found.distances)):
        yield f"distances are not told: each other node counts as {_OTHER_DISTANCE}, as the kernel has it"
    if not found.caches:
        yield "caches are not told: a node counts as one cache domain"
