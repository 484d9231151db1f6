"""What the engine tells of a whole run; its rows tell of classes and windows. The engine writes it as JSON of these very names."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts import Fact, HostTime, Note, Outage


class Usage(Fact):
    """What the whole process used in the measured window (getrusage(2))."""

    user_s: float
    system_s: float
    voluntary_switches: int
    involuntary_switches: int


class Moved(Fact):
    """What moved from the first I/O to the last one, warm-up and ending too: what a counter outside this process sees."""

    reads: int
    read_bytes: int
    writes: int
    write_bytes: int


class IoError(Fact):
    """One I/O that failed; `errno` None: bytes ran out without an error."""

    io_class: str
    op: str
    offset: int
    errno: int | None
    message: str


class PathCounts(Fact):
    """What went over one address of a server in the measured window; latencies None: nothing did."""

    address: str
    requests: int
    bytes: int
    latency_us_p50: float | None
    latency_us_p99: float | None
    latency_us_max: float | None
    losses: int
    away_s: float


class Outcome(Fact):
    """All but the rows. What nobody counts is None."""

    runtime_s: float
    started_unix_ns: int
    first_io_unix_ns: int | None = None
    ended: Literal["in_time", "stopped", "gave_up", "errors", "ios_max"]
    usage: Usage
    host: HostTime | None
    threads_s: float
    workers_s: float | None
    processor_wait_share: float | None
    offered_ios: int
    completed_in_window_ios: int
    moved: Moved
    backlog_max: int | None
    outages: tuple[Outage, ...]
    paths: tuple[PathCounts, ...]
    notes: tuple[Note, ...]
    io_errors: tuple[IoError, ...]
