"""Everything that a report says about an interval, before any layout: totals and times in base units, nothing rounded.

Per-second figures, averages and shares are derived here, once, so that all sections of a report agree with each other as a real
one's do. Unknown is None.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Load:
    """What the database did in the interval, as totals."""

    redo_bytes: int
    logical_reads: int
    block_changes: int
    physical_reads: int
    physical_writes: int
    read_requests: int
    write_requests: int
    redo_requests: int
    user_calls: int
    parses: int
    hard_parses: int
    sorts: int
    workarea_bytes: int
    logons: int
    executes: int
    rollbacks: int
    transactions: int


@dataclass(frozen=True)
class Instance:
    """One instance of the database, with its own interval."""

    number: int
    name: str
    host: str
    startup: datetime
    begin: datetime
    end: datetime
    db_time_s: float
    db_cpu_s: float
    load: Load

    @property
    def elapsed_s(self) -> float:
        """Its interval's length."""
        return (self.end - self.begin).total_seconds()


@dataclass(frozen=True)
class Header:
    """Which database, host and interval the report is about."""

    db_name: str
    db_id: int
    unique_name: str
    role: str
    edition: str
    platform: str
    cpus: int | None
    cores: int | None
    sockets: int | None
    memory_bytes: int
    begin_snap: int
    end_snap: int
    sessions_begin: int
    sessions_end: int
    cursors_begin: float
    cursors_end: float
    rac: bool
    cdb: bool
    container: str
    block_bytes: int


@dataclass(frozen=True)
class Wait:
    """A wait event; `shares` are the percentages of its waits per bucket of the histogram, None for none."""

    event: str
    wait_class: str
    waits: int
    timeouts: int
    total_us: float
    background_waits: int
    background_us: float
    shares: tuple[float | None, ...]

    @property
    def avg_us(self) -> float | None:
        """Mean time of a foreground wait."""
        return self.total_us / self.waits if self.waits else None

    @property
    def background_avg_us(self) -> float | None:
        """Mean time of a background wait."""
        return self.background_us / self.background_waits if self.background_waits else None


@dataclass(frozen=True)
class Io:
    """Reads and writes of one function, file type or pair of both."""

    function: str
    filetype: str
    reads: int
    read_mib: float
    writes: int
    write_mib: float
    waits: int
    wait_us: float
    small_read_us: float | None
    large_read_us: float | None


@dataclass(frozen=True)
class FileIo:
    """Reads and writes of a data file; a tablespace's are the sums over its files."""

    tablespace: str
    filename: str
    reads: int
    blocks_read: int
    read_us: float
    single_reads: int
    single_read_us: float
    writes: int
    write_us: float
    buffer_waits: int
    buffer_wait_us: float


@dataclass(frozen=True)
class Segment:
    """A segment with its figure in each list that it appears in."""

    owner: str
    tablespace: str
    name: str
    subobject: str | None
    kind: str
    object_number: int
    data_object_number: int
    value: int


@dataclass(frozen=True)
class Sql:
    """A statement and what it cost."""

    sql_id: str
    old_hash: int
    module: str | None
    text: str
    elapsed_s: float
    cpu_s: float
    io_s: float
    cluster_s: float
    gets: int
    reads: int
    read_requests: int
    unoptimized: int
    executions: int
    rows: int
    parse_calls: int
    sharable_bytes: int
    versions: int


@dataclass(frozen=True)
class Statistic:
    """A statistic of the instance: its increase, or where absolute its values at both ends."""

    name: str
    total: int
    end: int | None = None
    absolute: bool = False


@dataclass(frozen=True)
class Pool:
    """A buffer pool."""

    name: str
    buffers: int
    hit_percent: float | None
    gets: int
    reads: int
    writes: int
    free_waits: int
    write_waits: int
    busy_waits: int


@dataclass(frozen=True)
class Advice:
    """One line of an advisory: a size, its factor to the present one, and estimates in the section's order."""

    pool: str
    size_mib: int
    factor: float
    estimates: tuple[float | None, ...]


@dataclass(frozen=True)
class PgaHistogram:
    """Executions of work areas between two sizes."""

    low: str
    low_bytes: float
    high: str
    high_bytes: float
    total: int
    one_pass: int
    multi_pass: int


