"""A proof: a run of a real database, with what its sessions counted and what the server counted beside each other.

Instants are the server's own clock. Rates are those of the window, warm-up left out. None means unknown, never 0.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from plimsoll.facts._fact import Fact, Note, Said, Text
from plimsoll.facts.demand import Database
from plimsoll.facts.latency import LatencyUs
from plimsoll.facts.proof_hosts import ProofHosts

ProofWorkload = Literal["slob", "order_entry", "tpch"]


class ProofWindow(Fact):
    """The time that counts. `start` is when the window opened, `end` when the last session that ran in it was done."""

    start: datetime
    """When the window opened."""
    end: datetime
    """When the last session that ran in it was done."""
    duration_s: float
    """Its length in seconds."""
    excluded_warm_up_s: float
    """Time before it that is in no figure, in seconds."""


class ProofSession(Fact):
    """One session's part in the window: when the first operation that counts began and when the last one ended."""

    name: str
    """Its name, unique in the proof."""
    start: datetime | None
    """When its first operation that counts began; None for none."""
    end: datetime | None
    """When its last operation that counts ended; None for none."""
    operations: int
    """Operations that count."""
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
    """Which kind of operation."""
    operations: int
    """How many were done in the window."""
    operations_per_s: float
    """Operations of this kind per second."""
    blocks: int | None = None
    """Blocks, or rows where each lies in a block of its own, that they touched by the sessions' own count."""
    failed: int | None = 0
    """Ended by the server or rolled back as the workload wants it; not among `operations`. None where nobody counted them."""
    skipped: int | None = None
    """Never begun, because they were already later than a limit; not among `operations`. None where nobody counted them."""
    latency_us: LatencyUs


class OperationSlice(Fact):
    """One kind of operation in a slice of the window. `start_s` counts from the window's start."""

    operation: str
    """Which kind of operation."""
    start_s: float
    """When the slice began, in seconds."""
    duration_s: float
    operations: int
    """How many ended in the slice."""
    latency_us_p50: float | None = None
    latency_us_p99: float | None = None
    latency_us_p999: float | None = None
    latency_us_max: float | None = None


class Agreement(Fact):
    """Two independent counts of the same thing: what the sessions say and what the server says."""

    what: str
    """`blocks read by key`, `rows updated`, `commits` …"""
    sessions_count: float
    """How many the sessions counted."""
    server_count: float | None
    """How many the server counted; None where it does not count it."""
    difference_share: float | None
    """(server - sessions) / sessions."""
    limit_share: float
    """By how much of the sessions' count the two may differ."""
    slack: float | None = None
    """How many more the server may have counted of its own, beyond that share; None where it has none of its own."""
    holds: bool | None
    """None where the server does not count it."""
    reason: Text


class BlockOrigin(Fact):
    """Where the blocks came from that were asked for, in blocks per second."""

    buffer_hits_per_s: float | None
    """Blocks found in the server's own cache."""
    system_cache_per_s: float | None
    """Blocks that the operating system's cache gave."""
    device_per_s: float | None
    """Blocks that came from the device."""
    device_by_counter_per_s: float | None = None
    """Reads of the database's device by the kernel's count (/proc/diskstats), by anyone."""
    device: str | None = None
    """The block device beneath the data, where it is known."""
    reason: Text
    """How it is known, or why it is not."""


class CommitParts(Fact):
    """What a commit waited for, in microseconds per commit, by the server's own counters."""

    commits: int
    """Commits in the window that the figures are divided by: those of all sessions, of lost hosts too, as the server counts."""
    latency_us_mean: float
    """As the sessions timed it."""
    log_writes: float | None
    """Writes of the log per commit."""
    log_write_us: float | None
    """Writing the log, in microseconds per commit."""
    log_syncs: float | None
    """Times the log was forced to stable storage, per commit."""
    log_sync_us: float | None
    """Forcing it there, in microseconds per commit."""
    log_segment_us: float | None = None
    """Making new segments of the log, which the session that needs one does itself; None where it is not told apart."""
    rest_us: float | None
    """Latency less all of that: CPU time, locks, waiting for another session's write."""
    parts_share: float | None
    """What is known / latency; above 1 where writes that no commit waited for are in the counters."""


