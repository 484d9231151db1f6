"""A host that is divided among databases: which cores and how much memory of which nodes each is given, and how good that is.

Costs are distances above that of a node's own memory, which is 10 (see `Topology.distances`): 0 is a slice that has everything on
one node, near to its devices, in as few cache domains as it takes, and shares none. What was not told is None, never 0.
"""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Said, Several, Text
from plimsoll.facts.topology import DeviceKind

SlicePurpose = Literal["database", "housekeeping", "log writers"]
SliceDatabase = Literal["postgresql", "oracle"]
SlicesAnswer = Literal["planned", "refused", "not known"]


class SliceMemory(Fact):
    """What a slice is given of the memory of a node."""

    node: int
    """The node's number."""
    memory_bytes: int
    """Memory in bytes, huge pages among it."""
    huge_pages: int | None = None
    """How many huge pages to set aside on the node; None: none were asked for."""


class SliceDevice(Fact):
    """A device that a slice reads and writes."""

    name: Text
    """As the host calls it, which may be another one after a boot."""
    kind: DeviceKind = "disk"
    """What it is."""
    stable: Text | None = None
    """A name in `/dev/disk` that stays with it; None: none is known, as of a host that is elsewhere, or of a network card."""
    node: int | None
    """The node that it is near to; None: not told."""
    distance: int | None
    """From the node that the slice is centred on; None: not known."""


class HostSlice(Fact):
    """What one database, or what works for all of them, is given of a host."""

    name: Text
    """Its name; a control group can be called like it."""
    purpose: SlicePurpose = "database"
    """A database, what the host itself does, or the log writers of all databases."""
    is_by_hand: bool = False
    """Whether its CPUs and nodes were given, and not planned."""
    priority: int = 1
    """How many times its cost counts."""
    home: int
    """The node that it is centred on: what it has elsewhere costs the distance from there."""
    cores: int
    """How many cores it has."""
    cpus: tuple[int, ...]
    """Their CPUs, by the kernel's numbers."""
    memory: Several[SliceMemory] = ()
    """By node."""
    huge_page_bytes: int | None = None
    """Size of its huge pages in bytes; None: it asks for none."""
    database: SliceDatabase | None = None
    """Which database it is; None: not stated."""
    service: Text | None = None
    """The systemd unit that runs it; None: not stated."""
    account: Text | None = None
    """The account of the host that runs it; None: not stated."""
    listener: Text | None = None
    """Oracle's listener that starts its servers; None: not stated."""
    devices: Several[SliceDevice] = ()
    """Disks and network cards that it works with."""
    iops: float | None = None
    """I/Os per second that it asks for; None: not stated."""
    mb_per_s: float | None = None
    """What it reads and writes, in 10^6 bytes per second; None: not stated."""
    redo_mb_per_s: float | None = None
    """What its log writer writes; None: not stated."""
    domains: int
    """In how many cache domains its cores are; where caches are not told, a node counts as one."""
    shared_domains: int = 0
    """In how many of them others have cores too."""
    distance_mean: float | None = None
    """From its CPUs to its memory, over all of both; 10 is a node's own. None: it has no memory, or distances are not told."""
    cost: float
    """What it costs, before its priority."""


class SliceDisk(Fact):
    """What a disk gives, as it was measured and written down: the kernel shares it by them, where it is told to."""

    name: Text
    """As the host calls it, which may be another one after a boot."""
    stable: Text | None = None
    """A name in `/dev/disk` that stays with it; None: none is known."""
    read_iops: float
    """Reads of 4 KiB per second at random places."""
    sequential_read_iops: float
    """Reads of 4 KiB per second in sequence."""
    read_mb_per_s: float
    """Large reads in sequence, in 10^6 bytes per second."""
    write_iops: float
    """Writes of 4 KiB per second at random places."""
    sequential_write_iops: float
    """Writes of 4 KiB per second in sequence."""
    write_mb_per_s: float
    """Large writes in sequence, in 10^6 bytes per second."""
    rate_share: float = 1.0
    """Share of these rates that the kernel is told, above 0 up to 1: control groups together are held to 95 % of that."""
    io_bytes_max: int | None = None
    """What the kernel sends it in one piece, at most (`max_sectors_kb`); None: it is not known."""


class SliceFinding(Fact):
    """What is wrong with a slice: with one given by hand, or memory that is too little for any database."""

    code: str
    """Stable, for programs."""
    slice: Text
    """Its name."""
    message: Said
    """A sentence without its full stop."""


class SliceChange(Fact):
    """How much less a slice would have to ask for."""

    slice: Text
    """Its name."""
    cores: int = 0
    """So many cores fewer."""
    memory_bytes: int = 0
    """So many bytes less."""


class SlicePlan(Fact):
    """The best division of a host among slices, or why there is none."""

    answer: SlicesAnswer
    """Whether there is a plan; not known: the search ended before it had one, or the host does not tell enough."""
    reason: Said
    """The plan in a sentence, or the constraint that stands against it; without a full stop."""
    slices: Several[HostSlice] = ()
    """In the order of the file, then what is set aside; empty: there is no plan."""
    cost: float | None = None
    """Of all slices, each times its priority, and of cache domains that several share; None: there is no plan."""
    cost_min: float | None = None
    """No plan costs less, as was proved: equal to `cost` where it is the best there is; None: there is no plan."""
    has_second: bool | None = None
    """Whether another plan centres a database that is planned on another node; None: not known, or nothing is planned."""
    cost_second: float | None = None
    """What the best such plan costs; None: there is none, or none is known."""
    cost_second_min: float | None = None
    """No such plan costs less, as was proved; None: there is none, or none is known."""
    changes: Several[SliceChange] = ()
    """Without a plan: a change with which all slices fit; empty: none is known, or there is a plan."""
    changes_least: bool | None = None
    """Whether it is proved that no smaller change would do; None: none is named."""
    disks: Several[SliceDisk] = ()
    """What disks give, as far as it was stated."""
    findings: Several[SliceFinding] = ()
    """What is wrong with slices given by hand, and those whose memory is too little for any database."""
    free_cpus: tuple[int, ...] = ()
    """CPUs of whole cores that nobody was given."""
    split_cpus: tuple[int, ...] = ()
    """CPUs that nobody was given because a slice by hand has a part of their core."""
    memory_free_share: float
    """Share of the memory of each node that is given to nobody."""
    assumptions: Several[Said] = ()
    """What was assumed where the host does not tell, each a sentence without its full stop."""
