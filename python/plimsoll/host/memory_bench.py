"""Measures how fast memory is: streams with either kind of store, chains of loads, and random updates, from each node to each.

How large arrays are: J. McCalpin's rule for STREAM is four times the last cache. In a virtual machine the kernel tells that of its
host, which may be more than the machine has memory, so that what is free bounds it; that is said.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from plimsoll.base.errors import UsageError, WorldError, reason_of
from plimsoll.base.units import format_bytes
from plimsoll.facts import MemoryBench, MemoryChase, MemoryStream, MemoryUpdates, Topology, TopologyNode
from plimsoll.facts.memory_bench import PageKind, StoreKind, StreamKernel
from plimsoll.native.memories import Place, has_non_temporal
from plimsoll.ports import files

_CACHES = 4
_FREE_SHARE = 16
"""Three arrays and the chains then take less than a quarter of what is free."""
_ARRAYS = 3
_SMALLEST_SET_BYTES = 16 << 10
_HUGE = "/sys/kernel/mm/transparent_hugepage/enabled"
_KERNELS: tuple[StreamKernel, ...] = ("copy", "scale", "add", "triad")
_STORES: tuple[StoreKind, ...] = ("ordinary", "non-temporal")


@dataclass(frozen=True)
class Sizes:
    """How large arrays are, and why."""

    array_bytes: int
    cache_bytes: int | None
    bound: str | None


def sizes(topology: Topology, available_bytes: int | None, wished_bytes: int | None) -> Sizes:
    """Raises UsageError `bench-memory-room`, WorldError `bench-memory-unknown`."""
    if available_bytes is None:
        hint = (
            "See whether /proc/meminfo can be read: without its MemAvailable other programs might be killed."
        )
        raise WorldError("bench-memory-unknown", "how much memory is free is not told", hint)
    cache = _last_caches(topology)
    if wished_bytes is not None:
        _check_room(wished_bytes, available_bytes)
        return Sizes(wished_bytes, cache, _asked_less(wished_bytes, cache))
    most = available_bytes // _FREE_SHARE
    if cache is None:
        return Sizes(most, None, "the kernel tells no cache: a sixteenth of the free memory was taken")
    if _CACHES * cache <= most:
        return Sizes(_CACHES * cache, cache, None)
    bound = (
        f"four times the caches of {format_bytes(cache)} would be more than a sixteenth of the free memory"
    )
    return Sizes(most, cache, bound)


def _check_room(wished_bytes: int, available_bytes: int) -> None:
    if _ARRAYS * wished_bytes > available_bytes // 2:
        message = (
            f"--size: three arrays of {format_bytes(wished_bytes)} are more than half of the free memory"
        )
        hint = f"{format_bytes(available_bytes)} are free: give {format_bytes(available_bytes // 6)} or less."
        raise UsageError("bench-memory-room", message, hint)


def _asked_less(wished_bytes: int, cache: int | None) -> str | None:
    if cache is None:
        return "the kernel tells no cache"
    return (
        None
        if wished_bytes >= _CACHES * cache
        else f"--size asked for less than four times {format_bytes(cache)}"
    )


def _last_caches(topology: Topology) -> int | None:
    """Of the node that has most; None: not told."""
    level = max((one.level for one in topology.caches), default=None)
    last = [one for one in topology.caches if one.level == level]
    if not last or any(one.size_bytes is None for one in last):
        return None
    return max(
        (
            sum(one.size_bytes or 0 for one in last if set(one.cpus) & set(node.cpus))
            for node in topology.nodes
        ),
        default=None,
    )


def measure(
    topology: Topology, usable: Collection[int], sized: Sizes, runtime_s: float, is_cut: Callable[[], bool]
) -> MemoryBench:
    """On the CPUs that this process may use; all of it, or what there was until somebody wanted it to end.

    Raises WorldError `bench-memory-refused`.
    """
    found = _Found([], [], [])
    for work in _works(_pairs(topology, usable), sized, runtime_s, found):
        if is_cut():
            break
        work()
    return MemoryBench(
        array_bytes=sized.array_bytes,
        cache_bytes=sized.cache_bytes,
        bound=sized.bound,
        streams=tuple(found.streams),
        chases=tuple(found.chases),
        updates=tuple(found.updates),
    )


@dataclass(frozen=True)
class _Found:
    streams: list[MemoryStream]
    chases: list[MemoryChase]
    updates: list[MemoryUpdates]


@dataclass(frozen=True)
class _Pair:
    """CPUs of one node and the memory of one."""

    cpus: tuple[int, ...]
    cpu_node: int
    memory_node: int
    is_bound: bool

    def place(self, cpus: Sequence[int], is_huge: bool = False) -> Place:
        return Place(tuple(cpus), self.memory_node if self.is_bound else None, is_huge)

    def measured(self, work: Callable[[], object]) -> None:
        try:
            work()
        except OSError as error:
            message = f"memory of node {self.memory_node} could not be measured from node {self.cpu_node}: {reason_of(error)}"
            hint = "See with `plimsoll host show` which CPUs and nodes may be used from here, or give a smaller --size."
            raise WorldError("bench-memory-refused", message, hint) from error


def _pairs(topology: Topology, usable: Collection[int]) -> list[_Pair]:
    """Nodes that may be used from here."""
    homes: dict[int, list[int]] = {}
    for cpu in topology.cpus:
        if cpu.id in usable and cpu.online and cpu.allowed is not False and cpu.node is not None:
            homes.setdefault(cpu.node, []).append(cpu.id)
    memories = [node.id for node in topology.nodes if _has_memory(node)]
    is_bound = len(topology.nodes) > 1
    return [
        _Pair(tuple(cpus), home, node, is_bound)
        for (home, cpus), node in product(sorted(homes.items()), memories)
    ]


def _has_memory(node: TopologyNode) -> bool:
    return node.memory_bytes != 0 and node.allowed is not False and not node.is_gpu


def _works(
    pairs: Sequence[_Pair], sized: Sizes, runtime_s: float, found: _Found
) -> Iterator[Callable[[], None]]:
    """What there is to do, a part at a time."""
    for pair in pairs:
        yield lambda pair=pair: pair.measured(lambda: found.streams.extend(_streams(pair, sized, runtime_s)))
        yield lambda pair=pair: pair.measured(lambda: found.updates.append(_updates(pair, sized, runtime_s)))
        for pages, size in product(_page_kinds(), _working_sets(pair, sized.array_bytes)):
            yield lambda pair=pair, pages=pages, size=size: pair.measured(
                lambda: found.chases.append(_chase(pair, pages, size, runtime_s))
            )


def _page_kinds() -> tuple[PageKind, ...]:
    """Huge ones where the kernel may make some."""
    chosen = files.read_text(_HUGE)
    return ("small",) if chosen is None or "[never]" in chosen else ("small", "huge")


def _working_sets(pair: _Pair, most: int) -> list[int]:
    """Powers of two, so that each step of the caches shows; of a remote node the largest alone."""
    sets = [_SMALLEST_SET_BYTES]
    while 2 * sets[-1] <= most:
        sets.append(2 * sets[-1])
    return sets if pair.cpu_node == pair.memory_node else sets[-1:]


def _streams(pair: _Pair, sized: Sizes, runtime_s: float) -> list[MemoryStream]:
    stores = _STORES if has_non_temporal() else _STORES[:1]
    asked = list(product(_KERNELS, stores))
    words = [(kernel, store == "non-temporal") for kernel, store in asked]
    each = sized.array_bytes // len(pair.cpus)
    rates = pair.place(pair.cpus).streams(words, each, runtime_s)
    return [
        MemoryStream(
            cpu_node=pair.cpu_node,
            memory_node=pair.memory_node,
            kernel=kernel,
            store=store,
            threads=len(pair.cpus),
            mb_per_s=middle,
            mb_per_s_max=best,
        )
        for (kernel, store), (middle, best) in zip(asked, rates, strict=True)
    ]


def _updates(pair: _Pair, sized: Sizes, runtime_s: float) -> MemoryUpdates:
    size = sized.array_bytes // len(pair.cpus)
    rates = pair.place(pair.cpus).updates_per_s(size, runtime_s)
    return MemoryUpdates(
        cpu_node=pair.cpu_node,
        memory_node=pair.memory_node,
        threads=len(pair.cpus),
        size_bytes=size,
        updates_per_s=sum(rates),
        slowest_per_s=min(rates),
        fastest_per_s=max(rates),
    )


def _chase(pair: _Pair, pages: PageKind, size: int, runtime_s: float) -> MemoryChase:
    place = pair.place(pair.cpus[-1:], pages == "huge")
    return MemoryChase(
        cpu_node=pair.cpu_node,
        memory_node=pair.memory_node,
        pages=pages,
        size_bytes=size,
        latency_ns=place.chase_ns(size, runtime_s),
    )
