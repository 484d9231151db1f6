"""Live I/O: who did which, to which file, how large and how late, held against what the kernel counts at each disk.

An owner is what made an I/O. The kernel is the owner of what its own threads make: write-back, its journal and flushes, and what
they do for a process, as beneath dm-crypt, md and loop devices, or once a limit of a control group held it back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from plimsoll.facts._fact import Fact, Note, Several, Text
from plimsoll.facts.latency import LatencyUs

WatchedOperation = Literal["read", "write", "flush", "flush-request", "discard", "other"]
"""`flush` is the kernel's to the disk; `flush-request` is what a process waits for. `other` is what no database asks for."""
COUNTED: tuple[WatchedOperation, ...] = ("read", "write", "flush-request")
"""What the kernel counts as reads and writes of a disk: a request for a flush is a write to it, the flush that follows is none."""
FileKind = Literal["unknown", "inode", "device"]
WatchWord = Literal["role", "database", "tablespace", "file", "device", "cgroup"]
"""What rows can be put together by."""


class WatchedSize(Fact):
    """I/Os of a size."""

    bytes_max: int | None
    """None of them is larger; None: larger than all others that are counted apart."""
    ios: int


class WatchedIo(Fact):
    """I/O of one kind, by all processes of one role, of one file, on one disk."""

    role: Text
    """What its owners are in their database, else their command; `kernel` where a thread of the kernel's made it, by itself or for
    a process."""
    processes: int
    """How many processes that were; 0 for the kernel."""
    device: Text
    """The disk by the kernel's name."""
    above: Several[Text] = ()
    """The disks on which that one lies, as a loop device or multipath does: its I/Os are seen there again. Empty: none that is
    known."""
    is_again: bool | None = None
    """Whether other rows hold its I/Os too, so that sums leave it out. None: it was not told, and sums leave out what lies on disks
    of other rows."""
    file: Text | None
    """Path of the file whose pages were moved or that direct I/O went to; None where it is not known: direct I/O to a disk itself
    or on some file systems, or no process was found to have it open."""
    relation: Text | None = None
    """What has its data in the file, by the word of the database that was connected to: a table, an index or a materialised view
    with its schema. Its segments are one row, whose file has no segment's number. None where that is not known."""
    file_kind: FileKind
    """`inode`: a file, by what the page cache moved or where direct I/O went; `device`: pages of the disk itself, in which a file
    system keeps what is its own; `unknown`: neither, as by direct I/O to a disk itself and by flushes."""
    inode_number: int | None
    """Number of the file in its file system, also where its path is not known; None where the row is a relation's."""
    database: Text | None = None
    """Whose data that is: a database's name, `OID 16384` where none told it, `SID ORCL` of an instance of Oracle that asked;
    `global`: catalogs that all databases of a cluster share; `none`: no database's. Behind ` of ` stands the folder of its server,
    but for the one that was connected to. None: unknown, or nobody asked (`by` of the watch)."""
    tablespace: Text | None = None
    """In which it lies: PostgreSQL's by its name, `OID 16400` where none told it; InnoDB's as `schema/table`, `innodb_system`,
    `innodb_undo001`, `innodb_temporary`; `none`: in none. None: unknown, or nobody asked."""
    cgroup: Text | None = None
    """Path of the control group of the processes; `none`: what the kernel does of its own. None: unknown, or nobody asked."""
    operation: WatchedOperation
    """What was asked of the disk."""
    ios: int
    """Those that ended."""
    bytes: int
    """What they asked to be moved, as the kernel counts it: those that failed too."""
    errors: int
    """Those that failed."""
    iops: float
    """I/Os per second, over the whole time."""
    mb_per_s: float
    """MB per second that were moved, over the whole time; I/Os that failed are taken to be as large as the others of the row."""
    size_bytes_mean: float | None
    """Mean size of an I/O; None where none moved a byte."""
    sizes: tuple[WatchedSize, ...]
    """I/Os by size."""
    queue_us_mean: float | None
    """From the request to its way to the disk, on average; None for flushes, and where the kernel does not tell of 99 % of the I/Os
    when they were asked for."""
    request_us_mean: float | None
    """From the request to its end, on average: the wait and the disk's time together. A flush that a process waits for is timed as
    a whole; else None where the wait is not known."""
    latency_us: LatencyUs
    """The disk's time: from the way to it to the end. A flush that a process waits for is timed from its request. The kernel counts
    in steps of a sixteenth of a doubling; within a step they are spread evenly."""


