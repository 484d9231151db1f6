"""What the disks beneath flushed files took for their writes and flushes, by the kernel's own counters: a count not of the probe's.

A limit of a control group, a frozen file system and a full queue hold I/O back before the disk gets it. A commit then waits in its
flush as if the disk were slow, and the disk's own times are short. Source: the kernel's iostats.rst; a request counts from when it
was made, behind `io.max`, to its end.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from plimsoll.host.device_counts import DeviceCounts
from plimsoll.host.filesystems import is_remote
from plimsoll.host.layers import Layers
from plimsoll.observe.device_check import Counters
from plimsoll.observe.flushed_files import about
from plimsoll.observe.older_flushes import numbered, state_and_start
from plimsoll.observe.roles import SESSIONS, WRITES_DATA
from plimsoll.observe.seen_mounts import SeenMounts
from plimsoll.ports import files
from plimsoll.ports.mounts import Mount

_DESCRIPTORS_MAX = 400
"""Descriptors of one role that are looked at in one go, some 10 ms; the next go begins where it ended."""
_PROCESSES_MAX = 4
"""Processes of one role in one go, those first at which nobody looked yet, or for the longest time."""
_IN_MEMORY = frozenset(
    {
        *("bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs"),
        *(
            "hugetlbfs",
            "mqueue",
            "proc",
            "ramfs",
            "rpc_pipefs",
            "securityfs",
            "selinuxfs",
            "sysfs",
            "tmpfs",
            "tracefs",
        ),
    }
)
"""Kinds of file systems that no disk is beneath."""
_NO_FILES = ("/memfd:", "/dmabuf:", "/SYSV")
"""How memory that is held as a file is called."""
_STDERR = "2"
"""The descriptor of what a program says, which it does not commit, where it adds to the end of a file: else it may be any file."""
_LOG_SEGMENT = re.compile(r"/[0-9A-F]{24}$")
"""A file of PostgreSQL's log, wherever its folder is: whoever has one open flushes that, and not the data that he has open too."""
_ROUNDED_US = 2_000.0
"""Both times are told in whole milliseconds."""
_SEPARATE_LOG = re.compile(r"(?:^|,)logdev=")
"""Of a file system whose journal is on another disk, which is not looked for."""


@dataclass(frozen=True)
class DiskTimes:
    """What some disks took for their writes and flushes, those of all owners, while commits were watched."""

    names: tuple[str, ...]
    ios: int
    """Writes and flushes."""
    us_mean_max: float
    """What one of them took on average, at the slowest of these disks and at most."""
    us_per_s_max: float
    """What all of them took together in each second, at most."""
    flush_us_mean_min: float = 0.0
    """What a flush took on average, at the slowest of these disks and at least; 0 where none was counted."""


class _Growth(NamedTuple):
    """What a disk did for its writes and flushes."""

    ios: int
    us_max: float
    """What they took together, at most."""
    flush_us_mean_min: float
    """What a flush took on average, at least."""


class _Written(NamedTuple):
    """A file that a process has open to be written."""

    path: str
    disk: str | None
    """None where no disk is known beneath it."""
    is_said: bool
    """Whether it takes what the process says (stderr)."""


