"""How this host, or one that was recorded, is built: nodes, cores, CPUs, caches, distances, devices."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from plimsoll.base.errors import UsageError, input_error
from plimsoll.base.limits import TOPOLOGY_ARCHIVE_BYTES_MAX, TOPOLOGY_LOOKED_AT_MAX
from plimsoll.base.values import value
from plimsoll.facts import Topology, TopologyAllowed, TopologyCore, TopologyCpu, TopologyNode
from plimsoll.facts.topology import TopologyOrigin
from plimsoll.host.topology import nodes as node_files
from plimsoll.host.topology.allowed import read_allowed
from plimsoll.host.topology.caches import read_caches
from plimsoll.host.topology.cpus import FOLDER, Cpu, check_packages, cores_of, read_cpus
from plimsoll.host.topology.devices import read_devices
from plimsoll.host.topology.kinds import strengths
from plimsoll.host.topology.numactl import NumactlText
from plimsoll.host.topology.tree import FolderTree, Problems, Reader, Tree
from plimsoll.ports import files

_ROOT_DEPTH_MAX = 3
"""Folders in a recording around its `sys` and `proc`."""
_RUNNING = "this host"


@value
class HostFiles:
    """How a host is built, and what else can be read of it; None: it is a text alone."""

    topology: Topology
    reader: Reader | None


def read_topology(source: str | None = None) -> Topology:
    """The topology alone. Raises what `read_host` raises."""
    return read_host(source).topology


def read_host(source: str | None = None) -> HostFiles:
    """Of the running system, or of what a path names: a recorded tree, an archive of one, or a text of `numactl --hardware`.

    Raises UsageError `file-missing`, `topology-unknown`, WorldError `topology-unread`, UnreadableError `topology-archive`.
    """
    problems = Problems()
    if source is None:
        return of_tree(FolderTree(Path("/"), problems), "running system", _RUNNING)
    if os.path.isdir(source):
        return _of_folder(source, problems)
    try:
        content = files.read_input(source, TOPOLOGY_ARCHIVE_BYTES_MAX)
    except OSError as error:
        raise input_error("topology-unread", source, error) from error
    from plimsoll.host.topology.archive import ArchiveTree, is_archive  # this host alone takes no unpacker

    if is_archive(content):
        tree = ArchiveTree(source, content, problems)
        tree.root = _root(tree)
        return of_tree(tree, "archive", source)
    return HostFiles(_of_numactl(content.decode(errors="replace"), source, problems), None)


def _of_folder(source: str, problems: Problems) -> HostFiles:
    below = _root(FolderTree(Path(source), Problems()))
    return of_tree(FolderTree(Path(source, below), problems), "recorded tree", source)


def _root(tree: Tree) -> str:
    """The outermost folder that has `sys` or `proc` in it; the tree's own where none has."""
    return next((folder for folder in _folders(tree) if {"sys", "proc"} & set(tree.names(folder))), "")


def _folders(tree: Tree) -> Iterator[str]:
    """Folders of a recording, the outer ones first, and of what is no recording as many as say so."""
    level, left = [""], TOPOLOGY_LOOKED_AT_MAX
    for _ in range(_ROOT_DEPTH_MAX):
        yield from level
        below = (f"{folder}/{name}".lstrip("/") for folder in level for name in tree.names(folder))
        level = list(islice(below, left))
        left -= len(level)


def of_tree(tree: Tree, origin: TopologyOrigin, source: str) -> HostFiles:
    """Of files below a root. Raises UsageError `topology-unknown`."""
    reader = Reader(tree)
    return HostFiles(_topology(reader, origin, source), reader)


def _topology(reader: Reader, origin: TopologyOrigin, source: str) -> Topology:
    cpus = read_cpus(reader)
    online = frozenset(cpu.id for cpu in cpus.values() if cpu.online)
    if not online:
        raise UsageError(
            "topology-unknown",
            f"{source} has no CPUs: there is nothing to be read in {FOLDER}",
            "Record sys and proc of the host whole, as hwloc-gather-topology does, or name a text of numactl --hardware.",
        )
    check_packages(cpus, reader)
    ids = node_files.node_ids(reader)
    nodes = node_files.read_nodes(reader, ids, online) if ids else [node_files.one_node(reader, online)]
    homes = node_files.homes(nodes, reader.problems)
    allowed = read_allowed(reader)
    cores = _cores(reader, cpus, homes)
    distances = tuple(node_files.read_distances(reader, nodes, ids))
    nodes = list(node_files.with_near_nodes(nodes, distances))
    return Topology(
        origin=origin,
        source=source,
        nodes=tuple(_with_allowed(node, allowed) for node in nodes),
        cores=tuple(cores),
        cpus=tuple(_cpus(cpus, cores, homes, allowed)),
        caches=tuple(read_caches(reader, cpus.values())),
        distances=distances,
        devices=tuple(read_devices(reader, nodes)),
        allowed=allowed,
        is_one_node_meant=not ids,
        problems=reader.problems.all(),
    )


def _cores(reader: Reader, cpus: dict[int, Cpu], homes: dict[int, int]) -> list[TopologyCore]:
    cores = cores_of(cpus, reader)
    found = [
        TopologyCore(
            package=cpus[core[0]].package,
            core=cpus[core[0]].core,
            node=homes.get(core[0]),
            cpus=core,
            kind=strength.kind,
            capacity=strength.capacity,
            mhz_max=strength.mhz_max,
        )
        for core, strength in zip(cores, strengths(reader, cores), strict=True)
    ]
    return sorted(found, key=lambda core: (-1 if core.package is None else core.package, core.cpus))


def _cpus(
    cpus: dict[int, Cpu],
    cores: Sequence[TopologyCore],
    homes: dict[int, int],
    allowed: TopologyAllowed | None,
) -> Iterator[TopologyCpu]:
    places = {number: place for place, core in enumerate(cores) for number in core.cpus}
    for number, cpu in cpus.items():
        yield TopologyCpu(
            id=number,
            online=cpu.online,
            package=cpu.package,
            core=places.get(number),
            node=homes.get(number),
            allowed=None if allowed is None else number in allowed.cpus,
        )


def _with_allowed(node: TopologyNode, allowed: TopologyAllowed | None) -> TopologyNode:
    return node if allowed is None else node.but(allowed=node.id in allowed.nodes)


def _of_numactl(text: str, source: str, problems: Problems) -> Topology:
    found = NumactlText(text, source, problems)
    nodes = found.nodes
    homes = node_files.homes(nodes, problems)
    return Topology(
        origin="numactl",
        source=source,
        nodes=tuple(node_files.with_near_nodes(nodes, found.distances)),
        cores=(),
        cpus=tuple(TopologyCpu(id=cpu, online=True, node=homes[cpu]) for cpu in sorted(homes)),
        caches=(),
        distances=tuple(found.distances),
        devices=(),
        problems=problems.all(),
    )