class WatchedDevice(Fact):
    """What was seen at a disk, held against what the kernel itself counts there (/proc/diskstats)."""

    device: Text
    """The disk by the kernel's name."""
    ios: int
    """Reads, writes and requests for a flush that were seen, of all owners."""
    bytes: int
    """What its reads and writes moved, as far as they were seen."""
    flushes: int
    """Flushes of the disk that were seen."""
    ios_counted: int | None
    """What the kernel counts as reads and writes, requests for a flush among them: as near to what was seen as the moment of its
    reading leaves open. None where it does not count."""
    bytes_counted: int | None
    """What they moved by the kernel's count, found likewise."""
    flushes_counted: int | None
    """Flushes that the kernel counts, found likewise; None before Linux 5.5."""
    held: bool | None
    """Whether both counts are the same; None where there is nothing to hold against, or it could not be done closely enough."""
    reason: Text
    """What was found, or why nothing could be."""


CallOperation = Literal["read", "write", "flush"]
"""`flush`: fsync and fdatasync."""


class WatchedCall(Fact):
    """System calls of one kind on one file, by all processes of one role: what programs wait for, wherever the data came from."""

    role: Text
    """What its owners are in their database, else their command."""
    processes: int
    """How many processes that were."""
    file: Text | None
    """Path of the file; None where no process was found to have it open."""
    relation: Text | None = None
    """What has its data in the file, by the word of the database that was connected to; its segments are one row. None where that
    is not known."""
    inode_number: int | None
    """Number of the file in its file system; None where the row is a relation's."""
    database: Text | None = None
    """As of I/O at a disk."""
    tablespace: Text | None = None
    """As of I/O at a disk."""
    cgroup: Text | None = None
    """As of I/O at a disk."""
    operation: CallOperation
    """What was called for: read, pread64, readv, preadv and preadv2; write, pwrite64, writev, pwritev and pwritev2; fsync and
    fdatasync."""
    is_direct: bool
    """Whether the file was open for direct I/O (O_DIRECT)."""
    is_synchronous: bool
    """Whether it was open so that each write is durable when its call ends (O_DSYNC, O_SYNC)."""
    calls: int
    """Those that ended; a call that a signal broke off before it did anything is called again, and counts once."""
    bytes: int
    """What they read or wrote, as they returned."""
    errors: int
    """Those that failed."""
    calls_per_s: float
    """Calls per second, over the whole time."""
    mb_per_s: float
    """MB per second that they read or wrote, over the whole time."""
    size_bytes_mean: float | None
    """Mean of what a call that did not fail moved; None where none moved a byte."""
    cached_share: float | None
    """How much of what was read of this file through the page cache, by calls of all roles together, came from no disk meanwhile:
    1 - read from disks for the file / read by these calls; 0 where more was read ahead than asked for. What is read by io_uring,
    libaio or memory-mapped, and for writes of parts of a page, is in the first alone, and makes the share less than it is. None for
    writes, flushes and direct reads, for files that are read directly as well, for files without a name, on file systems other than
    ext2, ext3, ext4 and XFS, and where I/Os or calls are missing."""
    latency_us: LatencyUs
    """From the begin of a call to its end: waits for locks, for the page cache and for a processor are in it. The kernel counts in
    steps of a sixteenth of a doubling; within a step they are spread evenly."""