@dataclass
class _Scan:
    """The descriptors of a process, which are looked at in one go or several."""

    folder: Path
    started: int
    left: list[Path]
    found: list[_Written] = field(default_factory=list[_Written])

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing: what a process has open is gone when it ends."""
        return not self.left and bool(numbered(self.folder / "fd")) and self.started == _start(self.folder)


def no_disks(roles: Iterable[str]) -> tuple[DiskTimes, ...]:
    """Where none is known."""
    return ()


@dataclass
class FlushedDisks:
    """`begin` once, `look` often, `end` once; then `times`."""

    proc: Path = Path("/proc")
    counters: Counters = Counters()
    layers: Layers = Layers()
    _begin: Mapping[str, DeviceCounts] = field(default_factory=dict)
    _end: Mapping[str, DeviceCounts] = field(default_factory=dict)
    _of_roles: dict[str, set[str | None]] = field(default_factory=dict)
    """With None where a file of theirs is on no known disk."""
    _scans: dict[str, _Scan] = field(default_factory=dict)
    """By role, those that did not come to their end yet."""
    _looked_at: dict[tuple[str, int], int] = field(default_factory=dict)
    """By role and process, at which look."""
    _looks: int = 0

    def begin(self) -> None:
        """What was before is left out."""
        self._begin = self.counters.read()

    def look(self, flushed: Mapping[str, Collection[int]]) -> None:
        """Which disks hold the files that these processes, by role, have open to be written: some of them have just flushed."""
        self._looks += 1
        seen = SeenMounts(self.proc)
        for role, pids in flushed.items():
            left = _DESCRIPTORS_MAX
            for scan in self._due(role, pids):
                few, scan.left = scan.left[:left], scan.left[left:]
                left -= len(few)
                written = (self._written(seen, scan.folder, descriptor) for descriptor in few)
                scan.found += [one for one in written if one is not None]
                if scan.left:
                    self._scans[role] = scan
                    break
                if scan.is_whole:
                    self._of_roles.setdefault(role, set()).update(_flushed(role, scan.found))

    def end(self) -> None:
        """What comes from here on is left out."""
        self._end = self.counters.read()

    def of_roles(self, duration_s: float) -> Callable[[Iterable[str]], tuple[DiskTimes, ...]]:
        """Of the files that these roles flush: at the disks that hold them, and at the lowest on which those lie."""

        def found(roles: Iterable[str]) -> tuple[DiskTimes, ...]:
            found = {name for role in roles for name in self._of_roles.get(role, ())}
            names = {name for name in found if name is not None}
            if len(names) < len(found):
                return ()
            levels = (self._level(names, at) for at in (self.layers.first_seen, self.layers.lowest))
            told = (self._times(level, duration_s) for level in dict.fromkeys(levels) if level)
            return tuple(one for one in told if one is not None)

        return found

    def _due(self, role: str, pids: Collection[int]) -> Iterator[_Scan]:
        """The process at which the look before ended, then others."""
        begun = self._scans.pop(role, None)
        if begun is not None:
            yield begun
        for pid in sorted(pids, key=lambda pid: (self._looked_at.get((role, pid), 0), pid))[:_PROCESSES_MAX]:
            self._looked_at[role, pid] = self._looks
            folder = self.proc / str(pid)
            yield _Scan(folder, _start(folder), sorted(numbered(folder / "fd")))

    def _written(self, seen: SeenMounts, process: Path, descriptor: Path) -> _Written | None:
        """What a descriptor can write to; None where that is no file, or in memory."""
        told = about(process / "fdinfo" / descriptor.name)
        flags = int(told.get("flags", "0"), 8)
        if flags & os.O_ACCMODE == os.O_RDONLY:
            return None
        path = _link_of(descriptor)
        if not path.startswith("/") or path.startswith(_NO_FILES):
            return None
        mount = seen.of_process(int(process.name), int(told.get("mnt_id", "-1")))
        is_said = descriptor.name == _STDERR and bool(flags & os.O_APPEND)
        # Whoever serves the file could keep waiting who asks for more.
        if is_remote(mount) if mount is not None else not path.startswith("/dev/"):
            return _Written(path, None, is_said)
        state = _state(descriptor)
        if state is not None and stat.S_ISBLK(state.st_mode):
            number = f"{os.major(state.st_rdev)}:{os.minor(state.st_rdev)}"
            return _Written(path, self.layers.of_number(number), is_said)
        held = None if mount is None else seen.holding(mount)
        if (state is not None and not stat.S_ISREG(state.st_mode)) or (held and held.kind in _IN_MEMORY):
            return None
        return _Written(path, self._disk_of(held), is_said)

    def _disk_of(self, held: Mount | None) -> str | None:
        if held is None or _SEPARATE_LOG.search(held.super_options):
            return None
        return self.layers.of_number(held.device)

    def _level(self, names: Iterable[str], at: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
        """The disks at which I/Os of all of these are seen; none where those of one are seen nowhere."""
        found = [at(name) for name in names]
        return tuple(sorted({one for some in found for one in some})) if all(found) else ()

    def _times(self, names: tuple[str, ...], duration_s: float) -> DiskTimes | None:
        """None where one of them does not count, or all have done nothing."""
        found = [self._growth(name) for name in names]
        grown = [one for one in found if one is not None]
        told = [one for one in grown if one.ios > 0]
        if len(grown) < len(found) or not told or duration_s <= 0:
            return None
        return DiskTimes(
            names=names,
            ios=sum(one.ios for one in told),
            us_mean_max=max(one.us_max / one.ios for one in told),
            us_per_s_max=sum(one.us_max for one in told) / duration_s,
            flush_us_mean_min=max(one.flush_us_mean_min for one in told),
        )

    def _growth(self, name: str) -> _Growth | None:
        """None where it is told not to count, or went or came meanwhile."""
        begin, end = self._begin.get(name), self._end.get(name)
        if begin is None or end is None or not self._counts(name):
            return None
        flushes = (end.flushes or 0) - (begin.flushes or 0)
        flush_ms = (end.flush_ms or 0) - (begin.flush_ms or 0)
        ms = end.write_ms - begin.write_ms + flush_ms
        flush_us_min = max(0.0, flush_ms * 1_000.0 - _ROUNDED_US / 2)
        return _Growth(
            ios=end.writes - begin.writes + flushes,
            us_max=max(0, ms) * 1_000.0 + _ROUNDED_US,
            flush_us_mean_min=flush_us_min / flushes if flushes > 0 else 0.0,
        )

    def _counts(self, name: str) -> bool:
        told = files.read_text(self.layers.blocks / name.replace("/", "!") / "queue" / "iostats")
        return (told or "1").strip() != "0"


def _flushed(role: str, written: Collection[_Written]) -> Iterator[str | None]:
    """Disks of what a process flushes: of the log alone, where it has that open and is none of those that flush data."""
    logs = [one for one in written if _LOG_SEGMENT.search(one.path)] if role not in WRITES_DATA else []
    said = {one.path for one in written if one.is_said}
    others = [] if role in SESSIONS else [one for one in written if one.path not in said] or written
    yield from (one.disk for one in logs or others)


def _start(folder: Path) -> int:
    return state_and_start(folder)[1]


def _state(descriptor: Path) -> os.stat_result | None:
    try:
        return os.stat(descriptor)
    except OSError:
        return None


def _link_of(descriptor: Path) -> str:
    try:
        return os.readlink(descriptor)
    except OSError:
        return ""
