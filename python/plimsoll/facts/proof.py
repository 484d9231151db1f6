"""A proof: a run of a real database, with what its sessions counted and what the server counted beside each other.

Instants are the server's own clock. Rates are those of the window, warm-up left out. None means unknown, never 0.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from plimsoll.facts._fact import Fact, Note, Said, Text
from plimsoll.facts.demand import Database
from plimsoll.facts.latency import LatencyUs

ProofWorkload = Literal["slob", "order_entry", "tpch"]


class ProofWindow(Fact):
    """The time that counts. `start` is when the window opened, `end` when the last session that ran in it was done."""

    start: datetime
    end: datetime
    duration_s: float
    excluded_warm_up_s: float


class ProofSession(Fact):
    """One session's part in the window: when the first operation that counts began and when the last one ended."""

    name: str
    start: datetime | None
    end: datetime | None
    operations: int
    whole: bool
    """It ran through the whole window; a session that did not fails the run."""
    reason: Text = ""
    """Why it did not."""
    acknowledged: int | None = None
    """With a ledger: the transactions that the server had told it to be committed, warm-up included."""
    acknowledged_orders: int | None = None
    """The new orders among them."""


class OperationResult(Fact):
    """One kind of operation over the window: `select`, `update`, `scan`, `commit`, or a transaction by its name."""

    name: str
    operations: int
    operations_per_s: float
    blocks: int | None = None
    """Blocks, or rows where each lies in a block of its own, that they touched by the sessions' own count."""
    failed: int = 0
    """Ended by the server or rolled back as the workload wants it; they are not among `operations`."""
    latency_us: LatencyUs


class OperationSlice(Fact):
    """One kind of operation in a slice of the window. `start_s` counts from the window's start."""

    operation: str
    start_s: float
    duration_s: float
    operations: int
    latency_us_p50: float | None = None
    latency_us_p99: float | None = None
    latency_us_p999: float | None = None
    latency_us_max: float | None = None


class Agreement(Fact):
    """Two independent counts of the same thing: what the sessions say and what the server says."""

    what: str
    """`blocks read by key`, `rows updated`, `commits` …"""
    sessions_count: float
    server_count: float | None
    difference_share: float | None
    """(server - sessions) / sessions."""
    limit_share: float
    slack: float | None = None
    """How many more the server may have counted of its own, beyond that share; None where it has none of its own."""
    holds: bool | None
    """None where the server does not count it."""
    reason: Text


class BlockOrigin(Fact):
    """Where the blocks came from that were asked for, in blocks per second."""

    buffer_hits_per_s: float | None
    system_cache_per_s: float | None
    device_per_s: float | None
    device_by_counter_per_s: float | None = None
    """Reads of the database's device by the kernel's count (/proc/diskstats), by anyone."""
    device: str | None = None
    reason: Text
    """How it is known, or why it is not."""


class CommitParts(Fact):
    """What a commit waited for, in microseconds per commit, by the server's own counters."""

    commits: int
    latency_us_mean: float
    """As the sessions timed it."""
    log_writes: float | None
    log_write_us: float | None
    log_syncs: float | None
    log_sync_us: float | None
    log_segment_us: float | None = None
    """Making new segments of the log, which the session that needs one does itself; None where it is not told apart."""
    rest_us: float | None
    """Latency less all of that: processor time, locks, waiting for another session's write."""
    parts_share: float | None
    """What is known / latency; above 1 where writes that no commit waited for are in the counters."""


class HostSecond(Fact):
    """What the machine did in about a second. Shares are of all processors (proc_stat(5)); pressures of the time (PSI, `some`)."""

    start_s: float
    duration_s: float
    user_share: float
    system_share: float
    iowait_share: float
    steal_share: float
    idle_share: float
    runnable: int | None = None
    """Tasks that ran or wanted to at that moment."""
    cpu_pressure_share: float | None = None
    io_pressure_share: float | None = None
    memory_pressure_share: float | None = None


class DeviceSecond(Fact):
    """What one block device did in about a second (/proc/diskstats; kernel's iostats.rst)."""

    device: str
    start_s: float
    duration_s: float
    reads_per_s: float
    writes_per_s: float
    flushes_per_s: float | None = None
    read_mb_per_s: float
    write_mb_per_s: float
    read_await_us: float | None = None
    write_await_us: float | None = None
    queue_mean: float
    busy_share: float


class QueryResult(Fact):
    """One query of a power or throughput run. `stream` 0 is the power run, `repeat` which of several.

    Counts are of a power run alone, where nothing else runs beside the query: those of the server over the whole database, those
    of the device beneath its data by the kernel. None where they are not known.
    """

    query: int
    stream: int
    repeat: int = 1
    elapsed_s: float | None
    rows: int | None
    answer: Literal["right", "wrong", "unknown", "failed"]
    reason: Text = ""
    plan: Text | None = None
    block_reads: int | None = None
    """Blocks that were not in the server's own cache."""
    block_hits: int | None = None
    read_bytes: int | None = None
    """Those blocks in bytes."""
    read_s: float | None = None
    """Waiting for them, summed over processes; None where the server does not time it (track_io_timing)."""
    temp_bytes: int | None = None
    """Written to temporary files."""
    device: Text = ""
    """The block device beneath the data; empty where it is not known."""
    device_reads: int | None = None
    device_read_bytes: int | None = None
    device_write_bytes: int | None = None


