"""What disks of the laboratory counted of themselves, to hold a measurement against, and tiers that are made of them."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Several, Text
from plimsoll.facts.placement import Tier


class DiskTimes(Fact):
    """A distribution of times in microseconds; None before the first request."""

    mean: float | None = None
    """Arithmetic mean."""
    p50: float | None = None
    """Median."""
    p99: float | None = None
    """99th percentile."""
    max: float | None = None
    """The longest."""


class DiskRequests(Fact):
    """Requests of one action and length."""

    action: Literal["read", "write"]
    """What was asked."""
    bytes: int
    """Length of each."""
    requests: int
    """How many."""


class MirrorSide(Fact):
    """What a side of a mirror did; a write counts on both sides."""

    reads: int
    """Reads that went there."""
    writes: int
    """Writes that were asked of the mirror."""
    flushes: int
    """Flushes that were asked of the mirror."""
    read_bytes: int
    write_bytes: int
    busy_s: float
    """Time that its servers worked, all of them together."""
    latency_us: DiskTimes
    """From the arrival of a request to its end on this side."""


class DiskCounters(Fact):
    """Counts since the disk was mounted."""

    reads: int
    """Reads that were asked of it."""
    writes: int
    """Writes that were asked of it."""
    flushes: int
    """Flushes that were asked of it."""
    read_bytes: int
    write_bytes: int
    sizes: tuple[DiskRequests, ...] = ()
    """Reads and writes by length; of more than 1024 different ones the first."""
    busy_s: float
    """Time that servers worked, of all of them together."""
    in_flight: int
    """Requests at work or waiting at the moment."""
    in_flight_max: int
    """The most at any moment."""
    latency_us: DiskTimes
    """From the arrival of a request at the disk to its end by the law; what a client sees is longer."""
    late_us: DiskTimes
    """From that end to the moment of the answer: how imprecise the disk was on this machine."""
    sides: tuple[MirrorSide, ...] = ()
    """Of a mirror its two sides, in the order of their laws; of a disk none."""


class ServedDisk(Fact):
    """A disk of the laboratory that was served for a while."""

    path: Text
    """The file that was the disk."""
    size_bytes: int
    law: Text
    """As it was dialled."""
    mirror_law: Text | None = None
    """Of the second side of a mirror; None: it was one disk."""
    mirror_read: Literal["first", "second", "alternate"] | None = None
    """Which side answered reads."""
    seed: int
    """Of the law's random choices."""
    served_s: float
    """How long, in seconds."""
    counters: DiskCounters
    """What it counted."""


class DeviceCap(Fact):
    """What is let through to a device at most; a cap adds no latency to what it lets through."""

    iops: float | None = None
    """Reads per second, and as many writes; None: as many as are asked."""
    mb_per_s: float | None = None
    """10^6 bytes read per second, and as many written; None: as many as are asked."""


class DeviceTraffic(Fact):
    """What the kernel counted at a block device meanwhile."""

    reads: int
    writes: int
    read_bytes: int
    write_bytes: int


class ServedTier(Fact):
    """A tier of the laboratory: a disk of dialled speed, or one in memory, with a file system and a tablespace on it."""

    tier: Tier
    """As Plimsoll measured it before the database was there."""
    tablespace: Text
    """The tablespace on it, by name."""
    folder: Text
    """Where its file system is mounted."""
    mount_options: Text
    """Of the file system."""
    size_bytes: int
    """Of the disk."""
    law: Text | None = None
    """As it was dialled; None: it is as fast as memory, but for its cap."""
    cap: DeviceCap | None = None
    """What the database may ask of it; None: there is none."""
    counters: DiskCounters | None = None
    """What the disk counted until the end; None: it did not say, or has no law."""
    at_device: DeviceTraffic | None = None
    """What reached its loop device while it was served; None: the kernel does not say."""


class ServedTiers(Fact):
    """Tiers of the laboratory with a database on them, which were served for a while."""

    url: Text
    """Of the database. Its password is in a file that the URL names."""
    tiers_file: Text
    """What describes the tiers, as `plimsoll place --tiers` reads it."""
    tiers: Several[ServedTier]
    """Slowest first."""
    by: Literal["law", "throttle"] = "law"
    """What made them slow."""
    buffered_bytes: int | None = None
    """The server read through the page cache, and its processes, their memory and these pages were bound to so much; None: it read
    past the page cache."""
    page_cache_bytes: int | None = None
    """Of the bound, what pages of files held at the end; None: there is none, or it is not known."""
    seed: int
    """Of the laws' random choices."""
    served_s: float
    """How long, in seconds, once all was ready."""