class HostSecond(Fact):
    """What the machine did in about a second. Shares are of all CPUs (proc_stat(5)); pressures of the time (PSI, `some`)."""

    start_s: float
    """When it began, in seconds from the start of the window, or of the run where that has none."""
    duration_s: float
    user_share: float
    """Programs."""
    system_share: float
    """The kernel."""
    iowait_share: float
    """Idle while I/O of a task was outstanding."""
    steal_share: float
    """Ready to run while the host of this virtual machine ran something else."""
    idle_share: float
    """Nothing to do."""
    runnable: int | None = None
    """Tasks that ran or wanted to at that moment."""
    cpu_pressure_share: float | None = None
    """Some task waited for a CPU; None where the kernel does not tell."""
    io_pressure_share: float | None = None
    """Some task waited for I/O."""
    memory_pressure_share: float | None = None
    """Some task waited for memory."""


class CpuUse(Fact):
    """Who used the CPUs of the server's machine from the start of the drive to its end, as shares of all CPUs."""

    server_share: float
    """Processes of the database's server."""
    own_share: float
    """The sessions that drove it, as far as they ran there."""
    others_share: float
    """All other programs, and the kernel's own work."""


class DeviceSecond(Fact):
    """What one block device did in about a second (/proc/diskstats; kernel's iostats.rst)."""

    device: str
    """The block device, by the kernel's name."""
    start_s: float
    """When it began, in seconds from the start of the window, or of the run where that has none."""
    duration_s: float
    reads_per_s: float
    writes_per_s: float
    flushes_per_s: float | None = None
    """Flushes of the device's cache per second; None where the kernel does not count them."""
    read_mb_per_s: float
    write_mb_per_s: float
    read_await_us: float | None = None
    """Mean time of a read from when it was queued to its end, in microseconds; None without any."""
    write_await_us: float | None = None
    """The same of writes."""
    queue_mean: float
    """I/Os in flight or queued, on average."""
    busy_share: float
    """Part of the time in which the device had anything to do, 0 to 1."""


class QueryResult(Fact):
    """One query of a power or throughput run. `stream` 0 is the power run, `repeat` which of several.

    Counts are of a power run alone, where nothing else runs beside the query: those of the server over the whole database, those
    of the device beneath its data by the kernel. None where they are not known.
    """

    query: int
    """Its number in the benchmark, 1 to 22."""
    stream: int
    """0: the power run; above: a stream of the throughput run."""
    repeat: int = 1
    """Which of several runs, from 1."""
    elapsed_s: float | None
    """How long it took, in seconds; None where it failed."""
    rows: int | None
    """Rows that it returned."""
    answer: Literal["right", "wrong", "unknown", "failed"]
    """Whether they are what the benchmark says; unknown where that is not known for these data."""
    reason: Text = ""
    """What is wrong with the answer, or why nothing can be said."""
    plan: Text | None = None
    """The server's plan of it, as text; None where it was not kept."""
    block_reads: int | None = None
    """Blocks that were not in the server's own cache."""
    block_hits: int | None = None
    """Blocks that were found in the server's own cache."""
    read_bytes: int | None = None
    """Those blocks in bytes."""
    read_s: float | None = None
    """Waiting for them, summed over processes; None where the server does not time it (track_io_timing)."""
    temp_bytes: int | None = None
    """Written to temporary files."""
    device: Text = ""
    """The block device beneath the data; empty where it is not known."""
    device_reads: int | None = None
    """Reads of the device while it ran."""
    device_read_bytes: int | None = None
    """Bytes read from the device while it ran."""
    device_write_bytes: int | None = None
    """Bytes written to the device while it ran."""


class Condition(Fact):
    """A condition that the data must fulfil after a run, whatever happened in it."""

    name: str
    """Its short name."""
    help: str
    """What must hold, in a sentence."""
    holds: bool | None
    """None: it could not be looked at."""
    reason: Text


class SweepPoint(Fact):
    """The throughput at one number of sessions; `ci95` from the seconds of the window."""

    sessions: int
    """Sessions at work."""
    operations_per_s: float
    ci95: tuple[float, float] | None = None
    """95 % interval of the operations per second; None where too few seconds tell."""
    latency_us_p99: float | None = None
    cpu_use: CpuUse | None = None
    """Who used the CPUs; None where it is not known."""
    processors_busy_share: float | None = None
    """Of all CPUs of the server's machine, over the window; None where that machine is another."""
    run: str | None = None
    """Id of the run that holds this proof in full."""


class Scalability(Fact):
    """Gunther's Universal Scalability Law, X(N) = aN / (1 + s(N-1) + kN(N-1)), fitted to the sweep."""

    per_session: float
    """a: operations per second of one session alone."""
    contention: float
    """s: the share that waits for one another."""
    contention_ci95: tuple[float, float] | None = None
    """95 % interval of that; None where too few points tell."""
    coherency: float
    """k: what keeping in step costs each pair."""
    coherency_ci95: tuple[float, float] | None = None
    """95 % interval of that; None where too few points tell."""
    peak_sessions: float | None
    """sqrt((1-s)/k), where that lies within the sessions that were measured; None elsewhere, and where nothing bends the curve."""
    r2: float | None
    """How much of the variation the law explains, at most 1; None where it cannot be told."""


