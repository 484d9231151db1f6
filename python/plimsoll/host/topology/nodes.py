"""NUMA nodes: CPUs, memory, huge pages, tiers, and how far they are apart.

source: the kernel's Documentation/ABI/stable/sysfs-devices-node, admin-guide/mm/numaperf.rst (`access0`, `access1`,
`memory_side_cache`), ABI/testing/sysfs-kernel-mm-memory-tiers, ABI/testing/sysfs-kernel-mm-hugepages
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from plimsoll.base.units import format_bytes
from plimsoll.facts import NodeHugePages, TopologyNode
from plimsoll.host.topology.tree import Problems, Reader
from plimsoll.host.topology.values import in_short, parse_list, parse_number

FOLDER = "sys/devices/system/node"
_MEMINFO = "proc/meminfo"
_MEMORY_SHARE_MAX = 0.05
"""Of the host's memory: some pages of a node are the kernel's own before memory is counted, or the other way round."""
_HUGE_PAGES = "sys/kernel/mm/hugepages"
_TIERS = "sys/devices/virtual/memory_tiering"
_GPUS = "proc/driver/nvidia/gpus"
_MEMORY = re.compile(r"^(?:Node +\d+ +)?(MemTotal|MemFree): +(\d{1,15}) kB$", re.MULTILINE)
_HUGE_FOLDER = re.compile(r"hugepages-(\d{1,12})kB")
_GPU_NODE = re.compile(r"^Node: +(\d{1,5})$", re.MULTILINE)
_OWN_DISTANCE = 10
"""Distances below it have no meaning (ACPI 6.5, 5.2.17)."""
_MIB_BYTES, _MB_BYTES = 1 << 20, 1e6


def node_ids(reader: Reader) -> list[int]:
    """The nodes that are online; none where the kernel lists none, and the host is one node."""
    found = reader.numbered(FOLDER, "node")
    online = reader.value(f"{FOLDER}/online", parse_list)
    return [number for number in found if not online or number in online]


def read_nodes(reader: Reader, ids: Sequence[int], online: frozenset[int]) -> list[TopologyNode]:
    """Each node, those of the same CPUs as one."""
    gpus = _gpu_nodes(reader)
    nodes = [_node(reader, number, online, number in gpus) for number in ids]
    _hold_memory(reader, nodes)
    return _with_tiers(reader, _merged(reader, nodes))


def _hold_memory(reader: Reader, nodes: Sequence[TopologyNode]) -> None:
    """The memory of all nodes against that of the host, which the kernel counts apart."""
    of_nodes, of_host = _sum([node.memory_bytes for node in nodes]), _memory(reader, _MEMINFO).get("MemTotal")
    if not of_nodes or not of_host or abs(of_nodes - of_host) <= _MEMORY_SHARE_MAX * of_host:
        return
    message = (
        f"the nodes have {format_bytes(of_nodes)} of memory together, and the host has {format_bytes(of_host)}:"
        " which node has the difference is not told"
    )
    reader.problems.add("topology-memory-contradicts", _MEMINFO, message)


def one_node(reader: Reader, online: frozenset[int]) -> TopologyNode:
    """The one that is meant where the kernel lists none."""
    memory = _memory(reader, _MEMINFO)
    return TopologyNode(
        id=0,
        cpus=tuple(sorted(online)),
        memory_bytes=memory.get("MemTotal"),
        free_bytes=memory.get("MemFree"),
        huge_pages=tuple(_huge_pages(reader, _HUGE_PAGES)),
    )


def _node(reader: Reader, number: int, online: frozenset[int], is_gpu: bool) -> TopologyNode:
    folder = f"{FOLDER}/node{number}"
    cpus = reader.numbers((f"{folder}/cpulist",), (f"{folder}/cpumap",), online)
    if cpus is None:
        message = f"nothing tells which CPUs are of node {number}"
        reader.problems.add("topology-node-untold", folder, message)
    memory = _memory(reader, f"{folder}/meminfo")
    if "MemTotal" not in memory and not reader.problems.knows(f"{folder}/meminfo"):
        message = f"nothing tells how much memory node {number} has"
        reader.problems.add("topology-memory-untold", f"{folder}/meminfo", message)
    near, bandwidth, latency = _nearest(reader, folder)
    return TopologyNode(
        id=number,
        cpus=tuple(sorted(cpus or ())),
        memory_bytes=memory.get("MemTotal"),
        free_bytes=memory.get("MemFree"),
        huge_pages=tuple(_huge_pages(reader, f"{folder}/hugepages")),
        is_gpu=is_gpu,
        near_nodes=near,
        read_mb_per_s=bandwidth * _MIB_BYTES / _MB_BYTES if bandwidth and bandwidth > 0 else None,
        read_latency_ns=latency if latency and latency > 0 else None,
        side_cache_bytes=_side_cache_bytes(reader, folder),
    )


def _memory(reader: Reader, path: str) -> dict[str, int]:
    """Total and free memory in bytes, as far as they are told."""
    return {name: int(kib) * 1024 for name, kib in _MEMORY.findall(reader.text(path) or "")}


def _huge_pages(reader: Reader, folder: str) -> Iterator[NodeHugePages]:
    sizes = (_HUGE_FOLDER.fullmatch(name) for name in reader.tree.names(folder))
    for kib in sorted(int(match[1]) for match in sizes if match is not None):
        at = f"{folder}/hugepages-{kib}kB"
        yield NodeHugePages(
            page_bytes=kib * 1024,
            pages=reader.value(f"{at}/nr_hugepages", parse_number),
            free_pages=reader.value(f"{at}/free_hugepages", parse_number),
        )


def _nearest(reader: Reader, folder: str) -> tuple[tuple[int, ...], int | None, int | None]:
    """Whose CPUs reach the memory fastest, with bandwidth and latency. `access0` may name what is no CPU; `access1` does not."""
    for access in ("access1", "access0"):
        at = f"{folder}/{access}/initiators"
        near = tuple(reader.numbered(at, "node"))
        if near:
            bandwidth = reader.value(f"{at}/read_bandwidth", parse_number)
            return near, bandwidth, reader.value(f"{at}/read_latency", parse_number)
    return (), None, None


def _side_cache_bytes(reader: Reader, folder: str) -> int | None:
    at = f"{folder}/memory_side_cache"
    sizes = [reader.value(f"{at}/index{index}/size", parse_number) for index in reader.numbered(at, "index")]
    return sum(size for size in sizes if size is not None and size > 0) or None


def _gpu_nodes(reader: Reader) -> frozenset[int]:
    """Nodes whose memory is that of graphics cards, as their driver says."""
    texts = (reader.text(f"{_GPUS}/{name}/numa_status") or "" for name in reader.tree.names(_GPUS))
    return frozenset(int(number) for text in texts for number in _GPU_NODE.findall(text))


def _merged(reader: Reader, nodes: Sequence[TopologyNode]) -> list[TopologyNode]:
    """Some firmware gives each node all CPUs: then it is one node, whose memory goes by several numbers."""
    by_cpus: dict[object, list[TopologyNode]] = {}
    for node in nodes:
        by_cpus.setdefault(node.cpus or node.id, []).append(node)
    for same in by_cpus.values():
        if len(same) > 1:
            numbers = in_short(tuple(node.id for node in same))
            message = (
                f"the nodes {numbers} all have the CPUs {in_short(same[0].cpus)}, and are taken for one node"
            )
            reader.problems.add("topology-nodes-alike", FOLDER, message)
    return [_as_one(same) for same in by_cpus.values()]


def _as_one(same: Sequence[TopologyNode]) -> TopologyNode:
    first, *others = same
    if not others:
        return first
    huge = sorted((pages for node in same for pages in node.huge_pages), key=lambda pages: pages.page_bytes)
    return first.but(
        also_ids=tuple(node.id for node in others),
        memory_bytes=_sum([node.memory_bytes for node in same]),
        free_bytes=_sum([node.free_bytes for node in same]),
        huge_pages=tuple(
            NodeHugePages(
                page_bytes=size,
                pages=_sum([pages.pages for pages in alike]),
                free_pages=_sum([pages.free_pages for pages in alike]),
            )
            for size, alike in (
                (size, list(group)) for size, group in groupby(huge, lambda pages: pages.page_bytes)
            )
        ),
    )


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _with_tiers(reader: Reader, nodes: list[TopologyNode]) -> list[TopologyNode]:
    """By the kernel, else by the bandwidth that the firmware states of each; where neither tells, none has a tier."""
    ranks = _kernel_tiers(reader) or _tiers_by_bandwidth(nodes)
    return [node.but(tier=ranks[node.id]) if node.id in ranks else node for node in nodes]


def _kernel_tiers(reader: Reader) -> dict[int, int]:
    """The lower the number of a tier, the faster it is."""
    ranks: dict[int, int] = {}
    for rank, number in enumerate(reader.numbered(_TIERS, "memory_tier"), 1):
        at = f"{_TIERS}/memory_tier{number}"
        members = reader.numbers((f"{at}/nodelist", f"{at}/nodes"), ()) or frozenset()
        ranks.update(dict.fromkeys(members, rank))
    return ranks


def _tiers_by_bandwidth(nodes: Sequence[TopologyNode]) -> dict[int, int]:
    with_memory = [node for node in nodes if node.memory_bytes != 0 and not node.is_gpu]
    rates = sorted({node.read_mb_per_s or 0.0 for node in with_memory}, reverse=True)
    if not rates or rates[-1] == 0.0:
        return {}
    return {node.id: rates.index(node.read_mb_per_s or 0.0) + 1 for node in with_memory}


def homes(nodes: Sequence[TopologyNode], problems: Problems) -> dict[int, int]:
    """The node of each CPU. Where several claim it, it is that of the fewest CPUs, and a problem says so."""
    found: dict[int, int] = {}
    claimed: set[int] = set()
    for node in sorted(nodes, key=lambda one: len(one.cpus), reverse=True):
        claimed.update(cpu for cpu in node.cpus if cpu in found)
        found.update(dict.fromkeys(node.cpus, node.id))
    if claimed:
        message = (
            f"several nodes claim the CPUs {in_short(tuple(claimed))}, which count for the smallest of these"
        )
        problems.add("topology-nodes-overlap", FOLDER, message)
    return found


def read_distances(
    reader: Reader, nodes: Sequence[TopologyNode], ids: Sequence[int]
) -> list[tuple[int | None, ...]]:
    """A row and a column for each node; `ids` are those that the kernel lists."""
    possible = sorted(reader.value(f"{FOLDER}/possible", parse_list) or ())
    rows = [_row(reader, node, nodes, (list(ids), possible)) for node in nodes]
    is_told = any(value is not None for row in rows for value in row)
    for node in nodes:
        path = f"{FOLDER}/node{node.id}/distance"
        # Some recordings have none of them at all, which is unknown and not damaged.
        if is_told and len(nodes) > 1 and not reader.text(path) and not reader.problems.knows(path):
            message = f"{path} is missing or empty: how far node {node.id} is from the others is not told"
            reader.problems.add("topology-distances", path, message)
    return rows


def _row(
    reader: Reader, node: TopologyNode, nodes: Sequence[TopologyNode], columns: tuple[list[int], list[int]]
) -> tuple[int | None, ...]:
    """The kernel writes a column for each node that is online; a recording may have kept those of others."""
    path = f"{FOLDER}/node{node.id}/distance"
    values = reader.value(path, lambda text: [parse_number(part) for part in text.split()])
    if values is None:
        return (None,) * len(nodes)
    named = next((ids for ids in columns if len(ids) == len(values)), None)
    if named is None:
        message = f"{path} holds {len(values)} distances, for {len(columns[0])} nodes"
        reader.problems.add("topology-distances", path, message)
        return (None,) * len(nodes)
    by_id: Mapping[int, int] = dict(zip(named, values, strict=True))
    if any(value < _OWN_DISTANCE for value in values):
        message = f"{path} holds a distance below {_OWN_DISTANCE}, which has no meaning"
        reader.problems.add("topology-distances", path, message)
    return tuple(_meant(by_id.get(other.id)) for other in nodes)


def with_near_nodes(
    nodes: Sequence[TopologyNode], distances: Sequence[Sequence[int | None]]
) -> Iterator[TopologyNode]:
    """Memory without CPUs is near to the nodes that are at the least distance from it, where the firmware names none itself."""
    for at, node in enumerate(nodes):
        told = {
            other.id: row[at]
            for other, row in zip(nodes, distances, strict=False)
            if other.cpus and row[at] is not None
        }
        if node.cpus or node.near_nodes or not told:
            yield node
        else:
            least = min(distance for distance in told.values() if distance is not None)
            yield node.but(near_nodes=tuple(number for number, distance in told.items() if distance == least))


def _meant(distance: int | None) -> int | None:
    return distance if distance is not None and distance >= _OWN_DISTANCE else None
