"""What a database asked of storage in an interval: rates, sizes and latencies by class."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import AfterValidator

from plimsoll.facts._fact import Fact, Note, Several, Text
from plimsoll.facts.server_rows import ServerRows
from plimsoll.facts.snapshot import IoCounters, RelationCounters

DemandClassName = Literal[
    "small_read", "large_read", "small_write", "large_write", "redo_write", "temp_read", "temp_write"
]
T = TypeVar("T")


def _in_order(classes: dict[str, T]) -> dict[str, T]:
    return {name: classes[name] for name in get_args(DemandClassName) if name in classes}


ByClass = Annotated[dict[DemandClassName, T], AfterValidator(_in_order)]
"""One of each class, in the order of the names, in whatever order they came."""


class ClassDemand(Fact):
    """One class's demand. `syncs_per_s` is for redo: how often the log was forced to stable storage.

    With `is_forced` each write is itself forced, and its own time lasts until it is on stable storage; without it the time of a
    sync comes after that of a write.
    """

    ops_per_s: float | None
    """I/Os per second; None where they are not counted."""
    bytes_per_s: float | None
    latency_us_mean: float | None = None
    """Mean latency by the server's own timing, in microseconds; None where it does not time them."""
    syncs_per_s: float | None = None
    """Of redo: how often per second the log was forced to stable storage."""
    sync_latency_us_mean: float | None = None
    """Of redo: how long forcing it took on average, in microseconds."""
    is_forced: bool = False
    """Of redo: whether each write is itself forced to stable storage."""
    source: str
    """The counters that it came from."""

    @property
    def mean_bytes(self) -> float | None:
        """Bytes of the average I/O of this class; None when nothing was asked or it is unknown."""
        if not self.ops_per_s or self.bytes_per_s is None:
            return None
        return self.bytes_per_s / self.ops_per_s


class BeneathServer(Fact):
    """What reached the storage of a server on this machine in an interval, by the kernel. Unknown is None.

    The devices' figures are of the whole machine; `process_read_mb_per_s` is what was fetched for the server's own processes.
    """

    devices: tuple[str, ...] = ()
    reads_per_s: float | None = None
    """Reads per second at the devices."""
    read_mb_per_s: float | None = None
    """Megabytes (10^6 bytes) read per second at the devices."""
    writes_per_s: float | None = None
    """Writes per second at the devices."""
    write_mb_per_s: float | None = None
    """Megabytes (10^6 bytes) written per second at the devices."""
    process_read_mb_per_s: float | None = None
    """Megabytes (10^6 bytes) per second that were fetched from storage for the server's own processes."""
    process_cpus: float | None = None
    """CPUs that the server's own processes used on average, by the kernel's scheduler."""
    process_cpus_waited: float | None = None
    """How many of its processes were ready to run and waited for a CPU, on average."""
    limit_exceeded_share: float | None = None
    """Of the time: more was asked than the volume, or the cloud's instance, may give, by the volume's own count (Amazon EBS)."""


class DemandInterval(Fact):
    """Demand between two snapshots. With a `gap` (restart, counters reset) nothing is known, and `classes` is empty."""

    begin_time: datetime
    """When its first snapshot was taken, by the server's clock."""
    end_time: datetime
    """When its second snapshot was taken, by the server's clock."""
    duration_s: float
    """Its length in seconds."""
    classes: ByClass[ClassDemand]
    """What each class of I/O asked for."""
    iops: float | None
    """I/Os per second of all classes whose rate is known; None in a gap."""
    mb_per_s: float | None
    """Megabytes (10^6 bytes) per second of all classes whose bytes are known; None in a gap."""
    commits_per_s: float | None = None
    cache_hits_per_s: float | None = None
    """Blocks per second that were found in the server's own cache."""
    gap: Text | None = None
    """Why nothing is known of it; None: there is no gap."""
    doubt: Text | None = None
    """Why some of this I/O may have been done before the interval in which it shows."""
    late_s_max: float = 0.0
    """With a doubt: how far back that I/O may reach. At least `duration_s / (duration_s + late_s_max)` of the rate is sure."""
    sessions_active: float | None = None
    """Clients at work at the moment of the second snapshot."""
    sessions_waiting: float | None = None
    """Those of them that waited for I/O."""
    sessions_at_work: dict[str, float] | None = None
    """Clients and their parallel workers at work at that moment, by what they waited for; `cpu`: for nothing. None: not known."""
    stalled_share: float | None = None
    """Of the time: no task of the server's host could go on because of I/O (PSI, `full`). None where the server is elsewhere."""
    beneath: BeneathServer | None = None
    """What the kernel saw of it beneath the system's cache; None where the server is elsewhere."""


