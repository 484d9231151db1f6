"""I/O of the block layer as rows that people understand: role and process, file, disk, operation.

The kernel counts (`native/block_probe.py`); here numbers get their names. A row is what was added since the reading before.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from plimsoll.facts import LatencyUs
from plimsoll.facts.watch import FileKind
from plimsoll.native import block_probe
from plimsoll.native.latency import latency
from plimsoll.observe.askers import Asker, Askers
from plimsoll.observe.disk_names import DiskNames
from plimsoll.observe.open_files import FileNumber, OpenFiles
from plimsoll.observe.roles import IO_WORKER, KERNEL, POSTGRES, Role, Roles

if TYPE_CHECKING:
    from plimsoll.native.block_probe import BlockProbe, BlockRow

_NS_PER_US = 1_000.0
_UNBEGUN = "unbegun"
_KERNELS = Role(KERNEL, is_untitled=False)
_GONE = Role(POSTGRES, is_untitled=True)
"""Of a process that asked a worker and ended before it was looked for."""
_FLUSHES = ("flush", "flush-request")
"""Nobody sees the kernel's own being made, and the other is timed from there on."""


class OfFile(Protocol):
    """A row about a file: I/O at a disk, or calls."""

    @property
    def role(self) -> str: ...
    @property
    def pid(self) -> int | None: ...
    @property
    def file(self) -> str | None: ...
    @property
    def inode_number(self) -> int | None: ...
    @property
    def opened_by(self) -> int | None: ...
    @property
    def ios(self) -> int: ...
    @property
    def operation(self) -> str: ...
    @property
    def file_kind(self) -> FileKind: ...
    @property
    def number(self) -> FileNumber | None: ...
    @property
    def started_ns(self) -> int | None: ...
    @property
    def instance(self) -> str | None: ...
    @property
    def database(self) -> str | None: ...
    @property
    def tablespace(self) -> str | None: ...
    @property
    def cgroup(self) -> str | None: ...

    def of_relation(self, relation: str, file: str) -> Self:
        """The same as part of a relation."""
        ...

    def belonging(self, database: str | None, tablespace: str | None, cgroup: str | None) -> Self:
        """The same, told to what it belongs."""
        ...


RowOfFile = TypeVar("RowOfFile", bound=OfFile)


@dataclass(frozen=True)
class BlockIo:
    """I/O of one process or of the kernel, of one kind, on one disk, of one file."""

    role: str
    """What it is in its database, else its command; `kernel` where no process made it."""
    is_untitled: bool
    """Whether it had ended before its title was read, by which alone it is known what it is in its database."""
    pid: int | None
    """Of the process; None for the kernel, and for one that had a worker do it and ended before it was looked for."""
    file: str | None
    """Path of the file whose pages were moved or that direct I/O went to; None where it is not known."""
    file_kind: FileKind
    """`device`: pages of the disk itself, which a file system keeps of its own."""
    inode_number: int | None
    """The file's number, also where its path is not known."""
    device: str
    """The disk by the kernel's name, else major and minor number."""
    above: tuple[str, ...]
    """The disks on which that one lies, where this I/O is seen again."""
    operation: str
    """read, write, discard or other; `flush` is the kernel's to the disk, `flush-request` is what a process waits for."""
    ios: int
    bytes: int
    errors: int
    """I/Os that failed."""
    sizes: tuple[tuple[int | None, int], ...]
    """I/Os by size: the greatest number of bytes, and how many were not larger; None: larger than all others."""
    begun_ios: int
    """I/Os of which it is known when they were asked for: 0 for flushes, and where the kernel does not tell."""
    queue_us_mean: float | None
    """From the request to its way to the disk, of these on average; None where there are none."""
    service_us: LatencyUs
    """From there to its end; of a flush that a process waits for from its request.

    The kernel counts in steps of a sixteenth of a doubling; within a step they are spread evenly."""
    opened_by: int | None = None
    """A process that was found to have the file open."""
    relation: str | None = None
    """What of a database has its data in the file."""
    is_hidden: bool = False
    """Whether it runs, and its title is not for us to read."""
    number: FileNumber | None = None
    """Of the file, also where it has no name."""
    started_ns: int | None = None
    """When the process began, since the host was started; None where there is none."""
    instance: str | None = None
    """Of Oracle, as `Role.instance`."""
    database: str | None = None
    """Whose data it is, where that is asked for (`belonging.py`); None: unknown."""
    tablespace: str | None = None
    """Likewise."""
    cgroup: str | None = None
    """Of the process that asked; likewise."""

    def of_relation(self, relation: str, file: str) -> BlockIo:
        """The same as part of a relation, whose segments are one file to people."""
        return replace(self, relation=relation, file=file, inode_number=None)

    def belonging(self, database: str | None, tablespace: str | None, cgroup: str | None) -> BlockIo:
        """The same, told to what it belongs."""
        return replace(self, database=database, tablespace=tablespace, cgroup=cgroup)