LimitName = Literal[
    "fs.aio-max-nr",
    "fs.file-max",
    "vm.dirty",
    "vm.nr_hugepages",
    "queue_depth",
    "nr_requests",
    "read_ahead_kb",
    "nconnect",
    "io.max",
    "blkio.throttle",
]
LimitUnit = Literal["ios", "files", "bytes", "connections", "ios_per_s", "bytes_per_s"]


class BindingLimit(Fact):
    """A limit of the kernel or of a control group that held I/O back."""

    name: LimitName
    """`fs.aio-max-nr`: asynchronous I/Os of all contexts; `fs.file-max`: open files; `vm.dirty`: what waits to be written back,
    from where on who writes is slowed down; `vm.nr_hugepages`: memory in huge pages; `queue_depth`, `nr_requests`: what a disk is
    given at once; `read_ahead_kb`: what is read ahead of a program; `nconnect`: connections of an NFS mount; `io.max`,
    `blkio.throttle`: what a control group may ask of a disk in a second."""
    of: Text | None
    """The disk or the mount, or whose reads or writes of which disk; None: of the host."""
    unit: LimitUnit
    """Of both figures."""
    value: int
    """What it allows."""
    used_max: int
    """The most that was used of it at any look."""
    looks: int
    """At how many looks it bound."""
    looked: int | None = None
    """At how many it was looked for: caps of control groups and what is read ahead are where rows are told alone. None: runs of
    before do not have it."""
    advice: Text
    """What lifts it, with the command."""


class WatchedSum(Fact):
    """Rows put together by what was asked for: of the fields from `role` to `cgroup` it has those."""

    role: Text | None = None
    """As in the rows; None: not asked for."""
    database: Text | None = None
    """As in the rows; None: unknown, or not asked for."""
    tablespace: Text | None = None
    """As in the rows; None: unknown, or not asked for."""
    file: Text | None = None
    """As in the rows; None: unknown, or not asked for."""
    relation: Text | None = None
    """What has its data in the file."""
    inode_number: int | None = None
    """As in the rows."""
    cgroup: Text | None = None
    """As in the rows; None: unknown, or not asked for."""
    rows: int
    """How many rows that were."""
    bytes: int
    """What they asked to be moved; of calls what they read or wrote."""
    errors: int
    """Those that failed."""
    mb_per_s: float
    """MB per second that were moved."""
    size_bytes_mean: float | None
    """Mean size of one, of calls of one that did not fail; None where none moved a byte."""
    latency_us: LatencyUs
    """The disks' time, or from the begin of a call to its end, of all of them together."""


class WatchedGroup(WatchedSum):
    """I/O of one kind, put together by what was asked for."""

    file_kind: FileKind | None = None
    """As in the rows; None: not asked for."""
    device: Text | None = None
    """As in the rows; None: not asked for. A file without a name has its disk's besides, by which its number is known."""
    is_again: bool
    """Whether these I/Os are seen at other disks too, whose groups hold them: sums over groups leave this one out."""
    operation: WatchedOperation
    """What was asked of the disks."""
    ios: int
    """Those that ended."""
    iops: float
    """I/Os per second."""
    sizes: tuple[WatchedSize, ...]
    """I/Os by size."""
    queue_us_mean: float | None
    """From the request to its way to the disk, on average; None where it is not known of 99 % of the I/Os."""


class WatchedCallGroup(WatchedSum):
    """Calls of one kind, put together by what was asked for."""

    operation: CallOperation
    """What was called for."""
    calls: int
    """Those that ended."""
    calls_per_s: float
    """Calls per second."""


class WatchedStretch(Fact):
    """What one role did in one stretch of the time that was watched, each I/O at one disk alone."""

    begin_s: float
    """Since the watch began, in seconds."""
    duration_s: float
    """How long the stretch was."""
    role: Text
    """As in the rows; beyond the seven of most I/Os they are `others`."""
    ios: int
    """Those that ended in it."""
    bytes: int
    """What its reads and writes moved."""
    latency_us_p99: float | None
    """99 of 100 of these I/Os took no longer at the disk; of a long watch, in which several steps are one stretch, the highest of
    these steps. None where fewer than one I/O lies beyond it."""


