"""The Rust core of Plimsoll: moves bytes and times them. Python's lock is released wherever it waits."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypedDict, final

VERSION: str

class _Permit(Protocol):
    """What was confirmed for writing; the engine compares it with the file that it opened."""

    @property
    def path(self) -> str: ...
    @property
    def device(self) -> int: ...
    @property
    def inode(self) -> int: ...
    @property
    def number(self) -> int: ...

class _Engine(TypedDict):
    name: str
    title: str
    help: str
    real: bool
    local: bool
    virtual_time: bool
    blocking: bool
    kernel_workers: bool
    available: bool
    reason: str | None

class _Pattern(TypedDict):
    name: str
    title: str
    help: str
    usual_skew: float | None

# A functional definition, because the column `class` is a keyword of Python.
_Row = TypedDict(
    "_Row",
    {
        "scope": Literal["run", "window"],
        "window_index": int | None,
        "start_s": float,
        "duration_s": float,
        "class": str,
        "op": Literal["read", "write"],
        "block_bytes": int,
        "ios": int,
        "completed_ios": int,
        "bytes": int,
        "errors": int,
        "short_ios": int,
        "unissued_ios": int,
        "latency_hdr": bytes,
        "service_hdr": bytes,
        "distinct_blocks": int,
        "space_blocks": int,
        "first_s": float | None,
        "last_s": float | None,
        "lateness_us_max": float | None,
    },
)

class _Summary(TypedDict):
    count: int
    min_us: float | None
    max_us: float | None
    mean_us: float | None
    stddev_us: float | None

class _RemoteFindings(TypedDict):
    folder: bool
    size_bytes: int
    used_bytes: int
    read_bytes_max: int
    write_bytes_max: int
    free_bytes: int | None
    samples: int
    zero_samples: int
    duplicate_samples: int

class _Findings(TypedDict):
    size_bytes: int
    blocks_bytes: int
    hole_bytes: int | None
    unwritten_bytes: int | None
    extents: int | None
    zero_samples: int
    duplicate_samples: int
    samples: int
    direct_alignment_bytes: int | None
    memory_alignment_bytes: int | None
    direct_ok: bool
    direct_error: str | None
    method: str

class _Abilities(TypedDict):
    io_uring: bool
    io_uring_mode: str | None
    io_uring_error: str | None
    io_uring_disabled: int | None
    polling: bool
    polling_error: str | None
    nowait: bool
    nowait_error: str | None
    fua: bool | None
    volatile_write_cache: bool | None

class _BlockRow(TypedDict):
    owner_pid: int | None
    owner_started_ns: int | None
    owner_server: int | None
    command: str | None
    device: tuple[int, int]
    operation: str
    file_kind: Literal["unknown", "inode", "device"]
    file_device: tuple[int, int] | None
    inode: int | None
    ios: int
    bytes: int
    errors: int
    begun_ios: int
    queue_ns: int
    service_ns: int
    latency_hdr: bytes
    sizes: list[tuple[int | None, int]]

class _BlockCounts(TypedDict):
    lost_requests: int
    lost_rows: int
    lost_row_bytes: int
    orphans: int
    requeued: int
    merged: int
    untimed: int
    unasked: int

class _CallRow(TypedDict):
    owner_pid: int
    owner_started_ns: int
    command: str
    operation: Literal["read", "write", "flush"]
    file_device: tuple[int, int]
    inode: int
    is_direct: bool
    is_synchronous: bool
    calls: int
    bytes: int
    errors: int
    total_ns: int
    latency_hdr: bytes

class _CallCounts(TypedDict):
    lost_threads: int
    lost_rows: int

class _CommitRow(TypedDict):
    owner_pid: int
    owner_started_ns: int
    command: str
    title: str
    kind: Literal["sync", "leader", "follower", "nothing", "standby"]
    commits: int
    errors: int
    total_ns: int
    queue_ns: int
    write_ns: int
    flush_ns: int
    run_queue_ns: int
    processor_ns: int
    other_ns: int
    dispatches: int
    flushes: int
    behind_ns: int
    slept_ns: int
    beyond: int
    latency_hdr: bytes

class _CommitUnderWay(TypedDict):
    owner_pid: int
    owner_started_ns: int
    thread: int
    kind: Literal["sync", "leader", "follower", "standby"]
    for_ns: int
    part: Literal["queue", "write", "flush", "run queue", "processor", "other"]

class _CommitCounts(TypedDict):
    lost_threads: int
    lost_rows: int
    log_flushes_begun: int
    log_flushes_ended: int

class _Obstacle(TypedDict):
    id: str
    message: str
    hint: str | None
    errno: int | None

class CoreError(Exception):
    """An error of the engine. `hint` names what to do next, `errno` is set where the kernel refused."""

    id: str
    message: str
    hint: str | None
    errno: int | None

@final
class Progress:
    """How far a run is. `…_now` is of the last finished window."""

    @property
    def elapsed_s(self) -> float: ...
    @property
    def expected_s(self) -> float | None: ...
    @property
    def finished(self) -> bool: ...
    @property
    def warming(self) -> bool: ...
    @property
    def ios(self) -> int: ...
    @property
    def errors(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def iops_now(self) -> float | None: ...
    @property
    def latency_us_p50_now(self) -> float | None: ...
    @property
    def latency_us_p99_now(self) -> float | None: ...

@final
class Batch:
    """The result of a run: any Arrow library reads it, and `rows` gives the same as plain Python."""

    @property
    def outcome(self) -> str: ...
    @property
    def num_rows(self) -> int: ...
    def rows(self) -> list[_Row]: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_array__(self, requested_schema: Any | None = None) -> tuple[Any, Any]: ...

@final
class Handle:
    """A run at work."""

    def poll(self) -> Progress: ...
    def wait(self, timeout_s: float) -> bool: ...
    def windows(self, from_index: int) -> list[_Row]: ...
    def stop(self) -> None: ...
    def collect(self) -> Batch: ...

@final
class Disk:
    """A disk of the laboratory that this process serves; dropped, it is taken away."""

    def is_serving(self) -> bool: ...
    def counters(self) -> str: ...
    def identity(self) -> tuple[int, int, int]: ...
    def set_attribute(self, name: str, value: str) -> None: ...
    def stop(self) -> bool: ...

@final
class NfsServer:
    """A server in memory that goes wrong by wish, until it is stopped or dropped."""

    def url(self, path: str) -> str: ...
    def add(self, name: str, uid: int, gid: int, data: bytes) -> None: ...
    def go_wrong(
        self, name: str, number: int, seconds: float = 0.0, until: int = ..., path: int = 0
    ) -> None: ...
    def seen(self) -> tuple[int, tuple[int, int, int], int]: ...
    def durable(self, name: str) -> bytes | None: ...
    def clients(self) -> list[str]: ...
    def names(self) -> list[str]: ...
    def stop(self) -> None: ...

@final
class BlockProbe:
    """A probe in the kernel until it is stopped, dropped, or its process ends."""

    def begin(self) -> str | None: ...
    def names_direct(self) -> bool: ...
    def book_on_askers(self, worker: int, server: int) -> str | None: ...
    def cut(self) -> None: ...
    def read(self) -> tuple[list[_BlockRow], _BlockCounts]: ...
    def stop(self) -> None: ...

def start_block_probe(requests_max: int | None = None, rows_max: int | None = None) -> BlockProbe: ...

@final
class CallProbe:
    """A probe in the kernel until it is stopped, dropped, or its process ends."""

    def cut(self) -> None: ...
    def read(self) -> tuple[list[_CallRow], _CallCounts]: ...
    def stop(self) -> None: ...

def start_call_probe(threads_max: int | None = None, rows_max: int | None = None) -> CallProbe: ...

@final
class CommitProbe:
    """A probe in the kernel until it is stopped, dropped, or its process ends."""

    def see_log_flushes(self, executable: str) -> None: ...
    def see_standby_waits(self, executable: str) -> None: ...
    def leave_log_flushes(self) -> None: ...
    def let_log_flushes_go(self) -> None: ...
    def under_way(self) -> list[_CommitUnderWay]: ...
    def read(self) -> tuple[list[_CommitRow], _CommitCounts]: ...
    def stop(self) -> None: ...

def start_commit_probe(threads_max: int | None = None, rows_max: int | None = None) -> CommitProbe: ...
def block_probe_obstacles() -> list[_Obstacle]: ...
def serve_disk(spec_json: str, folder: str, source: str) -> Disk: ...
def engines() -> list[_Engine]: ...
def patterns() -> list[_Pattern]: ...
def read_plan(plan_json: str) -> str: ...
def start(plan_json: str, permits: Sequence[_Permit] = ()) -> Handle: ...
def start_fill(spec_json: str, permit: _Permit) -> Handle: ...
def inspect_file(path: str, samples: int) -> _Findings: ...
def inspect_remote(path: str, samples: int) -> _RemoteFindings: ...
def create_remote(path: str) -> tuple[int, int]: ...
def list_remote(path: str, beginning: str) -> list[str]: ...
def remove_remote(path: str, permit: _Permit) -> str | None: ...
def serve_nfs(paths: int = 1) -> NfsServer: ...
def check_remote(engine: str, path: str, stable: str, writes: bool) -> None: ...
def fits_remote(depth: int, block_bytes: int, read_bytes_max: int, write_bytes_max: int) -> bool: ...
def probe(path: str, direct: bool) -> _Abilities: ...
def student_quantile(share: float, freedom: float) -> float: ...
def normal_cdf(z: float) -> float: ...
def theil_sen_slope(points: Sequence[tuple[float, float]]) -> float | None: ...
def mann_kendall_z(values: Sequence[float]) -> float: ...
def cheapest_cuts(values: Sequence[float], price: float, shortest: int) -> list[int]: ...
def number_columns(text: str, places: Sequence[int]) -> list[bytes]: ...
def word_columns(text: str, places: Sequence[int]) -> list[list[str]]: ...
def least_squares(
    rows: Sequence[Sequence[float]], values: Sequence[float], weights: Sequence[float]
) -> tuple[list[float], list[list[float]], float] | None: ...
def hdr_summary(v2: bytes) -> _Summary: ...
def hdr_quantiles(v2: bytes, quantiles: list[float]) -> list[float]: ...
def hdr_merge(parts: list[bytes]) -> bytes: ...
def hdr_of_counts(counts: list[tuple[float, int]]) -> bytes: ...
def hdr_share_above(v2: bytes, us: float) -> float: ...
def hdr_buckets(v2: bytes, per_decade: int) -> list[tuple[float, float, int]]: ...

@final
class Table:
    """Columns of equal length that any Arrow library takes over without copying."""

    @property
    def num_rows(self) -> int: ...
    def rows(self) -> list[dict[str, Any]]: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_array__(self, requested_schema: Any | None = None) -> tuple[Any, Any]: ...

_Where = tuple[list[int], int | None, int | None]
"""CPUs, the node of memory, and of how many bytes huge pages are, where such are asked for."""
_IsCut = Callable[[], bool]
"""Asked all the while; where it says so, InterruptedError is raised."""

def memory_streams(
    asked: list[tuple[str, bool]], array_bytes: int, at: _Where, runtime_s: float, is_cut: _IsCut
) -> list[list[tuple[int, float, float]]]: ...
def memory_chase(
    size_bytes: int, at: _Where, runtime_s: float, is_cut: _IsCut
) -> list[tuple[int, float, float | None]]: ...
def memory_loaded(
    sizes_bytes: tuple[int, int],
    shares: list[float],
    at: _Where,
    runtime_s: float,
    is_cut: _IsCut,
) -> list[tuple[float, float, float]]: ...
def memory_update(
    size_bytes: int, at: _Where, runtime_s: float, is_cut: _IsCut
) -> list[tuple[int, float]]: ...
def memory_non_temporal() -> bool: ...

@final
class Report:
    """What was read of a report. `summary` and `table_list` are JSON."""

    def summary(self) -> str: ...
    def table_list(self) -> bytes: ...
    def take_others(self) -> list[Report]: ...
    def own_bytes(self) -> bytes | None: ...
    def tables(self) -> Table: ...
    def cells(self) -> Table: ...
    def section_names(self) -> list[str]: ...
    def sections(self) -> dict[str, Table]: ...
    def section(self, name: str) -> Table: ...
    def origin(self, name: str, row: int, column: str) -> str | None: ...

def keep_freed_memory(delay_ms: int | None = None) -> None: ...
def give_back_freed_memory() -> None: ...
def read_report(data: bytes) -> Report: ...
def find_words(data: bytes, words: bytes, begin: int) -> int | None: ...
def report_sections() -> str: ...

_Names = tuple[str | None, str | None, str | None, int | None, int | None, int | None, int | None]
_Made = tuple[list[tuple[str, str]], str]

@final
class Dataset:
    """Tables of many reports while they become files. `limits` are bytes: rows of one table, of all, one file."""

    def __new__(cls, form: str, limits: tuple[int, int, int], escape_formulas: bool = False) -> Dataset: ...
    def add(
        self, names: _Names, report: Report | None, wanted: list[str], made: tuple[str, _Made] | None
    ) -> list[tuple[str, bytes]]: ...
    def add_gathered(self, gathered: bytes, left_out: list[int]) -> list[tuple[str, bytes]]: ...
    def finish(self, made: tuple[str, _Made] | None) -> list[tuple[str, bytes]]: ...

@final
class Gathered:
    """Rows of several reports on their way to a `Dataset` of another process."""

    def __new__(cls) -> Gathered: ...
    def add(
        self, names: _Names, report: Report | None, wanted: list[str], made: tuple[str, _Made] | None
    ) -> None: ...
    def take(self) -> bytes: ...

def report_parquet(names: _Names, report: Report, wanted: list[str]) -> list[tuple[str, int, bytes]]: ...
def begins_formula(text: str) -> bool: ...
