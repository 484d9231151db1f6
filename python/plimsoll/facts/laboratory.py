"""What a disk of the laboratory counted of itself, to hold a measurement against."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Text


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