@dataclass(frozen=True)
class BlockReading:
    """What was added since the reading before, and since the start what is in no row."""

    rows: tuple[BlockIo, ...]
    lost_ios: int
    """I/Os that are missing, for want of room in the kernel. 0: the rows are all there was."""
    unbegun: int
    """Ends without a begin: the write that carried a flush, what was under way at the start, and where not every begin is told
    requests for a flush."""
    unbegun_at: Mapping[str, int]
    """Of these, by disk, those since the reading before."""
    begin: str | None
    """The kernel's event that tells who made a request; None where only who handed it to the disk is known."""
    requeued: int
    """Requests that a disk gave back and got again."""
    merged: int
    """Requests that became part of others."""
    untimed: int
    """I/Os in the rows whose end the kernel did not tell: their requests were used for others, so they did end."""
    refused: int = 0
    """Processes at whose open files we may not look."""
    unasked: int = 0
    """I/Os of workers that are in these workers' rows, as it could not be read for whom each was."""
    unasked_because: tuple[str, ...] = ()
    """Why that is so of all I/Os of some workers."""
    names_direct: bool = True
    """Whether the probe can tell the file of direct I/O."""


@dataclass
class BlockWatch:
    """Reads a probe and remembers the names that it found."""

    probe: BlockProbe
    files: OpenFiles = field(default_factory=OpenFiles)
    """Names that were found, looked at again with each reading."""
    askers: Askers = field(init=False)
    _roles: Roles = field(default_factory=Roles)
    _disks: DiskNames = field(default_factory=DiskNames)
    _pids: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.askers = Askers(self.probe)

    def begin(self) -> None:
        """Finds processes that do I/O for others. Raises `probe-unread`."""
        self.askers.find_workers()

    def cut(self) -> None:
        """Ends what the next reading gives: what ends from here on is in the one after it. Raises `probe-unread`."""
        block_probe.cut(self.probe)

    def read(self) -> BlockReading:
        """What was added until the last cut, since the one before. Raises `probe-unread`."""
        found, counts = block_probe.read(self.probe)
        for known in (self.files, self._roles, self._disks, self.askers):
            known.look_again()
        self._look_for_names(found)
        rows = tuple(self._row(row) for row in found if row["operation"] != _UNBEGUN)
        return BlockReading(
            rows=rows,
            lost_ios=counts["lost_requests"] + counts["lost_rows"],
            unbegun=counts["orphans"],
            unbegun_at={
                self._disks.name(row["device"]): row["ios"] for row in found if row["operation"] == _UNBEGUN
            },
            begin=self.probe.begin(),
            requeued=counts["requeued"],
            merged=counts["merged"],
            untimed=counts["untimed"],
            refused=len(self.files.refused),
            unasked=counts["unasked"],
            unasked_because=self.askers.unknown_because,
            names_direct=self.probe.names_direct(),
        )

    def _look_for_names(self, found: Sequence[BlockRow]) -> None:
        """Looks at descriptors of the owners first, then at those of all owners so far, for what the kernel writes."""
        owners = [(pid, row["inode"]) for row in found if (pid := self._pid(row)) is not None]
        now = {pid for pid, inode in owners if inode is not None}
        self._pids |= self.askers.pids | {pid for pid, _ in owners}
        numbers = {number for row in found if (number := _number(row)) is not None}
        nameless = [number for number in numbers if self.files.name(number) is None]
        if nameless:
            self._pids = {pid for pid in self._pids if os.path.exists(f"/proc/{pid}")}
            self.files.look_for(nameless, [*now, *(self._pids - now)])

    def _row(self, row: BlockRow) -> BlockIo:
        number = _number(row)
        role = self._role(row)
        device = self._disks.name(row["device"])
        return BlockIo(
            role=role.name,
            is_untitled=role.is_untitled and not role.is_hidden,
            is_hidden=role.is_hidden,
            pid=self._pid(row),
            file=None if number is None else self.files.name(number),
            file_kind=row["file_kind"],
            inode_number=row["inode"],
            device=device,
            above=self._disks.above(device),
            operation=row["operation"],
            ios=row["ios"],
            bytes=row["bytes"],
            errors=row["errors"],
            sizes=tuple(row["sizes"]),
            begun_ios=_begun(row),
            queue_us_mean=row["queue_ns"] / row["begun_ios"] / _NS_PER_US if _begun(row) else None,
            service_us=latency([row["latency_hdr"]]),
            opened_by=None if number is None else self.files.opened_by(number),
            number=number,
            started_ns=self._started_ns(row),
            instance=role.instance,
        )

    def _role(self, row: BlockRow) -> Role:
        pid, started_ns, command = row["owner_pid"], row["owner_started_ns"], row["command"]
        if pid is None or started_ns is None or command is None:
            return _KERNELS
        if row["owner_server"] is not None:
            asker = self._asker(row)
            return _GONE if asker is None else self._roles.of(asker.pid, asker.started_ns, command)
        role = self._roles.of(pid, started_ns, command)
        if role.name == IO_WORKER:
            self.askers.meet(pid, started_ns)
        return role

    def _pid(self, row: BlockRow) -> int | None:
        if row["owner_server"] is None:
            return row["owner_pid"]
        asker = self._asker(row)
        return None if asker is None else asker.pid

    def _started_ns(self, row: BlockRow) -> int | None:
        if row["owner_server"] is None:
            return row["owner_started_ns"]
        asker = self._asker(row)
        return None if asker is None else asker.started_ns

    def _asker(self, row: BlockRow) -> Asker | None:
        server, number = row["owner_server"], row["owner_pid"]
        return None if server is None or number is None else self.askers.of(server, number)


def _begun(row: BlockRow) -> int:
    return 0 if row["operation"] in _FLUSHES else row["begun_ios"]


def _number(row: BlockRow) -> FileNumber | None:
    device, inode = row["file_device"], row["inode"]
    return None if device is None or inode is None else FileNumber(device, inode)
