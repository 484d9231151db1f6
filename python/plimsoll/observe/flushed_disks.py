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
from itertools import islice
from pathlib import Path

from plimsoll.host.device_counts import DeviceCounts
from plimsoll.host.filesystems import is_remote
from plimsoll.host.layers import Layers
from plimsoll.observe.device_check import Counters
from plimsoll.observe.flushed_files import about
from plimsoll.observe.older_flushes import numbered
from plimsoll.observe.roles import WRITES_DATA
from plimsoll.observe.seen_mounts import SeenMounts
from plimsoll.ports import files

_DESCRIPTORS_MAX = 400
"""Descriptors that are looked at in one go, some 10 ms; processes at which nobody looked yet come first."""
_PROCESSES_MAX = 4
"""Processes of one role in one go."""
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
    _of_roles: dict[str, set[str]] = field(default_factory=dict)
    _looked_at: set[int] = field(default_factory=set)

    def begin(self) -> None:
        """What was before is left out."""
        self._begin = self.counters.read()

    def look(self, flushed: Mapping[str, Collection[int]]) -> None:
        """Which disks hold the files that these processes, by role, have open to be written: some of them have just flushed."""
        seen = SeenMounts(self.proc)
        places = (
            (role, pid, descriptor)
            for role, pids in flushed.items()
            for pid in sorted(pids, key=lambda pid: (pid in self._looked_at, pid))[:_PROCESSES_MAX]
            for descriptor in self._descriptors(pid)
        )
        found: dict[tuple[str, int], dict[str, set[str]]] = {}
        for role, pid, descriptor in islice(places, _DESCRIPTORS_MAX):
            path, disk = self._written(seen, pid, descriptor)
            if disk is not None:
                found.setdefault((role, pid), {}).setdefault(path, set()).add(disk)
        for (role, _), by_path in found.items():
            self._of_roles.setdefault(role, set()).update(_flushed(role, by_path))

    def end(self) -> None:
        """What comes from here on is left out."""
        self._end = self.counters.read()

    def of_roles(self, duration_s: float) -> Callable[[Iterable[str]], tuple[DiskTimes, ...]]:
        """Of the files that these roles flush: at the disks that hold them, and at the lowest on which those lie."""

        def found(roles: Iterable[str]) -> tuple[DiskTimes, ...]:
            names = {name for role in roles for name in self._of_roles.get(role, ())}
            levels = (self._level(names, at) for at in (self.layers.first_seen, self.layers.lowest))
            told = (self._times(level, duration_s) for level in dict.fromkeys(levels) if level)
            return tuple(one for one in told if one is not None)

        return found

    def _descriptors(self, pid: int) -> list[Path]:
        self._looked_at.add(pid)
        return numbered(self.proc / str(pid) / "fd")

    def _written(self, seen: SeenMounts, pid: int, descriptor: Path) -> tuple[str, str | None]:
        """Path and disk of what a descriptor can write to; no disk where nothing local is behind it."""
        told = about(self.proc / str(pid) / "fdinfo" / descriptor.name)
        if int(told.get("flags", "0"), 8) & os.O_ACCMODE == os.O_RDONLY:
            return "", None
        path = _link_of(descriptor)
        mount = seen.of_process(pid, int(told.get("mnt_id", "-1")))
        if mount is None or is_remote(mount) or not path.startswith("/"):
            return path, None
        if path.startswith("/dev/"):
            return path, self._of_node(descriptor)
        held = seen.holding(mount)
        return path, None if _SEPARATE_LOG.search(held.super_options) else self.layers.of_number(held.device)

    def _of_node(self, descriptor: Path) -> str | None:
        """A disk that is written by its node, as there is no server behind that."""
        try:
            state = os.stat(descriptor)
        except OSError:
            return None
        number = f"{os.major(state.st_rdev)}:{os.minor(state.st_rdev)}"
        return self.layers.of_number(number) if stat.S_ISBLK(state.st_mode) else None

    def _level(self, names: Iterable[str], at: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
        """The disks at which I/Os of all of these are seen; none where those of one are seen nowhere."""
        found = [at(name) for name in names]
        return tuple(sorted({one for some in found for one in some})) if all(found) else ()

    def _times(self, names: tuple[str, ...], duration_s: float) -> DiskTimes | None:
        """None where one of them does not count, or all have done nothing."""
        found = [self._growth(name) for name in names]
        grown = [one for one in found if one is not None]
        told = [(ios, us) for ios, us in grown if ios > 0]
        if len(grown) < len(found) or not told or duration_s <= 0:
            return None
        return DiskTimes(
            names=names,
            ios=sum(ios for ios, _ in told),
            us_mean_max=max(us / ios for ios, us in told),
            us_per_s_max=sum(us for _, us in told) / duration_s,
        )

    def _growth(self, name: str) -> tuple[int, float] | None:
        """Writes and flushes, and what they took at most; None where it is told not to count, or went or came meanwhile."""
        begin, end = self._begin.get(name), self._end.get(name)
        if begin is None or end is None or not self._counts(name):
            return None
        ios = end.writes + (end.flushes or 0) - begin.writes - (begin.flushes or 0)
        ms = end.write_ms + (end.flush_ms or 0) - begin.write_ms - (begin.flush_ms or 0)
        return ios, max(0, ms) * 1_000.0 + _ROUNDED_US

    def _counts(self, name: str) -> bool:
        told = files.read_text(self.layers.blocks / name.replace("/", "!") / "queue" / "iostats")
        return (told or "1").strip() != "0"


def _flushed(role: str, by_path: Mapping[str, set[str]]) -> Iterator[str]:
    """Disks of what a process flushes: of the log alone, where it has that open and is none of those that flush data."""
    logs = {path for path in by_path if _LOG_SEGMENT.search(path)} if role not in WRITES_DATA else set[str]()
    for path in logs or by_path:
        yield from by_path[path]


def _link_of(descriptor: Path) -> str:
    try:
        return os.readlink(descriptor)
    except OSError:
        return ""
