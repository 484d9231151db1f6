"""How a host is built: its NUMA nodes, cores, CPUs and caches, how far they are apart, and where its devices are.

A CPU is what the kernel numbers: a core has several where it runs several threads. What was not told is None, never 0 and never
guessed; what contradicts itself, or could not be read, is a problem by name.
"""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Said, Several, Text

TopologyOrigin = Literal["running system", "recorded tree", "archive", "numactl"]
CacheKind = Literal["data", "instruction", "unified"]
DeviceKind = Literal["disk", "network card"]


class NodeHugePages(Fact):
    """Huge pages of one size that are set aside on a node."""

    page_bytes: int
    """Size of a page in bytes."""
    pages: int | None
    """How many there are."""
    free_pages: int | None
    """How many of them nobody holds."""


class TopologyNode(Fact):
    """A NUMA node: memory, and the CPUs that are nearest to it. A node may have only one of the two."""

    id: int
    """The kernel's number; numbers may leave gaps."""
    also_ids: tuple[int, ...] = ()
    """Other numbers under which the kernel lists the same CPUs: their memory is in `memory_bytes`."""
    cpus: tuple[int, ...]
    """CPUs of the node that are online, by the kernel's numbers; empty: it has none."""
    memory_bytes: int | None
    """Memory in bytes; 0: it has none."""
    free_bytes: int | None
    """How much of it nobody held when it was read."""
    huge_pages: Several[NodeHugePages] = ()
    """By size, the smallest first."""
    tier: int | None = None
    """Which tier of memory it is, 1 the fastest; None: nothing tells tiers apart."""
    is_gpu: bool = False
    """Whether its memory is that of a graphics card, which no database should be given."""
    near_nodes: tuple[int, ...] = ()
    """Of memory without CPUs: the nodes whose CPUs reach it fastest."""
    read_mb_per_s: float | None = None
    """What the firmware says that its memory gives to the nearest CPUs, in 10^6 bytes per second."""
    read_latency_ns: float | None = None
    """How long a read takes from there, by the firmware."""
    side_cache_bytes: int | None = None
    """A cache in front of its memory, such as DRAM before persistent memory; None: none is told of."""
    allowed: bool | None = None
    """Whether the group of processes that read this may take memory of it; None: not known."""


class TopologyCore(Fact):
    """A core: CPUs that share its units, and that belong into one slice."""

    package: int | None
    """Number of the package (socket)."""
    core: int | None
    """The kernel's number of it, which may come again in another package."""
    node: int | None
    """The node that it belongs to."""
    cpus: tuple[int, ...]
    """Its CPUs that are online."""
    kind: int = 1
    """Among unlike cores which kind it is, 1 the strongest; all are 1 where they are alike, or nothing tells them apart."""
    capacity: int | None = None
    """The kernel's measure of its strength, 1,024 that of the strongest."""
    mhz_max: float | None = None
    """The highest clock that it may have for a while."""


class TopologyCpu(Fact):
    """A CPU by the kernel's number."""

    id: int
    """The kernel's number."""
    online: bool
    """Whether work runs on it."""
    package: int | None = None
    """Number of the package (socket)."""
    core: int | None = None
    """Its core, as a place in `cores` counted from 0."""
    node: int | None = None
    """The node that it belongs to; where several claim it, the one of the fewest CPUs."""
    allowed: bool | None = None
    """Whether the group of processes that read this may run on it; None: not known."""


class TopologyCache(Fact):
    """A cache, and the CPUs that share it."""

    level: int
    """1 is the nearest to a core."""
    kind: CacheKind
    """What it holds."""
    size_bytes: int | None
    """As the kernel tells it; in a virtual machine this may be the host's."""
    line_bytes: int | None = None
    """Bytes that are fetched at a time."""
    cpus: tuple[int, ...]
    """Its domain: CPUs that share it, those that are online."""


class TopologyDevice(Fact):
    """A disk or a network card, and where it is."""

    name: Text
    """The kernel's name, which may be another one after a boot."""
    kind: DeviceKind
    """What it is."""
    address: Text | None = None
    """Its place on the PCI bus, or that of the adapter that it hangs on; None: it is on none."""
    node: int | None = None
    """The node that it is near to; None: not told."""


class TopologyAllowed(Fact):
    """What the group of processes that read this may use."""

    cpus: tuple[int, ...]
    nodes: tuple[int, ...]
    """Nodes that it may take memory of."""
    group: Text
    """The control group, as the kernel names it."""
    source: Text
    """The file that says so."""


class TopologyProblem(Fact):
    """Something that could not be read, or contradicts itself; the rest was read."""

    code: str
    """Stable, for programs."""
    path: Text
    """The file or folder, within what was read."""
    message: Said
    """A sentence without its full stop."""


class Topology(Fact):
    """How a host is built."""

    origin: TopologyOrigin
    """What it was read of."""
    source: Text
    """Its name."""
    nodes: Several[TopologyNode]
    """By number."""
    cores: Several[TopologyCore]
    """By package and their first CPU; empty: cores are not told."""
    cpus: Several[TopologyCpu]
    """By number, those that are offline among them."""
    caches: Several[TopologyCache]
    """By level and their first CPU."""
    distances: Several[tuple[int | None, ...]]
    """How far memory is: a row for each of `nodes`, from whose CPUs, a column for each, to whose memory; 10 is a node's own."""
    devices: Several[TopologyDevice]
    """Disks and network cards, by name."""
    allowed: TopologyAllowed | None = None
    """What the group of processes that read this may use; None: not known."""
    is_one_node_meant: bool = False
    """Whether the kernel lists no nodes, so that the host is one."""
    problems: Several[TopologyProblem] = ()
    """What could not be read, or contradicts itself."""
