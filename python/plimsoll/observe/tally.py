"""Readings of the probe added up: a row for each role, file, operation and disk, whatever number of processes had the role."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from plimsoll.facts import LatencyUs, WatchedIo, WatchedOperation, WatchedSize
from plimsoll.facts.watch import COUNTED, FileKind, WatchWord, moved_bytes
from plimsoll.native.latency import latency
from plimsoll.observe.block_io import BlockIo, OfFile
from plimsoll.observe.names_told import is_below, is_named
from plimsoll.observe.roles import OTHERS
from plimsoll.observe.seen_twice import SeenTwice

ROWS_MAX = 10_000
"""Rows that are told apart; beyond them the others of a disk are one row for each operation, which is said."""
BEGUN_SHARE_MIN = 0.99
"""Where less is known of a row's I/Os, their wait is not known: others may have waited otherwise."""
BELONGS_MAX = 2 * ROWS_MAX
"""Rows, those of the others among them, whose database, tablespace and control group are told apart."""
AT_DISK, OF_ROLE, OF_FILE = "at the disk ", "of the role ", "of a file whose path holds "
OF_DATABASE, OF_TABLESPACE, OF_CGROUP = "of the database ", "of the tablespace ", "in the control group "
"""How what is asked for is put in words."""
_PARTS_MAX = 64
"""Distributions that wait to be made one."""


@dataclass(frozen=True)
class Wanted:
    """Which rows are asked for; nothing given: all of them."""

    devices: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Parts of paths."""
    databases: tuple[str, ...] = ()
    """As rows have them, or by the name alone."""
    tablespaces: tuple[str, ...] = ()
    """Likewise."""
    cgroups: tuple[str, ...] = ()
    """Paths of control groups: all below them are meant too."""

    def has(self, row: BlockIo) -> bool:
        """Whether this row is asked for."""
        return (not self.devices or row.device in self.devices) and self.has_of_file(row)

    def has_of_file(self, row: OfFile) -> bool:
        """Whether it is by its role, its file, and to what these belong."""
        return (
            (not self.roles or row.role in self.roles)
            and (not self.files or (row.file is not None and any(part in row.file for part in self.files)))
            and (not self.databases or any(is_named(row.database, name) for name in self.databases))
            and (not self.tablespaces or any(is_named(row.tablespace, name) for name in self.tablespaces))
            and (not self.cgroups or any(is_below(row.cgroup, path) for path in self.cgroups))
        )

    @property
    def belongs(self) -> tuple[WatchWord, ...]:
        """What rows have to be told of, besides what they always are."""
        asked: tuple[tuple[WatchWord, tuple[str, ...]], ...] = (
            ("database", self.databases), ("tablespace", self.tablespaces), ("cgroup", self.cgroups),
        )  # fmt: skip
        return tuple(word for word, names in asked if names)

    @property
    def of_some_owners(self) -> bool:
        """Whether some owners' rows are asked for."""
        return bool(self.roles or self.cgroups)

    @property
    def of_some_files(self) -> bool:
        """Whether some files' rows are asked for."""
        return bool(self.files or self.databases or self.tablespaces)

    @property
    def words(self) -> tuple[str, ...]:
        """Each thing that is asked for, in words."""
        return (
            *(f"{AT_DISK}{name}" for name in self.devices),
            *(f"{OF_ROLE}{name}" for name in self.roles),
            *(f"{OF_FILE}{part}" for part in self.files),
            *(f"{OF_DATABASE}{name}" for name in self.databases),
            *(f"{OF_TABLESPACE}{name}" for name in self.tablespaces),
            *(f"{OF_CGROUP}{path}" for path in self.cgroups),
        )

    def met_by(self, row: BlockIo) -> Iterator[str]:
        """Those of these words that are true of a row."""
        yield f"{AT_DISK}{row.device}"
        yield from self.met_of_file(row)

    def met_of_file(self, row: OfFile) -> Iterator[str]:
        """Those that are true of its role, its file, and of what these belong to."""
        yield f"{OF_ROLE}{row.role}"
        yield from (f"{OF_FILE}{part}" for part in self.files if part in (row.file or ""))
        yield from (f"{OF_DATABASE}{name}" for name in self.databases if is_named(row.database, name))
        yield from (f"{OF_TABLESPACE}{name}" for name in self.tablespaces if is_named(row.tablespace, name))
        yield from (f"{OF_CGROUP}{path}" for path in self.cgroups if is_below(row.cgroup, path))


class _Key(NamedTuple):
    role: str
    device: str
    file: str | None
    relation: str | None
    file_kind: FileKind
    inode_number: int | None
    operation: str
    database: str | None
    tablespace: str | None
    cgroup: str | None


