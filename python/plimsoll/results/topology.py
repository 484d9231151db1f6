"""How a host is built."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_bytes
from plimsoll.charts import Table
from plimsoll.facts import (
    NodeHugePages,
    Run,
    Topology,
    TopologyCache,
    TopologyCore,
    TopologyCpu,
    TopologyDevice,
    TopologyNode,
)
from plimsoll.results._blocks import Block, Figure, Grid, Points, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import sentence

_NONE, _UNKNOWN = "none", "unknown"


def _answer(found: Topology) -> str:
    """`4 nodes, 2 packages, 24 cores, 48 CPUs, 32 GiB of memory`."""
    online = [cpu for cpu in found.cpus if cpu.online]
    packages = {cpu.package for cpu in online if cpu.package is not None}
    counts = [
        _many(len(found.nodes), "node"),
        _told(len(packages), "package", sum(cpu.package is None for cpu in online)),
        _told(len(found.cores), "core", sum(cpu.core is None for cpu in online)),
        _many(len(online), "CPU"),
    ]
    problems = f"; {_many(len(found.problems), 'problem')}" if found.problems else ""
    return f"{', '.join(counts)}, {_memory_text(found)}{problems}"


def _told(count: int, word: str, untold_cpus: int) -> str:
    """How many there are; not that there are none, or no others, where CPUs are of none that is told."""
    if not count:
        return f"{word}s not told"
    return _many(count, word) + (f" (of {_many(untold_cpus, 'CPU')} not told)" if untold_cpus else "")


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _memory_text(found: Topology) -> str:
    """That of the nodes that tell it, with those that do not."""
    untold = [node.id for node in found.nodes if not node.is_gpu and node.memory_bytes is None]
    known = sum(node.memory_bytes or 0 for node in found.nodes if not node.is_gpu)
    if not untold or not known:
        return f"{_bytes(_memory_bytes(found))} of memory"
    return f"{format_bytes(known)} of memory and that of node{'' if len(untold) == 1 else 's'} {_list(untold)}, which is not told"


def _memory_bytes(found: Topology) -> int | None:
    """Of all nodes but graphics cards; None: that of one is not known."""
    sizes = [node.memory_bytes for node in found.nodes if not node.is_gpu]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _list(numbers: Sequence[int]) -> str:
    """`0-7, 16-23`"""
    # Imported when used: each verb that keeps a run has this file, and few of them read archives.
    from plimsoll.host.topology.values import in_short

    return in_short(tuple(numbers)).replace(",", ", ")


def _bytes(size: int | None) -> str:
    return _UNKNOWN if size is None else format_bytes(size)


def _status(run: Run) -> ExitStatus:
    """5 where something could not be read, or contradicts itself."""
    found: Topology = run.results["topology"]
    return ExitStatus.DONE_IN_PART if found.problems else ExitStatus.DONE


def remarks(found: Topology) -> list[tuple[str, str]]:
    """What a reader must know beside the parts, each with what it is about."""
    told: list[tuple[str, str]] = []
    if found.is_one_node_meant:
        told.append(("one node", "The kernel lists no NUMA nodes, so that the host counts as one."))
    offline = [cpu.id for cpu in found.cpus if not cpu.online]
    if offline:
        told.append(("offline", f"CPUs {_list(offline)} are offline."))
    barred = [cpu.id for cpu in found.cpus if cpu.online and cpu.allowed is False]
    closed = [node.id for node in found.nodes if node.allowed is False]
    if found.allowed is not None and (barred or closed):
        lacks = [f"{word} {_list(ids)}" for word, ids in (("CPUs", barred), ("nodes", closed)) if ids]
        told.append(("cpuset", f"The group {found.allowed.group} may not use {' and '.join(lacks)}."))
    homeless = [cpu.id for cpu in found.cpus if cpu.online and cpu.node is None]
    if homeless:
        told.append(("node not told", f"Nothing tells which node the CPUs {_list(homeless)} are of."))
    if len({core.kind for core in found.cores}) > 1:
        told.append(("unlike cores", "Kinds of cores are numbered from the strongest."))
    return told


def huge_pages_text(pages: Sequence[NodeHugePages]) -> str:
    """`128 × 2 MiB, 64 free`; sizes of which there are none are left out."""
    parts = [
        f"{_UNKNOWN if one.pages is None else f'{one.pages:,}'} × {format_bytes(one.page_bytes)}, "
        f"{_UNKNOWN if one.free_pages is None else f'{one.free_pages:,}'} free"
        for one in pages
        if one.pages != 0
    ]
    return "; ".join(parts) or (_NONE if pages else _UNKNOWN)


def node_text(found: Topology, node: TopologyNode) -> str:
    """A node in a line; its tier where the host has several."""
    also = f" (also {_list(node.also_ids)})" if node.also_ids else ""
    if node.memory_bytes == 0:
        return f"node {node.id}{also}: no memory"
    memory = "memory not told" if node.memory_bytes is None else format_bytes(node.memory_bytes)
    parts = [memory, *([] if node.free_bytes is None else [f"{format_bytes(node.free_bytes)} free"])]
    if any(one.pages for one in node.huge_pages):
        parts.append(f"huge pages {huge_pages_text(node.huge_pages)}")
    has_tiers = len({one.tier for one in found.nodes if one.tier is not None}) > 1
    parts += [f"tier {node.tier}"] if has_tiers and node.tier is not None else []
    parts += [f"behind a cache of {format_bytes(node.side_cache_bytes)}"] if node.side_cache_bytes else []
    parts += ["memory of a graphics card"] if node.is_gpu else []
    parts += [] if node.cpus else ["no CPUs"]
    parts += [f"near to node {_list(node.near_nodes)}"] if node.near_nodes and not node.cpus else []
    return f"node {node.id}{also}: {', '.join(parts)}"


def cores_text(found: Topology, cores: Sequence[TopologyCore], cpus: Sequence[int]) -> str:
    """`8 cores of 2 CPUs: 0-7, 16-23`; of a host with unlike cores each kind, and at last the CPUs of which no core is told."""
    if not cores:
        return f"CPUs {_list(cpus)}, cores not told"
    has_kinds = len({core.kind for core in found.cores}) > 1
    by_kind = (
        [core for core in cores if core.kind == kind] for kind in sorted({core.kind for core in cores})
    )
    told = [_cores_of_kind(alike, has_kinds) for alike in by_kind]
    rest = sorted(set(cpus).difference(*(core.cpus for core in cores)))
    return "; ".join([*told, *([f"CPUs {_list(rest)}, core not told"] if rest else [])])


def _cores_of_kind(cores: Sequence[TopologyCore], is_named: bool) -> str:
    threads = sorted({len(core.cpus) for core in cores})
    each = "" if threads == [1] else f" of {' or '.join(map(str, threads))} CPUs"
    kind = f" (kind {cores[0].kind})" if is_named else ""
    return f"{_many(len(cores), 'core')}{kind}{each}: {_list([cpu for core in cores for cpu in core.cpus])}"


def last_caches(found: Topology, cpus: Sequence[int]) -> list[TopologyCache]:
    """Caches of the highest level that these CPUs share."""
    wanted = set(cpus)
    held = [one for one in found.caches if wanted & set(one.cpus) and one.kind != "instruction"]
    level = max((one.level for one in held), default=0)
    return [one for one in held if one.level == level]


def cache_text(cache: TopologyCache) -> str:
    """A cache and its domain."""
    return f"level {cache.level} cache, {_bytes(cache.size_bytes)}: {_list(cache.cpus)}"


def device_text(device: TopologyDevice) -> str:
    """A disk or a network card and its place."""
    return f"{device.kind} {device.name}{'' if device.address is None else f' at {device.address}'}"


def packages_of(found: Topology, node: TopologyNode | None) -> dict[int | None, list[TopologyCpu]]:
    """CPUs that count for a node, or for none that is told, by package."""
    by_package: dict[int | None, list[TopologyCpu]] = {}
    for cpu in found.cpus:
        if cpu.online and cpu.node == (None if node is None else node.id):
            by_package.setdefault(cpu.package, []).append(cpu)
    return by_package


def _blocks(run: Run) -> list[Block]:
    """Nodes, packages, how far they are apart, devices, and what is off."""
    found: Topology = run.results["topology"]
    answer = _answer(found)
    blocks: list[Block] = [Words(sentence(answer)), Grid("Nodes", _nodes(found))]
    if len(found.nodes) > 1:
        blocks.append(Grid("Distances, from the CPUs of a node to the memory of each", distances(found)))
    if found.devices:
        blocks.append(Grid("Disks and network cards", _devices(found.devices)))
    points = [*remarks(found), *((one.path, f"{one.message}.") for one in found.problems)]
    return [*blocks, Points(tuple(points))] if points else blocks


def _nodes(found: Topology) -> Table:
    rows = tuple(
        (
            str(node.id),
            _bytes(node.memory_bytes),
            _bytes(node.free_bytes),
            huge_pages_text(node.huge_pages),
            _UNKNOWN if node.tier is None else str(node.tier),
            _core_count(found, node),
            _list(node.cpus) or _NONE,
            ", ".join(map(cache_text, last_caches(found, node.cpus))) or _UNKNOWN,
        )
        for node in found.nodes
    )
    columns = ("node", "memory", "free", "huge pages", "tier", "cores", "CPUs", "last caches")
    numeric = (True, True, True, False, True, True, False, False)
    return Table(columns, rows, numeric, ("last caches", "tier", "huge pages"))


def _core_count(found: Topology, node: TopologyNode) -> str:
    """How many cores a node has; unknown where a CPU of it is of no core that is told."""
    untold = any(cpu.core is None for cpu in found.cpus if cpu.online and cpu.node == node.id)
    return _UNKNOWN if untold else str(sum(core.node == node.id for core in found.cores))


def distances(found: Topology) -> Table:
    """A row for each node, from whose CPUs."""
    ids = [str(node.id) for node in found.nodes]
    rows = tuple(
        (number, *(_UNKNOWN if one is None else str(one) for one in row))
        for number, row in zip(ids, found.distances, strict=True)
    )
    return Table(("from", *ids), rows, (True,) * (len(ids) + 1))


def _devices(devices: Sequence[TopologyDevice]) -> Table:
    rows = tuple(
        (one.name, one.kind, one.address or _UNKNOWN, _UNKNOWN if one.node is None else str(one.node))
        for one in devices
    )
    return Table(("device", "what it is", "place", "node"), rows, (False, False, False, True))


def _figures(run: Run) -> list[Quantity]:
    """What there is to give. More of it is no better: two hosts differ, or one was changed."""
    found: Topology = run.results["topology"]
    is_all_told = all(cpu.core is not None for cpu in found.cpus if cpu.online)
    return [
        Quantity("topology.nodes", "nodes", "count", len(found.nodes), None),
        Quantity("topology.cores", "cores", "count", len(found.cores) if is_all_told else None, None),
        Quantity("topology.cpus", "CPUs online", "count", sum(cpu.online for cpu in found.cpus), None),
        Quantity("topology.memory_bytes", "memory", "bytes", _memory_bytes(found), None),
    ]


def _work(run: Run) -> dict[str, str]:
    """Hosts are compared whatever they were read of."""
    return {}


RESULT = ResultKind(
    fact=Topology,
    rows=(TopologyNode, TopologyCore, TopologyCpu, TopologyCache, TopologyDevice),
    rank=26,
    answer=_answer,
    status=_status,
    envelope="host-show",
    title="How the host is built",
    help="Nodes, cores, caches, distances and devices of a host.",
    page_rank=42,
    blocks=_blocks,
    on_page=lambda run: [Figure("host-nodes")],
    compared=Compared(figures=_figures, work=_work),
)
