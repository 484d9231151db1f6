"""Shared memory of a database server by node: as the server counts it, and as the kernel does of the process that it asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from plimsoll.base.units import format_bytes, format_share
from plimsoll.databases import NodesTold
from plimsoll.facts import HostSlice, SharedMemoryNode, SliceSharedMemory, SliceWrong
from plimsoll.host.process_places import ELSEWHERE_SHARE, PROC, memory_of
from plimsoll.host.topology.values import in_short

_UNSEEN, _ELSEWHERE, _DIFFERS = "slice-shared-unseen", "slice-shared-elsewhere", "slice-shared-differs"
_DIFFERENCE_SHARE_MAX = 0.05
"""By which the two may differ on a node: the server counts a page once for each allocation that has a part of it."""


def kernel_by_node(process: int, proc: Path = PROC) -> Counter[int] | None:
    """The largest mapping that this process of the server shares, which is the server's main one; None: not told."""
    found = memory_of(process, proc)
    areas = [] if found is None else [area.by_node for area in found.shared.values()]
    return max(areas, key=lambda one: one.total(), default=None)


def shared_memory_of(
    slices: Sequence[HostSlice],
    inside: Mapping[str, frozenset[int]],
    leader: int | None,
    where: str,
    told: NodesTold,
    kernel: Counter[int] | None,
) -> SliceSharedMemory:
    """Of the server whose first process is `leader`, and of the slice that this is in."""
    home = next((one for one in slices if leader is not None and leader in inside[one.name]), None)
    nodes = sorted({*told.by_node, *(kernel or ())}, key=lambda one: (one is None, one or 0))
    return SliceSharedMemory(
        slice=None if home is None else home.name,
        database=where,
        nodes_planned=() if home is None else tuple(sorted({one.node for one in home.memory})),
        unknown_because=told.unknown_because or None,
        nodes=tuple(
            SharedMemoryNode(
                node=node,
                server_bytes=None if told.unknown_because else told.by_node.get(node, 0),
                kernel_bytes=None if kernel is None or node is None else kernel[node],
            )
            for node in nodes
        ),
    )


def wrong_memory(found: SliceSharedMemory) -> Iterator[SliceWrong]:
    """What is wrong with it, or could not be seen."""
    if found.slice is None:
        yield _doubt(
            found, f"the server at {found.database} is in no slice, and has no nodes to be held against"
        )
        return
    if found.unknown_because is not None:
        yield _doubt(
            found, f"nodes of the shared memory of {found.database} are not told: {found.unknown_because}"
        )
        return
    by_server = {one.node: one.server_bytes or 0 for one in found.nodes}
    whole = sum(by_server.values())
    elsewhere = sum(
        size for node, size in by_server.items() if node is not None and node not in found.nodes_planned
    )
    if elsewhere > ELSEWHERE_SHARE * whole:
        message = (
            f"by the server's own count {format_bytes(elsewhere)} of {format_bytes(whole)} of shared memory"
            f" are on other nodes than {in_short(found.nodes_planned)}"
        )
        yield SliceWrong(code=_ELSEWHERE, severity="wrong", slice=found.slice, message=message)
    if unplaced := by_server.get(None, 0):
        yield _doubt(
            found,
            f"the server could not place {format_bytes(unplaced)} of {format_bytes(whole)} of its shared memory",
        )
    yield from _differences(found, whole)


def _doubt(found: SliceSharedMemory, message: str) -> SliceWrong:
    return SliceWrong(code=_UNSEEN, severity="doubt", slice=found.slice, message=message)


def _differences(found: SliceSharedMemory, whole: int) -> Iterator[SliceWrong]:
    """By shares of each node: the two count bytes differently."""
    counted = [one for one in found.nodes if one.node is not None and one.kernel_bytes is not None]
    kernel = sum(one.kernel_bytes or 0 for one in counted)
    if not kernel or not whole:
        message = "the kernel does not tell where that shared memory is (/proc/PID/numa_maps): the server's count stands alone"
        yield _doubt(found, message)
        return
    for one in counted:
        by_server, by_kernel = (one.server_bytes or 0) / whole, (one.kernel_bytes or 0) / kernel
        if abs(by_server - by_kernel) > _DIFFERENCE_SHARE_MAX:
            message = (
                f"of the shared memory node {one.node} has {format_share(by_server)} by the server's count and"
                f" {format_share(by_kernel)} by the kernel's (numa_maps)"
            )
            yield SliceWrong(code=_DIFFERS, severity="doubt", slice=found.slice, message=message)