class Database(Fact):
    """Which database, and the settings that decide how its I/O looks. `location` never holds a password."""

    kind: str
    """Which database software."""
    version: str
    """Its version, as it says it."""
    version_number: int
    """The same as one number, in the software's own way of counting."""
    location: str
    """Where it is: user, host, port and database."""
    name: str
    """The database's name."""
    system_identifier: str | None = None
    block_bytes: int | None = None
    """Size of its blocks, in bytes."""
    direct_io: bool | None = None
    """True when data files bypass the operating system's cache, so that each read counted is a read of the device."""
    io_timing: bool | None = None
    """Whether the server times its I/Os; None where it is not known."""
    settings: dict[str, str] = {}
    """Its settings that decide how its I/O looks, by name."""
    settings_defaults: dict[str, str] | None = None
    """Of those of them that somebody set otherwise: what they would be unless set. None: which were set is not known."""


class HeldBack(Fact):
    """Whether the database would have asked more of a faster storage, so that its demand is a lower bound. None: not known."""

    is_held_back: bool | None
    """None: it is not known."""
    reason: Text
    """A clause: the evidence, that there is none, or why it is not known."""


class Demand(Fact):
    """Demand over a span of time. `mean` is the whole span as one interval.

    `peak` is the busiest interval; one in doubt counts for the part of it that is sure.
    """

    database: Database
    resolution_s: float
    """Usual length of an interval, in seconds: shorter bursts are not seen."""
    intervals: Several[DemandInterval]
    """In the order of time."""
    peak: DemandInterval | None
    """None where no interval is known."""
    mean: DemandInterval | None
    """None where no interval is known."""
    burst_factor: float | None = None
    """Given by the user where intervals are too long to show bursts: true peak divided by the busiest interval."""
    held_back: HeldBack | None = None
    """Whether a faster storage would have been asked for more."""
    cached_read_share: float | None = None
    """Of the bytes that the server read: what the operating system's cache answered. None where that is not known."""
    counts: dict[str, float] = {}
    """What the server counted in all known intervals, by `view.column`; empty where it was not kept. What it did not count in one
    of them, times that it did not take there among it, is not in it."""
    io: Several[IoCounters] = ()
    """The same of its I/O by who, on what and why (pg_stat_io). Empty where it does not count that (before 16), or where the span
    holds two releases, which count differently."""
    relations: Several[RelationCounters] = ()
    """What tables of the connected database gained over the whole span, most blocks read first; empty when not asked for."""
    rows: ServerRows | None = None
    """What was kept row by row beside the snapshots that it is made of. None: nothing was."""
    notes: Several[Note] = ()

    @property
    def is_lower_bound(self) -> bool:
        """Whether the true demand may be higher: storage held it back, or requests were counted in part or not at all."""
        held_back = self.held_back is not None and bool(self.held_back.is_held_back)
        in_part = any(note.code == LOWER_BOUND for note in self.notes)
        classes = () if self.peak is None else self.peak.classes.values()
        return held_back or in_part or any(one.ops_per_s is None for one in classes)


LOWER_BOUND = "lower-bound"
"""Code of the note on a demand whose requests were counted in part only."""
LOCAL_TIMES = "local-times"
"""Code of the note on a demand whose times are those of a clock of which no zone is known."""
SEVERAL = "several"
"""The kind of `Database` that stands for several together."""
CONTAINER_MARK = "/"
"""Between the name of an Oracle database and that of the pluggable one in it."""
CONTAINER_ROOT = "CDB$ROOT"
"""What that one is called where it is none, but the container of all."""
