"""Calls that read, write or flush files, added up as rows that people understand: what programs wait for, wherever data came from.

The kernel counts (`native/call_probe.py`); names are found as for I/O of the block layer (`block_io.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from plimsoll.facts import LatencyUs, WatchedCall, WatchedIo
from plimsoll.native import call_probe
from plimsoll.native.latency import latency
from plimsoll.observe.open_files import FileNumber, OpenFiles
from plimsoll.observe.roles import OTHERS, Roles
from plimsoll.observe.tally import Wanted

if TYPE_CHECKING:
    from plimsoll.native.call_probe import CallProbe, CallRow

ROWS_MAX = 10_000
"""Rows that are told apart; beyond them the others are one row for each operation."""
_PARTS_MAX = 64
"""Distributions that wait to be made one."""


@dataclass(frozen=True)
class FileCall:
    """Calls of one process, of one kind, on one file."""

    role: str
    pid: int
    file: str | None
    """Its path; None where nobody was found to have it open."""
    device: tuple[int, int]
    """Of its file system; major number 0: of no disk of its own."""
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
    relation: str | None = None

    def of_relation(self, relation: str, file: str) -> FileCall:
        """The same as part of a relation, whose segments are one file to people."""
        return replace(self, relation=relation, file=file, inode_number=None)


class _Key(NamedTuple):
    role: str
    file: str | None
    relation: str | None
    device: tuple[int, int]
    inode_number: int | None
    operation: Literal["read", "write", "flush"]
    is_direct: bool
    is_synchronous: bool


@dataclass
class _Sum:
    calls: int = 0
    bytes: int = 0
    errors: int = 0
    pids: set[int] = field(default_factory=set)
    distributions: list[bytes] = field(default_factory=list)

    def add(self, row: FileCall) -> None:
        self.calls += row.ios
        self.bytes += row.bytes
        self.errors += row.errors
        self.pids.add(row.pid)
        self.distributions.append(row.latency_hdr)
        if len(self.distributions) >= _PARTS_MAX:
            merged = latency(self.distributions).hdr
            self.distributions = [] if merged is None else [merged]


Naming = Callable[[Sequence[FileCall]], Sequence[FileCall]]
"""Names the relations of rows that have one."""


@dataclass
class FileCalls:
    """Reads a probe and adds up what it counted: `begin` once, then `cut` and `look` again and again, `facts` at the end."""

    probe: CallProbe
    wanted: Wanted = Wanted()
    lost: int = 0
    """Calls in no row since the begin, for want of room in the kernel."""
    folded: int = 0
    """Calls that came to the rows of the others."""
    _files: OpenFiles = field(default_factory=OpenFiles)
    _roles: Roles = field(default_factory=Roles)
    _pids: set[int] = field(default_factory=set)
    _sums: dict[_Key, _Sum] = field(default_factory=dict)
    _lost_before: int = 0

    def begin(self) -> None:
        """What was called before is left out. Raises `probe-unread`."""
        _, counts = call_probe.read(self.probe)
        self._lost_before = counts["lost_threads"] + counts["lost_rows"]

    def cut(self) -> None:
        """Ends what the next look adds. Raises `probe-unread`."""
        call_probe.cut(self.probe)

    def look(self, named: Naming) -> None:
        """Adds what was counted until the last cut. Raises `probe-unread`."""
        found, counts = call_probe.read(self.probe)
        self.lost = counts["lost_threads"] + counts["lost_rows"] - self._lost_before
        self._files.look_again()
        self._roles.look_again()
        self._look_for_names(found)
        for row in named([one for one in map(self._row, found) if self._is_wanted(one)]):
            self._sum_of(row).add(row)

    def facts(self, duration_s: float, ios: Sequence[WatchedIo], are_whole: bool) -> tuple[WatchedCall, ...]:
        """Those that took most time in all first, as rates over so many seconds, beside what was seen at the disks. `are_whole`:
        whether no I/O is missing there."""
        shares = _CachedShares(self._sums, ios) if are_whole else None
        made = [_fact(key, one, duration_s, shares) for key, one in self._sums.items()]
        return tuple(sorted(made, key=lambda row: (-_time_us(row), row.role, row.file or "", row.operation)))

    def _look_for_names(self, found: Sequence[CallRow]) -> None:
        """At descriptors of the callers first, then of all that were seen before."""
        now = {row["owner_pid"] for row in found}
        nameless = {number for number in map(_number, found) if self._files.name(number) is None}
        if nameless:
            self._files.look_for(nameless, [*now, *(self._pids - now)])
        self._pids |= now

    def _row(self, row: CallRow) -> FileCall:
        number = _number(row)
        role = self._roles.of(row["owner_pid"], row["owner_started_ns"], row["command"])
        return FileCall(
            role=role.name,
            pid=row["owner_pid"],
            file=self._files.name(number),
            device=row["file_device"],
            inode_number=row["inode"],
            operation=row["operation"],
            is_direct=row["is_direct"],
            is_synchronous=row["is_synchronous"],
            ios=row["calls"],
            bytes=row["bytes"],
            errors=row["errors"],
            latency_hdr=row["latency_hdr"],
            opened_by=self._files.opened_by(number),
        )

    def _is_wanted(self, row: FileCall) -> bool:
        asked = self.wanted
        is_file = not asked.files or (row.file is not None and any(part in row.file for part in asked.files))
        return is_file and (not asked.roles or row.role in asked.roles)

    def _sum_of(self, row: FileCall) -> _Sum:
        key = _Key(
            row.role,
            row.file,
            row.relation,
            row.device,
            row.inode_number,
            row.operation,
            row.is_direct,
            row.is_synchronous,
        )
        if key not in self._sums and len(self._sums) >= ROWS_MAX:
            self.folded += row.ios
            key = _Key(OTHERS, None, None, (0, 0), None, row.operation, False, False)
        return self._sums.setdefault(key, _Sum())


_File = tuple[str, int | None]


class _CachedShares:
    """What of each file came from no disk: by file, as one process reads what another waits for, and the kernel reads ahead."""

    def __init__(self, sums: dict[_Key, _Sum], ios: Iterable[WatchedIo]) -> None:
        self._asked: dict[_File, int] = {}
        self._directly: dict[_File, int] = {}
        self._from_disk: dict[_File, int] = {}
        for key, one in sums.items():
            if key.operation == "read" and key.file is not None:
                amounts = self._directly if key.is_direct else self._asked
                _add(amounts, (key.file, key.inode_number), one.bytes)
        for row in ios:
            if row.operation == "read" and row.file is not None and not row.is_again:
                _add(self._from_disk, (row.file, row.inode_number), row.bytes)

    def of(self, key: _Key) -> float | None:
        """None where it is not known."""
        is_on_disk = key.device[0] != 0
        if key.file is None or key.operation != "read" or key.is_direct or not is_on_disk:
            return None
        file = (key.file, key.inode_number)
        asked, from_disk = self._asked[file], self._from_disk.get(file, 0) - self._directly.get(file, 0)
        return None if not asked else min(1.0, max(0.0, 1.0 - max(0, from_disk) / asked))


def _add(amounts: dict[_File, int], file: _File, amount: int) -> None:
    amounts[file] = amounts.get(file, 0) + amount


def _number(row: CallRow) -> FileNumber:
    return FileNumber(row["file_device"], row["inode"])


def _time_us(row: WatchedCall) -> float:
    return row.calls * (row.latency_us.mean or 0.0)


def _fact(key: _Key, one: _Sum, duration_s: float, shares: _CachedShares | None) -> WatchedCall:
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
        calls=one.calls,
        bytes=one.bytes,
        errors=one.errors,
        calls_per_s=one.calls / duration_s,
        mb_per_s=one.bytes / 1e6 / duration_s,
        size_bytes_mean=one.bytes / done if one.bytes else None,
        cached_share=None if shares is None else shares.of(key),
        latency_us=latency(one.distributions) if one.distributions else LatencyUs(count=0),
    )
