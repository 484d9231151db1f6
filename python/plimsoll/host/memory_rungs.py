"""How long a load takes from each cache of a CPU, from the memory near to it, and from that of other nodes.

A working set stands for a cache where it is at least twice the one above, so that little of it is found there, and half of the
cache itself at most. It is no more than eight times the one above as well: in a virtual machine the kernel tells the last cache of
its host, of which one machine has a part.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from plimsoll.base.errors import reason_of
from plimsoll.base.units import format_bytes
from plimsoll.facts import LatencyRung, Note, Topology, TopologyCpu
from plimsoll.host.memory_bench import has_memory, huge_bytes, makes_huge
from plimsoll.native.memories import Place

LEVELS = (1, 2, 3)
MEMORY = "dram"
_TIMES_ABOVE, _TIMES_ABOVE_MAX, _CACHES = 2, 8, 4
_SET_BYTES_MAX = 2 << 30
_SET_BYTES_MIN = 1 << 20
_FREE_SHARE = 8
_STEP_BYTES = 4 << 10
_CUT = "it was interrupted before"
_NOT_PERMITTED = (errno.EPERM, errno.ENOSYS)


@dataclass(frozen=True)
class Rungs:
    """What was measured, in order, by which CPU, and what a reader of it must know."""

    cpu: int | None
    rungs: tuple[LatencyRung, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class Wish:
    """How long each rung is measured, and the working set in memory where one was asked for."""

    runtime_s: float
    set_bytes: int | None
    is_cut: Callable[[], bool]


def measure(
    topology: Topology,
    usable: Collection[int],
    wish: Wish,
    free_bytes: int | None,
    node_free_bytes: Callable[[int], int | None],
) -> Rungs:
    """Every rung, those of which there is no latency with the reason."""
    cpu = _cpu(topology, usable)
    if cpu is None:
        reason = "no CPU may be used from here"
        names = [*(f"L{level} cache" for level in LEVELS), "memory"]
        return Rungs(None, tuple(_without(name, "not measured", reason) for name in names), ())
    ladder = _Ladder(topology, cpu, wish, free_bytes, node_free_bytes, [])
    rungs = (*ladder.caches(), *ladder.memories())
    return Rungs(cpu.id, rungs, tuple(ladder.notes))


def _cpu(topology: Topology, usable: Collection[int]) -> TopologyCpu | None:
    """The last one of the first node that has both CPUs and memory; else the last one."""
    known = [cpu for cpu in topology.cpus if cpu.id in usable and cpu.online and cpu.allowed is not False]
    homes = {node.id for node in topology.nodes if has_memory(node)}
    first = min((cpu.node for cpu in known if cpu.node in homes and cpu.node is not None), default=None)
    near = [cpu for cpu in known if cpu.node == first] if first is not None else known
    return near[-1] if near else None


def _price_name(name: str) -> str:
    return name[:2].lower() if name.endswith(" cache") else MEMORY


def _without(name: str, state: str, reason: str, **where: int | None) -> LatencyRung:
    kind = "cache" if name.endswith(" cache") else "memory"
    return LatencyRung.model_validate(
        {"name": name, "kind": kind, "state": state, "reason": reason, "price_name": _price_name(name), **where}
    )  # fmt: skip


@dataclass(frozen=True)
class _Ladder:
    topology: Topology
    cpu: TopologyCpu
    wish: Wish
    free_bytes: int | None
    node_free_bytes: Callable[[int], int | None]
    notes: list[Note]

    def caches(self) -> Iterator[LatencyRung]:
        above = 0
        for level in LEVELS:
            yield self._cache(level, above)
            above = max(above, self._size(level) or 0)

    def memories(self) -> Iterator[LatencyRung]:
        nodes = [node for node in self.topology.nodes if has_memory(node)]
        home = [node.id for node in nodes if node.id == self.cpu.node]
        away = sorted((node.id for node in nodes if node.id != self.cpu.node), key=self._distance)
        for node in home:
            yield self._memory(node, f"memory of node {node}")
        if not home and not away:
            yield self._memory(None, "memory")
        for node in away:
            yield self._memory(node, f"memory of node {node}, from node {self.cpu.node}")
        if not away:
            reason = "this host has no other node with memory that may be used from here"
            yield _without("memory of another node", "absent", reason, cpu_node=self.cpu.node)

    def _distance(self, node: int) -> tuple[float, int]:
        """As the firmware says it; what it says nothing of is the farthest."""
        ids = [one.id for one in self.topology.nodes]
        rows = self.topology.distances
        if self.cpu.node not in ids or len(rows) != len(ids):
            return float("inf"), node
        told = rows[ids.index(self.cpu.node)][ids.index(node)]
        return float("inf") if told is None else told, node

    def _size(self, level: int) -> int | None:
        """Of the cache of that level that the CPU's loads go through."""
        sizes = [
            one.size_bytes
            for one in self.topology.caches
            if one.level == level and one.kind != "instruction" and self.cpu.id in one.cpus
        ]
        return next((size for size in sizes if size), None)

    def _cache(self, level: int, above: int) -> LatencyRung:
        name, size = f"L{level} cache", self._size(level)
        if size is None:
            return _without(name, "absent", f"the kernel tells of no L{level} cache of CPU {self.cpu.id}")
        wanted = min(size // 2, _TIMES_ABOVE_MAX * above or size)
        most = self._room(None)
        if wanted < _TIMES_ABOVE * above:
            reason = f"its {format_bytes(size)} are less than four times the cache above, so that no working set is its own"
            return _without(name, "not measured", reason)
        if most is None or wanted > most:
            return _without(name, "not measured", self._too_little(None))
        return self._chased(name, wanted, self.cpu.node if self._is_bound else None)

    @property
    def _is_bound(self) -> bool:
        return len(self.topology.nodes) > 1

    def _room(self, node: int | None) -> int | None:
        """How large a working set may be; None: what is free is not told."""
        told = [
            self.free_bytes,
            *([] if node is None or not self._is_bound else [self.node_free_bytes(node)]),
        ]
        known = [one for one in told if one is not None]
        return min(known) // _FREE_SHARE if len(known) == len(told) else None

    def _too_little(self, node: int | None) -> str:
        most = self._room(node)
        if most is None:
            return "how much memory is free is not told"
        return f"an eighth of what is free, {format_bytes(most)}, is too little for a working set of it"

    def _memory(self, node: int | None, name: str) -> LatencyRung:
        last = max((self._size(level) or 0 for level in LEVELS), default=0)
        wanted = self.wish.set_bytes or (min(_CACHES * last, _SET_BYTES_MAX) if last else _SET_BYTES_MAX // 8)
        most = self._room(node)
        size = None if most is None else min(wanted, most)
        if size is None or size < min(wanted, _SET_BYTES_MIN) or (self.wish.set_bytes or 0) > size:
            where = {"cpu_node": self.cpu.node, "memory_node": node}
            return _without(name, "not measured", self._too_little(node), **where)
        if size < _CACHES * last:
            self._note(
                "ladder-set-small",
                f"the working set of {name} is {format_bytes(size)}, less than four times the last cache, of which the kernel tells"
                f" {format_bytes(last)}: in part it may be the latency of that cache, unless this machine has but a part of it",
            )
        return self._chased(name, size, node if self._is_bound else None)

    def _note(self, code: str, message: str) -> None:
        self.notes.append(Note(code=code, message=message))

    def _chased(self, name: str, size: int, node: int | None) -> LatencyRung:
        where = {"cpu_node": self.cpu.node, "memory_node": node}
        if self.wish.is_cut():
            return _without(name, "not measured", _CUT, **where)
        size -= size % _STEP_BYTES
        huge = huge_bytes() if makes_huge() else None
        try:
            told = Place((self.cpu.id,), node, huge, self.wish.is_cut).chase(size, self.wish.runtime_s)
        except InterruptedError:
            return _without(name, "not measured", _CUT, **where)
        except OSError as error:
            return self._refused(name, size, node, error)
        return LatencyRung(
            name=name,
            kind="cache" if name.endswith(" cache") else "memory",
            state="measured",
            price_name=_price_name(name),
            latency_ns=told.latency_ns,
            working_set_bytes=size,
            huge_share=told.huge_share,
            cpu_node=self.cpu.node,
            memory_node=node,
        )

    def _refused(self, name: str, size: int, node: int | None, error: OSError) -> LatencyRung:
        """Memory near to the CPU is what the kernel gives by itself, where it may not be asked for."""
        if node is None or error.errno not in _NOT_PERMITTED:
            return _without(name, "not measured", reason_of(error), cpu_node=self.cpu.node, memory_node=node)
        if node == self.cpu.node:
            self._note(
                "ladder-first-touch",
                f"{name} was taken as the kernel gave it, near to its CPU: mbind, which asks for a node's memory, is not permitted",
            )
            return self._chased(name, size, None)
        reason = (
            "mbind, which asks for memory of a node, is not permitted: a container needs CAP_SYS_NICE for it"
        )
        return _without(name, "not measured", reason, cpu_node=self.cpu.node, memory_node=node)


def names_of_prices(named: Sequence[str]) -> list[str]:
    """What a price may be given of: each cache, memory, and storage that is named."""
    return [*(f"l{level}" for level in LEVELS), MEMORY, *named]
