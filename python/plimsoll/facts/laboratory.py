"""What a disk of the laboratory counted of itself, to hold a measurement against."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Text


class DiskTimes(Fact):
    """A distribution of times in microseconds; None before the first request."""

    mean: float | None = None
    p50: float | None = None
    p99: float | None = None
    max: float | None = None


class DiskRequests(Fact):
    """Requests of one action and length."""

    action: Literal["read", "write"]
    bytes: int
    requests: int


class DiskCounters(Fact):
    """Counts since the disk was mounted."""

    reads: int
    writes: int
    flushes: int
    read_bytes: int
    write_bytes: int
    sizes: tuple[DiskRequests, ...] = ()
    """Reads and writes by length; of more than 1024 different ones the first."""
    busy_s: float
    """Time that servers worked, of all of them together."""
    in_flight: int
    in_flight_max: int
    latency_us: DiskTimes
    """From the arrival of a request at the disk to its end by the law; what a client sees is longer."""
    late_us: DiskTimes
    """From that end to the moment of the answer: how imprecise the disk was on this machine."""


class ServedDisk(Fact):
    """A disk of the laboratory that was served for a while."""

    path: Text
    size_bytes: int
    law: Text
    """As it was dialled."""
    seed: int
    served_s: float
    counters: DiskCounters