@dataclass
class _Sum:
    ios: int = 0
    bytes: int = 0
    errors: int = 0
    begun_ios: int = 0
    queue_us: float = 0.0
    above: tuple[str, ...] = ()
    pids: set[int] = field(default_factory=set)
    sizes: dict[int | None, int] = field(default_factory=dict)
    distributions: list[bytes] = field(default_factory=list)

    def add(self, row: BlockIo) -> None:
        self.ios += row.ios
        self.bytes += row.bytes
        self.errors += row.errors
        self.begun_ios += row.begun_ios
        self.queue_us += (row.queue_us_mean or 0.0) * row.begun_ios
        self.above = row.above or self.above  # a loop device may be gone when its last I/Os are read
        if row.pid is not None:
            self.pids.add(row.pid)
        for bytes_max, ios in row.sizes:
            self.sizes[bytes_max] = self.sizes.get(bytes_max, 0) + ios
        if row.service_us.hdr is not None:
            self.distributions.append(row.service_us.hdr)
        if len(self.distributions) >= _PARTS_MAX:
            merged = latency(self.distributions).hdr
            self.distributions = [] if merged is None else [merged]

    def join(self, other: _Sum) -> None:
        """Adds what another has."""
        for name in ("ios", "bytes", "errors", "begun_ios", "queue_us"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.above = self.above or other.above
        self.pids |= other.pids
        for bytes_max, ios in other.sizes.items():
            self.sizes[bytes_max] = self.sizes.get(bytes_max, 0) + ios
        self.distributions += other.distributions

    @property
    def queue_us_mean(self) -> float | None:
        """None where it is known of too few."""
        is_known = self.begun_ios > 0 and self.begun_ios >= BEGUN_SHARE_MIN * self.ios
        return self.queue_us / self.begun_ios if is_known else None


@dataclass
class Tally:
    """What was added up so far."""

    folded: int = 0
    """I/Os that came to the row of the others."""
    untitled: int = 0
    """I/Os of processes that ended before their title was read, by which alone it is known what they are."""
    hidden: int = 0
    """I/Os of those whose title is not for us to read."""
    _sums: dict[_Key, _Sum] = field(default_factory=dict)

    def add(self, rows: Iterable[BlockIo]) -> None:
        """What one more reading holds."""
        for row in rows:
            self._sum_of(row).add(row)
            self.untitled += row.ios if row.is_untitled else 0
            self.hidden += row.ios if row.is_hidden else 0

    @property
    def has_counted(self) -> bool:
        """Whether there is an I/O among them that the kernel counts as one of a disk."""
        return any(key.operation in COUNTED for key in self._sums)

    def rows(self, duration_s: float, twice: SeenTwice) -> tuple[WatchedIo, ...]:
        """Those with most I/Os first, as rates over so many seconds."""
        found = [
            _fact(key, one, duration_s, twice.is_again(key.device, one.above))
            for key, one in self._sums.items()
        ]
        return tuple(sorted(found, key=lambda row: (-row.ios, row.role, row.file or "", row.operation)))

    def name_relations(self, relation_of: Callable[[str, int], tuple[str, str] | None]) -> None:
        """Makes rows of files whose relation was not known in time rows of the relation."""
        for key in list(self._sums):
            if key.relation is not None or key.file is None or key.inode_number is None:
                continue
            if found := relation_of(key.file, key.inode_number):
                named = key._replace(relation=found[0], file=found[1], inode_number=None)
                one = self._sums.pop(key)
                self._sums.setdefault(named, _Sum()).join(one)

    def _sum_of(self, row: BlockIo) -> _Sum:
        key = _Key(
            row.role,
            row.device,
            row.file,
            row.relation,
            row.file_kind,
            row.inode_number,
            row.operation,
            row.database,
            row.tablespace,
            row.cgroup,
        )
        if key not in self._sums and len(self._sums) >= ROWS_MAX:
            self.folded += row.ios
            key = _Key(OTHERS, row.device, None, None, "unknown", None, row.operation, *_belongs(row))
            if key not in self._sums and len(self._sums) >= BELONGS_MAX:
                key = key._replace(database=None, tablespace=None, cgroup=None)
        return self._sums.setdefault(key, _Sum())


def _belongs(row: BlockIo) -> tuple[str | None, str | None, str | None]:
    """To what a row of the others belongs: it is kept as long as there is room."""
    return row.database, row.tablespace, row.cgroup


def _fact(key: _Key, one: _Sum, duration_s: float, is_again: bool) -> WatchedIo:
    latency_us = latency(one.distributions) if one.distributions else LatencyUs(count=0)
    queue_us = one.queue_us_mean
    return WatchedIo(
        role=key.role,
        processes=len(one.pids),
        device=key.device,
        above=one.above,
        is_again=is_again,
        file=key.file,
        relation=key.relation,
        file_kind=key.file_kind,
        inode_number=key.inode_number,
        operation=cast("WatchedOperation", key.operation),
        database=key.database,
        tablespace=key.tablespace,
        cgroup=key.cgroup,
        ios=one.ios,
        bytes=one.bytes,
        errors=one.errors,
        iops=one.ios / duration_s,
        mb_per_s=moved_bytes(one.bytes, one.ios, one.errors) / 1e6 / duration_s,
        size_bytes_mean=one.bytes / one.ios if one.bytes else None,
        sizes=tuple(
            WatchedSize(bytes_max=size, ios=ios) for size, ios in sorted(one.sizes.items(), key=_by_size)
        ),
        queue_us_mean=queue_us,
        request_us_mean=_request_us(key.operation, queue_us, latency_us.mean),
        latency_us=latency_us,
    )


def _request_us(operation: str, queue_us: float | None, timed_us: float | None) -> float | None:
    """A request for a flush is timed as a whole."""
    if operation == "flush-request":
        return timed_us
    return None if queue_us is None or timed_us is None else queue_us + timed_us


def _by_size(counted: tuple[int | None, int]) -> float:
    return float("inf") if counted[0] is None else counted[0]
