"""How fast the memory of a host is: from the CPUs of each node to the memory of each."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Several, Text

StreamKernel = Literal["copy", "scale", "add", "triad"]
StoreKind = Literal["ordinary", "non-temporal"]
PageKind = Literal["small", "huge"]

LOADED_KERNEL: StreamKernel = "triad"
"""What loads memory while latency is taken under load."""
LOADED_STORE: StoreKind = "ordinary"
"""The kind of its stores."""
FULL_SHARE = 1.0
"""Of a load that is as much as threads can move."""

NOT_MEASURED = "memory-not-measured"
"""Code of a note on memory that was left out, or refused; the rest was measured."""

LOAD_UNSTEADY = "memory-load-unsteady"
"""Code of a note that latency under load contradicts itself, or what was measured without load."""


class MemoryStream(Fact):
    """Arrays gone through in order by a thread on each CPU of a node, all at the same time."""

    cpu_node: int
    """Node of the CPUs."""
    memory_node: int
    """Node of the memory."""
    kernel: StreamKernel
    """Copy: c = a; scale: b = s × c; add: c = a + b; triad: a = b + s × c."""
    store: StoreKind
    """An ordinary store fetches the line that it writes to; a non-temporal one goes past the caches."""
    threads: int
    """How many there were."""
    array_bytes: int | None = None
    """Each of the three arrays, of all threads together; None: as `array_bytes` of the whole."""
    mb_per_s: float
    """What all threads read and wrote together, by the median of each one's passes, in 10^6 bytes per second."""
    mb_per_s_max: float
    """The same by the best pass of each, as STREAM tells it."""


class MemoryChase(Fact):
    """Loads of which each waits for the one before, by one thread, through a working set in an order by chance."""

    cpu_node: int
    """Node of the CPU."""
    memory_node: int
    """Node of the memory."""
    pages: PageKind
    """Huge: transparent huge pages were asked for."""
    size_bytes: int
    """The working set."""
    latency_ns: float
    """How long a load took, the mean."""
    huge_share: float | None = None
    """What share of the memory was in huge pages afterwards; None: small ones were asked for, or the kernel does not tell."""


class MemoryUpdates(Fact):
    """Words updated at places by chance, one in a line, by a thread on each CPU of a node with memory of its own."""

    cpu_node: int
    """Node of the CPUs."""
    memory_node: int
    """Node of the memory."""
    threads: int
    """How many there were."""
    size_bytes: int
    """Memory of each thread."""
    updates_per_s: float
    """Of all threads together."""
    slowest_per_s: float
    """Of the thread that had least."""
    fastest_per_s: float
    """Of the thread that had most."""


class MemoryLoad(Fact):
    """How long a load takes on one CPU of a node while others of that node stream through memory by triad with ordinary stores."""

    cpu_node: int
    """Node of the CPUs."""
    memory_node: int
    """Node of the memory, both that is streamed through and that loads are from."""
    share: float
    """What share of the most that it can move each streaming thread was to move: 0 none, 1 all."""
    mb_per_s: float
    """What the streaming threads read and wrote together, in 10^6 bytes per second."""
    latency_ns: float
    """How long a load took of which each waits for the one before, in small pages; the median of blocks of 4,096."""
    size_bytes: int
    """The working set of these loads."""
    array_bytes: int
    """Each of the three arrays that were streamed through, of all threads together."""
    chase_cpu: int
    """The CPU whose loads were timed."""
    load_cpus: Several[int]
    """The CPUs that streamed."""
    shares_core: bool = False
    """Whether CPUs that streamed are SMT siblings of the one whose loads were timed: units and caches of the core were shared."""


class MemoryBench(Fact):
    """All that was measured."""

    array_bytes: int
    """Each of the three arrays of a stream, of all threads together."""
    cache_bytes: int | None
    """The last caches of a node together, as the kernel tells them; None: it does not."""
    bound: Text | None
    """Why arrays are smaller than four times that, which STREAM asks for; None: they are not."""
    streams: Several[MemoryStream] = ()
    """By nodes of CPUs and of memory; empty: it was interrupted before. What was refused or left out is in the run's notes."""
    chases: Several[MemoryChase] = ()
    """Of each working set within a node, and of the largest between nodes."""
    updates: Several[MemoryUpdates] = ()
    """By nodes of CPUs and of memory."""
    loads: Several[MemoryLoad] = ()
    """Latency under load, by nodes of CPUs and of memory, from no load to all; empty: no node has two CPUs, or it was cut short."""