class Watch(Fact):
    """Who did which I/O, to which file, how large and how late."""

    duration_s: float
    """How long it was watched, in seconds."""
    rows: Several[WatchedIo]
    """By role, file, operation and disk, those with most I/Os first; only what was asked for."""
    by: tuple[WatchWord, ...] = ()
    """What they were to be put together by; empty: nobody asked."""
    groups: Several[WatchedGroup] = ()
    """The rows put together by that, and by operation; those with most I/Os first."""
    call_groups: Several[WatchedCallGroup] = ()
    """The calls likewise, but for disks; those that took most time in all first."""
    devices: Several[WatchedDevice]
    """Every disk with any I/O, of all owners, whatever was asked for."""
    course: Several[WatchedStretch] = ()
    """What each role did over time, as far as rows tell it."""
    lost_ios: int
    """I/Os that are in no row for want of room in the kernel; 0: the rows are all there was."""
    unbegun: int
    """Ends without a begin: the write that carried a flush, what was under way at the start, and before Linux 6.5 requests for a
    flush that nobody saw being made."""
    requeued: int
    """Requests that a disk gave back and got again."""
    merged: int
    """Requests that became part of others, and are in the rows of these."""
    untimed: int | None = None
    """I/Os in the rows whose end the kernel did not tell, so that they are in no latency. None: this was not found out yet."""
    broken_off: Text | None = None
    """Why the probe could not be read to the end: what was counted after the last reading is missing. None: it could."""
    calls: tuple[WatchedCall, ...] | None = None
    """Calls by role, file, operation and how the file was opened, those that took most time in all first; None: nobody asked."""
    lost_calls: int | None = None
    """Calls that are in no row for want of room in the kernel. None: nobody asked."""
    limits: tuple[BindingLimit, ...] | None = None
    """Limits of the kernel that bound meanwhile, that which did most often first; empty: none did; None: nobody asked."""
    relations_unknown_because: Text | None = None
    """Why the database was asked for relations no more; None where it told them to the end, or was not asked."""
    notes: Several[Note] = ()


def counted_once(rows: Sequence[WatchedIo]) -> list[WatchedIo]:
    """Rows to be added up: those whose I/Os other rows hold too are left out."""
    seen = {row.device for row in rows}
    return [row for row in rows if not _is_again(row, seen)]


def _is_again(row: WatchedIo, seen: Collection[str]) -> bool:
    return any(disk in seen for disk in row.above) if row.is_again is None else row.is_again


def counted_as_ios(rows: Iterable[WatchedIo]) -> list[WatchedIo]:
    """Those of what the kernel counts as I/Os of a disk: with the flushes that follow requests, each would be counted twice."""
    return [row for row in rows if row.operation in COUNTED]


def added_up(rows: Sequence[WatchedIo], were_counted: bool = False) -> list[WatchedIo]:
    """Rows that rates are told of: each I/O once, as the kernel counts I/Os. Where there are none of these, all that there are; but
    no flushes where some `were_counted` before: requests for them are among these.
    """
    once = counted_once(rows)
    others = [row for row in once if row.operation != "flush"] if were_counted else once
    return counted_as_ios(once) or others


def moved_bytes(asked_bytes: int, ios: int, errors: int) -> float:
    """What I/Os moved that asked for so much, where some failed: these are taken to be as large as the others."""
    return asked_bytes * (ios - errors) / ios if errors else float(asked_bytes)


def moving(rows: Iterable[WatchedIo]) -> list[WatchedIo]:
    """Those that move data. A discard, or zeros that the disk writes by itself, may be of a terabyte and moves nothing."""
    return [row for row in rows if row.operation in ("read", "write")]