class Condition(Fact):
    """A condition that the data must fulfil after a run, whatever happened in it."""

    name: str
    help: str
    holds: bool | None
    reason: Text


class SweepPoint(Fact):
    """The throughput at one number of sessions; `ci95` from the seconds of the window."""

    sessions: int
    operations_per_s: float
    ci95: tuple[float, float] | None = None
    latency_us_p99: float | None = None
    processors_busy_share: float | None = None
    """Of all processors of the server's machine, over the window; None where that machine is another."""
    run: str | None = None
    """Id of the run that holds this proof in full."""


class Scalability(Fact):
    """Gunther's Universal Scalability Law, X(N) = aN / (1 + s(N-1) + kN(N-1)), fitted to the sweep."""

    per_session: float
    """a: operations per second of one session alone."""
    contention: float
    """s: the share that waits for one another."""
    contention_ci95: tuple[float, float] | None = None
    coherency: float
    """k: what keeping in step costs each pair."""
    coherency_ci95: tuple[float, float] | None = None
    peak_sessions: float | None
    """sqrt((1-s)/k), where that lies within the sessions that were measured; None elsewhere, and where nothing bends the curve."""
    r2: float | None


class Sweep(Fact):
    """Proofs with more and more sessions. `knee_sessions` is where one more doubling no longer brings a fifth."""

    points: tuple[SweepPoint, ...]
    knee_sessions: int | None
    reason: Text
    scalability: Scalability | None = None
    settings: dict[str, str] | None = None
    """What all its proofs have in common: the database, the workload and its parameters; None where that was not kept."""


class Prediction(Fact):
    """The storage's line at the proof's own mix beside what the database then did."""

    target: Text
    slo: str
    line_iops: float | None
    """Predicted: I/Os per second of that mix that the storage supplies within the objective."""
    proved_iops: float | None
    """I/Os per second that the database did."""
    error_share: float | None
    """(predicted - proved) / proved."""
    limited_by: Literal["storage", "database", "unknown"]
    reason: Text


class ProofStart(Fact):
    """In which state a drive found the server, and what of it reached into the window."""

    checkpoint: bool
    """A checkpoint had ended when all sessions were ready, before the warm-up."""
    log_switch: bool | None
    """A new segment or file of the log was begun; None where this server has none to switch."""
    reason: Said
    """What was done, and what not and why."""
    checkpoints: float | None = None
    """That the server made in the window, by its own count."""
    full_page_images: float | None = None
    """Whole pages that it wrote into the log in the window, each at its first change after a checkpoint."""


class LogLine(Fact):
    """One entry of the server's log. `severity` is the server's own, in words that all databases share."""

    severity: Literal["panic", "fatal", "error", "warning"]
    grave: bool = False
    """The server crashed, or found its data damaged: no figure beside it is to be believed."""
    at: Text = ""
    """When, as the server wrote it."""
    message: Said


class ServerLog(Fact):
    """What the server's log says from when the sessions were ready to the run's end. Counts are None where it cannot be read."""

    source: Text
    """Which log; empty for none."""
    panics: int | None = None
    fatals: int | None = None
    errors: int | None = None
    warnings: int | None = None
    graves: int | None = None
    """Of all those, how many say that the server crashed or found its data damaged."""
    entries: tuple[LogLine, ...] = ()
    """The worst and first of them; never more than a few."""
    reason: Said
    """How it was read, or why it could not be."""


class Proof(Fact):
    """What driving a real database gave."""

    workload: ProofWorkload
    database: Database
    settings: dict[str, str]
    """The workload's parameters as they were in force."""
    holds: bool
    """It may be believed: sessions ran through the window, counts agree, conditions hold, answers are right."""
    doubts: tuple[str, ...] = ()
    """Why it may not."""
    window: ProofWindow | None = None
    operations_per_s: float | None = None
    logical_reads_per_s: float | None = None
    """Blocks asked for per second, by the server's counters: found in its cache or not."""
    physical_reads_per_s: float | None = None
    """Blocks per second that the server read from outside its own cache."""
    cache_hits_per_s: float | None = None
    redo_mb_per_s: float | None = None
    operations: tuple[OperationResult, ...] = ()
    sessions: tuple[ProofSession, ...] = ()
    slices: tuple[OperationSlice, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    origin: BlockOrigin | None = None
    commit: CommitParts | None = None
    lateness_us_max: float | None = None
    """With a rate: how late a session itself began an operation although it was idle when that was due."""
    start: ProofStart | None = None
    server_settings: dict[str, str] | None = None
    """The server's settings that are not its defaults, without passwords; None where they could not be read."""
    server_log: ServerLog | None = None
    host_seconds: tuple[HostSecond, ...] = ()
    device_seconds: tuple[DeviceSecond, ...] = ()
    queries: tuple[QueryResult, ...] = ()
    conditions: tuple[Condition, ...] = ()
    notes: tuple[Note, ...] = ()


LEFT_OUT = "sweep-left-out"
"""Code of the note on a point of a sweep that may not be believed."""
