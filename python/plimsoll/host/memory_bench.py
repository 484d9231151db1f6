"""Measures how fast memory is: streams with either kind of store, chains of loads, and random updates, from each node to each.

How large arrays are: J. McCalpin's rule for STREAM is four times the last cache. In a virtual machine the kernel tells that of its
host, which may be more than the machine has memory, so that what is free bounds it; that is said. Memory is taken of one
node alone, so that what is free of that node bounds it too.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from plimsoll.base.errors import UsageError, WorldError, reason_of
from plimsoll.base.units import counted, format_bytes, format_share
from plimsoll.facts import (
    MemoryBench,
    MemoryChase,
    MemoryLoad,
    MemoryStream,
    MemoryUpdates,
    Note,
    Topology,
    TopologyNode,
)
from plimsoll.facts.memory_bench import NOT_MEASURED, PageKind, StoreKind, StreamKernel
from plimsoll.host import memory_load
from plimsoll.host.memory_load import SHARE_BYTES_MIN, LoadedCpus
from plimsoll.native.memories import Place, has_non_temporal
from plimsoll.ports import files
from plimsoll.requests.host_bench import ARRAY_BYTES_MIN

_CACHES = 4
_FREE_SHARE = 16
"""Three arrays and the chains then take less than a quarter of what is free."""
_ARRAYS = 3
_SMALLEST_SET_BYTES = 16 << 10
_LARGEST_SET_BYTES = 2 << 30
"""Beyond any cache that one CPU reaches; one thread puts a chain in order before it is followed, which takes seconds a GiB."""
_HUGE = "/sys/kernel/mm/transparent_hugepage/enabled"
_HUGE_SIZE = "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"
_HUGE_BYTES = 2 << 20
"""Where the kernel does not tell; it then only says where memory begins."""
_HUGE_SHARE_MIN = 0.95
_KERNELS: tuple[StreamKernel, ...] = ("copy", "scale", "add", "triad")
_STORES: tuple[StoreKind, ...] = ("ordinary", "non-temporal")


@dataclass(frozen=True)
class Sizes:
    """How large arrays are, and why."""

    array_bytes: int
    cache_bytes: int | None
    bound: str | None
    is_asked: bool = False
    """Somebody named it: what is smaller is not measured in its place."""


def sizes(topology: Topology, available_bytes: int | None, wished_bytes: int | None) -> Sizes:
    """Raises UsageError or WorldError `bench-memory-room`, WorldError `bench-memory-unknown`."""
    if available_bytes is None:
        hint = (
            "See whether /proc/meminfo can be read: without its MemAvailable other programs might be killed."
        )
        raise WorldError("bench-memory-unknown", "how much memory is free is not told", hint)
    cache = _last_caches(topology)
    if wished_bytes is not None:
        _check_room(wished_bytes, available_bytes)
        return Sizes(wished_bytes, cache, _asked_less(wished_bytes, cache), is_asked=True)
    most = available_bytes // _FREE_SHARE
    if most < ARRAY_BYTES_MIN:
        message = f"{format_bytes(available_bytes)} of memory are free, too little to measure any"
        hint = f"Stop what is not needed until {format_bytes(_FREE_SHARE * ARRAY_BYTES_MIN)} are free."
        raise WorldError("bench-memory-room", message, hint)
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


@dataclass(frozen=True)
class Measured:
    """What was measured, and what a reader of it must know."""

    bench: MemoryBench
    notes: tuple[Note, ...]


def measure(
    topology: Topology,
    usable: Collection[int],
    sized: Sizes,
    runtime_s: float,
    is_cut: Callable[[], bool],
    free_bytes: Callable[[int], int | None],
) -> Measured:
    """On the CPUs that this process may use; all of it, or what there was until somebody wanted it to end. `free_bytes` says what a
    node has left. What is refused is noted, and the rest goes on.

    Raises WorldError `bench-memory-refused` where nothing at all could be measured.
    """
    found = _Found()
    for pair in _pairs(topology, usable, _rooms(topology, sized, free_bytes, found)):
        _measure_pair(pair, runtime_s, is_cut, found)
    _note_huge(found)
    if not (found.streams or found.updates or found.chases or is_cut()):
        raise _nothing(found.notes)
    bench = MemoryBench(
        array_bytes=sized.array_bytes,
        cache_bytes=sized.cache_bytes,
        bound=sized.bound,
        streams=tuple(found.streams),
        chases=tuple(found.chases),
        updates=tuple(found.updates),
        loads=tuple(found.loads),
    )
    return Measured(bench, tuple(found.notes))


def _nothing(notes: Sequence[Note]) -> WorldError:
    refused = [one.message for one in notes if one.code == NOT_MEASURED]
    reason = refused[0] if refused else "no CPU of a node with memory may be used from here"
    message = f"nothing could be measured: {reason}"
    hint = (
        "See with `plimsoll host show` which CPUs and nodes may be used from here, or give a smaller --size."
    )
    return WorldError("bench-memory-refused", message, hint)


@dataclass(frozen=True)
class _Found:
    streams: list[MemoryStream] = field(default_factory=list)
    chases: list[MemoryChase] = field(default_factory=list)
    updates: list[MemoryUpdates] = field(default_factory=list)
    loads: list[MemoryLoad] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def note(self, code: str, message: str) -> None:
        self.tell(Note(code=code, message=message))

    def tell(self, told: Note) -> None:
        if told not in self.notes:
            self.notes.append(told)


@dataclass(frozen=True)
class _Pair:
    """CPUs of one node and the memory of one."""

    cpus: tuple[int, ...]
    cpu_node: int
    memory_node: int
    is_bound: bool
    array_bytes: int
    loaded: LoadedCpus | None
    """Who times loads while others load memory; None: there are not two CPUs."""

    @property
    def is_home(self) -> bool:
        return self.cpu_node == self.memory_node

    @property
    def busy_cpus(self) -> tuple[int, ...]:
        """All, or as many at even distances as have a share of an array that is large enough."""
        many = len(self.cpus)
        threads = max(1, min(many, self.array_bytes // SHARE_BYTES_MIN))
        return tuple(self.cpus[number * many // threads] for number in range(threads))

    def place(self, cpus: Sequence[int], is_cut: Callable[[], bool], huge_bytes: int | None = None) -> Place:
        return Place(tuple(cpus), self.memory_node if self.is_bound else None, huge_bytes, is_cut)


def _rooms(
    topology: Topology, sized: Sizes, free_bytes: Callable[[int], int | None], found: _Found
) -> dict[int, int]:
    """How large arrays may be in the memory of each node; those that have no room for any are noted."""
    nodes = [node.id for node in topology.nodes if has_memory(node)]
    if len(topology.nodes) == 1:
        return dict.fromkeys(nodes, sized.array_bytes)
    rooms = {node: _room(node, sized, free_bytes(node), found) for node in nodes}
    return {node: room for node, room in rooms.items() if room is not None}


def _room(node: int, sized: Sizes, free: int | None, found: _Found) -> int | None:
    if free is None:
        found.note(
            NOT_MEASURED, f"memory of node {node} was not measured: how much of it is free is not told"
        )
        return None
    most = free // 2 // _ARRAYS if sized.is_asked else free // _FREE_SHARE
    if sized.array_bytes <= most:
        return sized.array_bytes
    if sized.is_asked or most < ARRAY_BYTES_MIN:
        wanted = format_bytes(sized.array_bytes if sized.is_asked else ARRAY_BYTES_MIN)
        found.note(
            NOT_MEASURED,
            f"memory of node {node} was not measured: {format_bytes(free)} of it are free, too little for three arrays of {wanted}",
        )
        return None
    found.note(
        "memory-node-small",
        f"arrays in memory of node {node} are of {format_bytes(most)}, a sixteenth of what it has free",
    )
    return most


def _pairs(topology: Topology, usable: Collection[int], rooms: dict[int, int]) -> list[_Pair]:
    """Nodes that may be used from here."""
    homes: dict[int, list[int]] = {}
    for cpu in topology.cpus:
        if cpu.id in usable and cpu.online and cpu.allowed is not False and cpu.node is not None:
            homes.setdefault(cpu.node, []).append(cpu.id)
    is_bound = len(topology.nodes) > 1
    return [
        _Pair(tuple(cpus), home, node, is_bound, room, memory_load.loaded_cpus(topology, cpus))
        for (home, cpus), (node, room) in product(sorted(homes.items()), rooms.items())
    ]


def has_memory(node: TopologyNode) -> bool:
    """Whether a node has memory that a database could be given."""
    return node.memory_bytes != 0 and node.allowed is not False and not node.is_gpu


_Part = Callable[[_Pair], None]


def _measure_pair(pair: _Pair, runtime_s: float, is_cut: Callable[[], bool], found: _Found) -> None:
    at: _Pair | None = pair
    for part in _parts(pair, runtime_s, is_cut, found):
        if at is None or is_cut():
            return
        at = _tried(part, at, found)
    if len(pair.busy_cpus) < len(pair.cpus):
        found.note(
            "memory-threads-fewer",
            f"streams and updates had {counted(len(pair.busy_cpus), 'thread')} on the {len(pair.cpus)} CPUs of node {pair.cpu_node}"
            f": arrays of {format_bytes(pair.array_bytes)} have no more than {format_bytes(SHARE_BYTES_MIN)} for each",
        )


def _tried(part: _Part, pair: _Pair, found: _Found) -> _Pair | None:
    """The pair with which to go on; None: no further part of it can be measured."""
    try:
        part(pair)
    except InterruptedError:
        return None
    except OSError as error:
        where = f"memory of node {pair.memory_node}"
        if pair.is_bound and pair.is_home and error.errno in _NOT_PERMITTED:
            found.note(
                "memory-first-touch",
                f"{where} was taken as the kernel gave it, near to its CPUs, as {_why(error, pair)}",
            )
            return _tried(part, replace(pair, is_bound=False), found)
        found.note(
            NOT_MEASURED, f"{where} could not be measured from node {pair.cpu_node}: {_why(error, pair)}"
        )
        return None
    return pair


_NOT_PERMITTED = (errno.EPERM, errno.ENOSYS)


def _why(error: OSError, pair: _Pair) -> str:
    if pair.is_bound and error.errno in _NOT_PERMITTED:
        return (
            "mbind, which asks for memory of a node, is not permitted: a container needs CAP_SYS_NICE for it"
        )
    if error.errno == errno.EAGAIN:
        return "a thread could not be started: see `ulimit -u`, and pids.max of the control group"
    return reason_of(error)


def _parts(pair: _Pair, runtime_s: float, is_cut: Callable[[], bool], found: _Found) -> Iterator[_Part]:
    """What there is to do, a part at a time."""
    yield lambda at: found.streams.extend(_streams(at, runtime_s, is_cut))
    yield lambda at: found.updates.append(_updates(at, runtime_s, is_cut))
    for pages, size in product(_page_kinds(), _working_sets(pair)):
        yield lambda at, pages=pages, size=size: found.chases.append(
            _chase(at, pages, size, runtime_s, is_cut)
        )
    yield lambda at: _load(at, runtime_s, is_cut, found)


def _page_kinds() -> tuple[PageKind, ...]:
    """Huge ones where the kernel may make some."""
    return ("small", "huge") if makes_huge() else ("small",)


def makes_huge() -> bool:
    """Whether the kernel may make transparent huge pages where they are asked for."""
    chosen = files.read_text(_HUGE)
    return chosen is not None and "[never]" not in chosen


def huge_bytes() -> int:
    """How large they are."""
    told = (files.read_text(_HUGE_SIZE) or "").strip()
    return int(told) if told.isdecimal() else _HUGE_BYTES


def _working_sets(pair: _Pair) -> list[int]:
    """Powers of two, so that each step of the caches shows; of a remote node the largest alone."""
    sets = [_SMALLEST_SET_BYTES]
    while 2 * sets[-1] <= min(pair.array_bytes, _LARGEST_SET_BYTES):
        sets.append(2 * sets[-1])
    return sets if pair.is_home else sets[-1:]


def _streams(pair: _Pair, runtime_s: float, is_cut: Callable[[], bool]) -> list[MemoryStream]:
    stores = _STORES if has_non_temporal() else _STORES[:1]
    asked = list(product(_KERNELS, stores))
    words = [(kernel, store == "non-temporal") for kernel, store in asked]
    cpus = pair.busy_cpus
    rates = pair.place(cpus, is_cut).streams(words, pair.array_bytes // len(cpus), runtime_s)
    return [
        MemoryStream(
            cpu_node=pair.cpu_node,
            memory_node=pair.memory_node,
            kernel=kernel,
            store=store,
            threads=len(cpus),
            array_bytes=pair.array_bytes,
            mb_per_s=middle,
            mb_per_s_max=best,
        )
        for (kernel, store), (middle, best) in zip(asked, rates, strict=True)
    ]


def _updates(pair: _Pair, runtime_s: float, is_cut: Callable[[], bool]) -> MemoryUpdates:
    cpus = pair.busy_cpus
    size = pair.array_bytes // len(cpus)
    rates = pair.place(cpus, is_cut).updates_per_s(size, runtime_s)
    return MemoryUpdates(
        cpu_node=pair.cpu_node,
        memory_node=pair.memory_node,
        threads=len(cpus),
        size_bytes=size,
        updates_per_s=sum(rates),
        slowest_per_s=min(rates),
        fastest_per_s=max(rates),
    )


def _chase(
    pair: _Pair, pages: PageKind, size: int, runtime_s: float, is_cut: Callable[[], bool]
) -> MemoryChase:
    place = pair.place(pair.cpus[-1:], is_cut, huge_bytes() if pages == "huge" else None)
    told = place.chase(size, runtime_s)
    return MemoryChase(
        cpu_node=pair.cpu_node,
        memory_node=pair.memory_node,
        pages=pages,
        size_bytes=size,
        latency_ns=told.latency_ns,
        huge_share=told.huge_share,
    )


def _load(pair: _Pair, runtime_s: float, is_cut: Callable[[], bool], found: _Found) -> None:
    at = pair.loaded
    if at is None:
        found.note("memory-load-none", memory_load.few_words(pair.cpu_node, pair.cpus))
        return
    chain = _working_sets(pair)[-1]
    arrays, threads = memory_load.sizes_of(pair.array_bytes, chain, len(at.load))
    cpus = at.load[:threads]
    told = pair.place((at.chase, *cpus), is_cut).under_load(
        chain, arrays // threads, memory_load.SHARES, runtime_s
    )
    rows = [
        MemoryLoad(
            cpu_node=pair.cpu_node,
            memory_node=pair.memory_node,
            share=one.share,
            mb_per_s=one.mb_per_s,
            latency_ns=one.latency_ns,
            size_bytes=chain,
            array_bytes=arrays,
            chase_cpu=at.chase,
            load_cpus=cpus,
            shares_core=at.shares_core,
        )
        for one in told
    ]
    streams = [one for one in found.streams if _nodes(one) == (pair.cpu_node, pair.memory_node)]
    chases = [one for one in found.chases if _nodes(one) == (pair.cpu_node, pair.memory_node)]
    found.loads.extend(rows)
    for note in memory_load.notes_of(at, rows, streams, chases):
        found.tell(note)


def _nodes(one: MemoryStream | MemoryChase) -> tuple[int, int]:
    return one.cpu_node, one.memory_node


def _note_huge(found: _Found) -> None:
    """Of the working set that had least of the huge pages that were asked for."""
    least = min(
        (one for one in found.chases if one.huge_share is not None),
        key=lambda one: (one.huge_share, -one.size_bytes),
        default=None,
    )
    if least is not None and least.huge_share is not None and least.huge_share < _HUGE_SHARE_MIN:
        found.note(
            "memory-huge-not-had",
            f"huge pages were asked for and not all had: of {format_bytes(least.size_bytes)} in memory of node {least.memory_node}"
            f" {format_share(least.huge_share)} were in huge pages, so that latencies in huge pages are partly those in small ones",
        )