class Sweep(Fact):
    """Proofs with more and more sessions. `knee_sessions` is where one more doubling no longer brings a fifth."""

    points: tuple[SweepPoint, ...]
    """One for each number of sessions, in rising order."""
    knee_sessions: int | None
    """None where throughput still grows, or nothing can be told."""
    reason: Text
    scalability: Scalability | None = None
    """The law fitted to the points; None where there are too few."""
    settings: dict[str, str] | None = None
    """What all its proofs have in common: the database, the workload and its parameters; None where that was not kept."""


class Prediction(Fact):
    """The storage's line at the proof's own mix beside what the database then did."""

    target: Text
    """The storage whose line it is."""
    slo: str
    line_iops: float | None
    """Predicted: I/Os per second of that mix that the storage supplies within the objective."""
    proved_iops: float | None
    """I/Os per second that the database did."""
    error_share: float | None
    """(predicted - proved) / proved."""
    limited_by: Literal["storage", "database", "unknown"]
    """What kept the database from doing more."""
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
    """How bad it is; a panic is worst."""
    grave: bool = False
    """The server crashed, or found its data damaged: no figure beside it is valid."""
    at: Text = ""
    """When, as the server wrote it."""
    message: Said
    """What it says, without passwords."""


class ServerLog(Fact):
    """What the server's log says from when the sessions were ready to the run's end. Counts are None where it cannot be read."""

    source: Text
    """Which log; empty for none."""
    panics: int | None = None
    """Entries of that severity."""
    fatals: int | None = None
    """Entries of that severity."""
    errors: int | None = None
    """Entries of that severity."""
    warnings: int | None = None
    """Entries of that severity."""
    graves: int | None = None
    """Of all those, how many say that the server crashed or found its data damaged."""
    entries: tuple[LogLine, ...] = ()
    """The worst and first of them; never more than a few."""
    reason: Said
    """How it was read, or why it could not be."""


class Proof(Fact):
    """What driving a real database gave."""

    workload: ProofWorkload
    """Which workload drove the database."""
    database: Database
    settings: dict[str, str]
    """The workload's parameters as they were in force."""
    holds: bool
    """It is valid: sessions ran through the window, counts agree, conditions hold, answers are right."""
    doubts: tuple[str, ...] = ()
    """Why it may not."""
    window: ProofWindow | None = None
    """The time that counts; None where queries are run one after the other."""
    operations_per_s: float | None = None
    logical_reads_per_s: float | None = None
    """Blocks asked for per second, by the server's counters: found in its cache or not."""
    physical_reads_per_s: float | None = None
    """Blocks per second that the server read from outside its own cache."""
    cache_hits_per_s: float | None = None
    """Blocks per second that were found in the server's own cache."""
    redo_mb_per_s: float | None = None
    """Megabytes (10^6 bytes) of log that the server wrote per second."""
    operations: tuple[OperationResult, ...] = ()
    """Each kind of operation over the window."""
    sessions: tuple[ProofSession, ...] = ()
    """Each session's part."""
    slices: tuple[OperationSlice, ...] = ()
    """Each kind of operation over time."""
    hosts: ProofHosts | None = None
    """What each host's sessions did; None where all were driven from the calling one alone."""
    agreements: tuple[Agreement, ...] = ()
    origin: BlockOrigin | None = None
    """Where the blocks came from that were asked for."""
    commit: CommitParts | None = None
    """What a commit waited for."""
    lateness_us_max: float | None = None
    """With a rate: how late a session itself began an operation although it was idle when that was due."""
    start: ProofStart | None = None
    """In which state the drive found the server."""
    server_settings: dict[str, str] | None = None
    """The server's settings that are not its defaults, without passwords; None where they could not be read."""
    server_log: ServerLog | None = None
    host_seconds: tuple[HostSecond, ...] = ()
    """What the machine did, second by second; empty where the server is elsewhere."""
    device_seconds: tuple[DeviceSecond, ...] = ()
    """What its block devices did, second by second."""
    cpu_use: CpuUse | None = None
    """Who used the CPUs; None where the server is elsewhere, or its processes cannot be told from others."""
    queries: tuple[QueryResult, ...] = ()
    """Each query of each run."""
    conditions: tuple[Condition, ...] = ()
    """What the data had to fulfil after the run."""
    notes: tuple[Note, ...] = ()


LEFT_OUT = "sweep-left-out"
"""Code of the note on a point of a sweep that is not valid."""
