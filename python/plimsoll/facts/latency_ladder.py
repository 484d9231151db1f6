"""How long one read takes from each rung of a host's memory and storage, from the nearest cache to a file server."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Several, Text
from plimsoll.facts.cell import Cell

RungKind = Literal["cache", "memory", "storage"]
RungState = Literal["measured", "absent", "not measured"]


class LatencyRung(Fact):
    """One rung: a cache, the memory of a node, or storage that was named."""

    name: Text
    """`L1 cache`, `memory of node 0`, or the name that the storage was given."""
    kind: RungKind
    """What it is."""
    state: RungState
    """Absent: this host has none; not measured: there may be one, and `reason` says why nothing is known of it."""
    reason: Text | None = None
    """Why there is no latency."""
    price_name: Text
    """Under which name a file of prices has it: `l1`, `dram`, or the name of the storage."""
    latency_ns: float | None = None
    """Mean time of one read that waits for the one before, in nanoseconds."""
    ratio_above: float | None = None
    """That over the latency of the nearest rung above that was measured; None: there is none."""
    ratio_first: float | None = None
    """That over the latency of the first rung that was measured, which is 1."""
    price_per_gb: float | None = None
    """Price of 10^9 bytes, in the currency of the ladder; None: the file of prices has none."""
    price_times_ratio: float | None = None
    """That price times `ratio_first`: of two rungs the one with less gives more for the money, for bytes that are read alike."""
    working_set_bytes: int | None = None
    """How many bytes were read from, at random; None: nothing was read."""
    cpu_node: int | None = None
    """Node of the CPU that read; None: its storage is not asked for from one node."""
    memory_node: int | None = None
    """Node of the memory; None: wherever the kernel took it, near to the CPU."""
    huge_share: float | None = None
    """What share of a working set in memory was in huge pages; None: they were not asked for, or the kernel does not tell."""
    cell: Cell | None = None
    """The measurement of storage: latencies whole, and what is said of it."""


class LatencyLadder(Fact):
    """All rungs: caches, memory, then storage, the fastest first; what was not measured is last of its kind of storage."""

    cpu: int | None
    """The CPU that read from caches and memory; None: none could."""
    block_bytes: int
    """Size of each read from storage; from caches and memory a read is of 8 bytes, each in another line."""
    currency: Text | None = None
    """Of the prices; None: no file of prices was given."""
    rungs: Several[LatencyRung] = ()
    """From the nearest to the farthest."""
