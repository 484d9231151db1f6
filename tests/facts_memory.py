"""A plausible host of two nodes whose memory was measured; or one that was interrupted before anything was."""

from __future__ import annotations

from itertools import product

from plimsoll.facts import MemoryBench, MemoryChase, MemoryLoad, MemoryStream, MemoryUpdates
from plimsoll.facts.memory_bench import StoreKind

_NODES = tuple(product((0, 1), (0, 1)))
_STORES: tuple[tuple[StoreKind, float], ...] = (("ordinary", 1.0), ("non-temporal", 1.25))


SHARES = (0.0, 0.5, 1.0)


def memory_bench(cut: bool = False) -> MemoryBench:
    """Memory of the other node is slower by a third."""
    return MemoryBench(
        array_bytes=1 << 30,
        cache_bytes=480 << 20,
        bound="four times the caches of 480 MiB would be more than a sixteenth of the free memory",
        streams=() if cut else tuple(_stream(*pair, *store) for pair in _NODES for store in _STORES),
        chases=() if cut else tuple(_chase(*pair, size) for pair in _NODES for size in (1 << 20, 1 << 30)),
        updates=() if cut else tuple(_updates(*pair) for pair in _NODES),
        loads=() if cut else tuple(_load(*pair, share) for pair in _NODES for share in SHARES),
    )


def _stream(home: int, node: int, store: StoreKind, factor: float) -> MemoryStream:
    rate = factor * (40_000.0 if home == node else 30_000.0)
    return MemoryStream(
        cpu_node=home,
        memory_node=node,
        kernel="triad",
        store=store,
        threads=6,
        mb_per_s=rate,
        mb_per_s_max=1.1 * rate,
    )


def _chase(home: int, node: int, size_bytes: int) -> MemoryChase:
    latency = 3.0 if size_bytes == 1 << 20 else 95.0 if home == node else 140.0
    return MemoryChase(
        cpu_node=home, memory_node=node, pages="small", size_bytes=size_bytes, latency_ns=latency
    )


def _updates(home: int, node: int) -> MemoryUpdates:
    return MemoryUpdates(
        cpu_node=home,
        memory_node=node,
        threads=6,
        size_bytes=(1 << 30) // 6,
        updates_per_s=2.4e8,
        slowest_per_s=3.9e7,
        fastest_per_s=4.1e7,
    )


def _load(home: int, node: int, share: float) -> MemoryLoad:
    """Twice as long at the most that five of the six CPUs move."""
    return MemoryLoad(
        cpu_node=home,
        memory_node=node,
        share=share,
        mb_per_s=share * (39_000.0 if home == node else 29_500.0),
        latency_ns=(95.0 if home == node else 140.0) * (1 + share**4),
        size_bytes=1 << 30,
        array_bytes=2 << 28,
        chase_cpu=6 * home + 5,
        load_cpus=tuple(range(6 * home, 6 * home + 5)),
    )