@dataclass(frozen=True)
class Pga:
    """Memory of processes at both ends (target, auto target, allocated, used in MiB; bound in KiB), and what went through it."""

    hit_percent: float
    processed_mib: int
    extra_mib: int
    targets: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Enqueue:
    """A kind of enqueue."""

    short: str
    name: str
    requests: int
    successes: int
    failures: int
    waits: int
    wait_us: float


@dataclass(frozen=True)
class BufferWait:
    """Waits for one class of block."""

    block_class: str
    waits: int
    wait_us: float


@dataclass(frozen=True)
class Undo:
    """Ten minutes of undo."""

    end: datetime
    blocks: int
    transactions: int
    longest_query_s: int
    concurrency: int
    retention_min: int


@dataclass(frozen=True)
class Latch:
    """A latch."""

    name: str
    gets: int
    miss_percent: float | None
    sleeps_per_miss: float | None
    wait_s: int
    nowaits: int
    nowait_miss_percent: float | None


@dataclass(frozen=True)
class Cache:
    """A cache of the dictionary or a namespace of the library cache."""

    name: str
    gets: int
    miss_percent: float | None
    pins: int
    pin_miss_percent: float | None
    reloads: int
    invalidations: int
    usage: int


@dataclass(frozen=True)
class Component:
    """A part of the memory that grows and shrinks."""

    name: str
    begin_mib: float
    current_mib: float
    min_mib: float
    max_mib: float
    operations: int
    last: str


@dataclass(frozen=True)
class Parameter:
    """A setting of the instance."""

    name: str
    begin: str
    end: str | None


@dataclass(frozen=True)
class Finding:
    """A finding of ADDM."""

    name: str
    avg_sessions: float
    percent: float
    task: str


@dataclass(frozen=True)
class OsStatistic:
    """A figure of the operating system."""

    name: str
    value: int
    end: int | None


@dataclass(frozen=True)
class Host:
    """The processors: load at both ends, and percentages."""

    load_begin: float
    load_end: float
    user: float
    system: float
    idle: float
    io_wait: float


@dataclass(frozen=True)
class Interconnect:
    """What the instances sent each other."""

    blocks_received: int
    blocks_served: int
    messages_received: int
    messages_sent: int
    fusion_writes: int


@dataclass(frozen=True)
class Facts:
    """Everything that a report says."""

    header: Header
    instances: tuple[Instance, ...]
    efficiency: tuple[tuple[str, float], ...]
    waits: tuple[Wait, ...]
    time_model: tuple[tuple[str, float], ...]
    os: tuple[OsStatistic, ...]
    host: Host
    io: tuple[Io, ...]
    files: tuple[FileIo, ...]
    segments: tuple[Segment, ...]
    sql: tuple[Sql, ...]
    statistics: tuple[Statistic, ...]
    log_switches: int
    pools: tuple[Pool, ...]
    pool_advice: tuple[Advice, ...]
    pga: Pga
    pga_histogram: tuple[PgaHistogram, ...]
    pga_advice: tuple[Advice, ...]
    sga_advice: tuple[Advice, ...]
    shared_pool_advice: tuple[Advice, ...]
    checkpoint: tuple[int, ...]
    buffer_waits: tuple[BufferWait, ...]
    enqueues: tuple[Enqueue, ...]
    undo: tuple[Undo, ...]
    latches: tuple[Latch, ...]
    library: tuple[Cache, ...]
    dictionary: tuple[Cache, ...]
    interconnect: Interconnect
    components: tuple[Component, ...]
    parameters: tuple[Parameter, ...]
    findings: tuple[Finding, ...] = field(default_factory=tuple[Finding, ...])

    @property
    def first(self) -> Instance:
        """The instance that a report about one instance is about."""
        return self.instances[0]

    @property
    def load(self) -> Load:
        """What that instance did."""
        return self.first.load

    @property
    def elapsed_s(self) -> float:
        """How long that instance was watched."""
        return self.first.elapsed_s

    @property
    def db_time_s(self) -> float:
        """Its database time."""
        return self.first.db_time_s

    def per_second(self, total: float) -> float:
        """A total as a rate."""
        return total / self.elapsed_s

    def per_transaction(self, total: float) -> float:
        """A total per transaction; Oracle counts one where there was none."""
        return total / max(self.load.transactions, 1)

    def of_db_time(self, seconds: float) -> float:
        """Seconds as a percentage of the database time."""
        return seconds / self.db_time_s * 100 if self.db_time_s else 0.0
