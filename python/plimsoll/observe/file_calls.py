"""Calls that read, write or flush files, added up as rows that people understand: what programs wait for, wherever data came from.

The kernel counts (`native/call_probe.py`); names are found as for I/O of the block layer (`block_io.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from plimsoll.facts import LatencyUs, WatchedCall
from plimsoll.facts.watch import FileKind, WatchWord
from plimsoll.native import call_probe
from plimsoll.native.latency import latency
from plimsoll.observe.cached_reads import CachedReads
from plimsoll.observe.open_files import FileNumber, OpenFiles
from plimsoll.observe.roles import OTHERS, Roles
from plimsoll.observe.tally import BELONGS_MAX, Wanted

if TYPE_CHECKING:
    from plimsoll.native.call_probe import CallProbe, CallRow
    from plimsoll.observe.belonging import Belonging
    from plimsoll.observe.block_io import BlockIo

ROWS_MAX = 10_000
"""Rows that are told apart; beyond them the others are one row for each operation."""
_PARTS_MAX = 64
"""Distributions that wait to be made one."""
_PAGED = ("ext2", "ext3", "ext4", "xfs")
"""File systems whose files' pages come from their disks as they are, so that the block layer knows whose they are. Others have them
made of what they compress (squashfs, EROFS), or brought by a program (FUSE)."""


@dataclass(frozen=True)
class FileCall:
    """Calls of one process, of one kind, on one file."""

    role: str
    pid: int
    number: FileNumber
    file: str | None
    """Its path; None where nobody was found to have it open."""
    inode_number: int | None
    """None: of a relation."""
    operation: Literal["read", "write", "flush"]
    is_direct: bool
    is_synchronous: bool
    ios: int
    """Calls that ended."""
    bytes: int
    errors: int
    latency_hdr: bytes
    opened_by: int | None = None
    """A process that was found to have the file open."""
    is_paged: bool = False
    """Whether what is read of it through the page cache is seen at disks with its name."""
    relation: str | None = None
    started_ns: int | None = None
    """When the process began, since the host was started."""
    instance: str | None = None
    """Of Oracle, as `Role.instance`."""
    database: str | None = None
    tablespace: str | None = None
    cgroup: str | None = None
    file_kind: FileKind = "inode"
    is_untitled: bool = False
    """Whether the process had ended before its title was read, by which alone it is known what it is in its database."""
    is_hidden: bool = False
    """Whether /proc does not show its title to this user."""

    def of_relation(self, relation: str, file: str) -> FileCall:
        """The same as part of a relation, whose segments are one file to people."""
        return replace(self, relation=relation, file=file, inode_number=None)

    def belonging(self, database: str | None, tablespace: str | None, cgroup: str | None) -> FileCall:
        """The same, told to what it belongs."""
        return replace(self, database=database, tablespace=tablespace, cgroup=cgroup)


class _Key(NamedTuple):
    role: str
    file: str | None
    relation: str | None
    device: tuple[int, int]
    inode_number: int | None
    operation: Literal["read", "write", "flush"]
    is_direct: bool
    is_synchronous: bool
    is_paged: bool
    database: str | None
    tablespace: str | None
    cgroup: str | None


_File = tuple[str | None, int | None]
"""Path and inode: without the inode all segments of a relation."""


@dataclass
class _Sum:
    calls: int = 0
    bytes: int = 0
    errors: int = 0
    pids: set[int] = field(default_factory=set)
    numbers: set[FileNumber] = field(default_factory=set)
    """Of a relation those of its segments."""
    distributions: list[bytes] = field(default_factory=list)

    def add(self, row: FileCall) -> None:
        self.join(_Sum(row.ios, row.bytes, row.errors, {row.pid}, {row.number}, [row.latency_hdr]))

    def join(self, other: _Sum) -> None:
        """Adds what another has."""
        self.calls += other.calls
        self.bytes += other.bytes
        self.errors += other.errors
        self.pids |= other.pids
        self.numbers |= other.numbers
        self.distributions += other.distributions
        if len(self.distributions) >= _PARTS_MAX:
            merged = latency(self.distributions).hdr
            self.distributions = [] if merged is None else [merged]


Naming = Callable[[Sequence[FileCall]], Sequence[FileCall]]
"""Names the relations of rows that have one, and leaves them in their order."""
RelationOf = Callable[[str, int], tuple[str, str] | None]
"""The relation of a file by its path and inode, and the path of its first segment."""


@dataclass
class FileCalls:
    """Reads a probe and adds up what it counted: `begin` once, then `cut` and `look` again and again, `facts` at the end."""

    probe: CallProbe
    wanted: Wanted = Wanted()
    files: OpenFiles = field(default_factory=OpenFiles)
    """Names that were found: those of the I/O at disks, whose readings look at them again, so that a file has one name."""
    belonging: Belonging | None = None
    """What tells the databases, tablespaces and control groups of rows, where they are asked for."""
    unknown: Counter[WatchWord] = field(default_factory=Counter)
    """Calls that read or write of which that is not known, whatever is wanted."""
    lost: int = 0
    """Calls in no row since the begin, for want of room in the kernel."""
    folded: int = 0
    """Calls that came to the rows of the others."""
    untitled: int = 0
    """Calls of processes of databases that ended before their title was read."""
    hidden: int = 0
    """Those of processes of databases whose title /proc does not show to this user."""
    roles: set[str] = field(default_factory=set)
    """All that were seen, whatever is wanted."""
    met: set[str] = field(default_factory=set)
    """What of that which is wanted was true of a call, in words."""
    _roles: Roles = field(default_factory=Roles)
    _pids: set[int] = field(default_factory=set)
    _sums: dict[_Key, _Sum] = field(default_factory=dict)
    _reads: CachedReads = field(default_factory=CachedReads)
    _lost_before: int = 0

    def begin(self) -> None:
        """What was called before is left out. Raises `probe-unread`."""
        _, counts = call_probe.read(self.probe)
        self._lost_before = counts["lost_threads"] + counts["lost_rows"]

    def cut(self) -> None:
        """Ends what the next look adds. Raises `probe-unread`."""
        call_probe.cut(self.probe)

    def look(self, named: Naming, ios: Iterable[BlockIo] = ()) -> None:
        """Adds what was counted until the last cut, beside all I/O that was seen at disks then. Raises `probe-unread`."""
        found, counts = call_probe.read(self.probe)
        self.lost = counts["lost_threads"] + counts["lost_rows"] - self._lost_before
        self._roles.look_again()
        self._look_for_names(found)
        seen = [self._row(row) for row in found]
        if self.belonging is not None:
            seen = self.belonging.told(seen, self.unknown)
        rows = [row for row in seen if self.wanted.has_of_file(row)]
        self.untitled += sum(row.ios for row in rows if row.is_untitled)
        self.hidden += sum(row.ios for row in rows if row.is_hidden)
        self.roles.update(row.role for row in seen)
        self.met.update(words for row in rows for words in self.wanted.met_of_file(row))
        for row in named(rows):
            self._sum_of(row).add(row)
        self._reads.add(found, ios)

    def name_relations(self, relation_of: RelationOf) -> None:
        """Makes rows of files whose relation was not known in time rows of the relation."""
        for key in list(self._sums):
            if key.relation is not None or key.file is None or key.inode_number is None:
                continue
            if found := relation_of(key.file, key.inode_number):
                named = key._replace(relation=found[0], file=found[1], inode_number=None)
                one = self._sums.pop(key)
                self._sums.setdefault(named, _Sum()).join(one)

    def facts(self, duration_s: float, are_whole: bool) -> tuple[WatchedCall, ...]:
        """Those that took most time in all first, as rates over so many seconds. `are_whole`: whether no I/O is missing at the
        disks."""
        numbers: dict[_File, set[FileNumber]] = {}
        for key, one in self._sums.items():
            numbers.setdefault((key.file, key.inode_number), set()).update(one.numbers)
        is_known = are_whole and not self.lost
        made = [
            _fact(key, one, duration_s, self._share(key, numbers) if is_known else None)
            for key, one in self._sums.items()
        ]
        return tuple(sorted(made, key=lambda row: (-_time_us(row), row.role, row.file or "", row.operation)))

    def _share(self, key: _Key, numbers: dict[_File, set[FileNumber]]) -> float | None:
        if key.file is None or key.operation != "read" or key.is_direct or not key.is_paged:
            return None
        return self._reads.cached_share(numbers[key.file, key.inode_number])

    def _look_for_names(self, found: Sequence[CallRow]) -> None:
        """At descriptors of the callers first, then of all that were seen before."""
        now = {row["owner_pid"] for row in found}
        nameless = {number for number in map(_number, found) if self.files.name(number) is None}
        if nameless:
            self.files.look_for(nameless, [*now, *(self._pids - now)])
        self._pids |= now

    def _row(self, row: CallRow) -> FileCall:
        number = _number(row)
        role = self._roles.of(row["owner_pid"], row["owner_started_ns"], row["command"])
        return FileCall(
            role=role.name,
            pid=row["owner_pid"],
            number=number,
            file=self.files.name(number),
            inode_number=row["inode"],
            operation=row["operation"],
            is_direct=row["is_direct"],
            is_synchronous=row["is_synchronous"],
            ios=row["calls"],
            bytes=row["bytes"],
            errors=row["errors"],
            latency_hdr=row["latency_hdr"],
            opened_by=self.files.opened_by(number),
            is_paged=self.files.file_system(number) in _PAGED,
            started_ns=row["owner_started_ns"],
            instance=role.instance,
            is_untitled=role.is_untitled and not role.is_hidden,
            is_hidden=role.is_hidden,
        )

    def _sum_of(self, row: FileCall) -> _Sum:
        key = _Key(
            row.role,
            row.file,
            row.relation,
            row.number.device,
            row.inode_number,
            row.operation,
            row.is_direct,
            row.is_synchronous,
            row.is_paged,
            row.database,
            row.tablespace,
            row.cgroup,
        )
        if key not in self._sums and len(self._sums) >= ROWS_MAX:
            self.folded += row.ios
            key = _Key(
                OTHERS,
                None,
                None,
                (0, 0),
                None,
                row.operation,
                False,
                False,
                False,
                row.database,
                row.tablespace,
                row.cgroup,
            )
            if key not in self._sums and len(self._sums) >= BELONGS_MAX:
                key = key._replace(database=None, tablespace=None, cgroup=None)
        return self._sums.setdefault(key, _Sum())


def _number(row: CallRow) -> FileNumber:
    return FileNumber(row["file_device"], row["inode"])


def _time_us(row: WatchedCall) -> float:
    return row.calls * (row.latency_us.mean or 0.0)


def _fact(key: _Key, one: _Sum, duration_s: float, cached_share: float | None) -> WatchedCall:
    done = one.calls - one.errors
    return WatchedCall(
        role=key.role,
        processes=len(one.pids),
        file=key.file,
        relation=key.relation,
        inode_number=key.inode_number,
        operation=key.operation,
        is_direct=key.is_direct,
        is_synchronous=key.is_synchronous,
        database=key.database,
        tablespace=key.tablespace,
        cgroup=key.cgroup,
        calls=one.calls,
        bytes=one.bytes,
        errors=one.errors,
        calls_per_s=one.calls / duration_s,
        mb_per_s=one.bytes / 1e6 / duration_s,
        size_bytes_mean=one.bytes / done if one.bytes else None,
        cached_share=cached_share,
        latency_us=latency(one.distributions) if one.distributions else LatencyUs(count=0),
    )
