"""Names of files by their numbers: the kernel counts by file system and inode, people think in paths.

A name is found among the descriptors of processes. What they have open is never looked at itself: a file on a server that is gone,
or in a file system whose program hangs, would keep whoever looks waiting. The kernel's own tables tell number and path
(proc_pid_fdinfo(5), proc_pid_mountinfo(5)), also in a container, in an overlay and of Btrfs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from plimsoll.observe.seen_mounts import SeenMounts
from plimsoll.ports import files, processes

FILES_MAX = 65_536
"""Names that are remembered, and numbers that had none; a database of more files is looked at again."""
DESCRIPTORS_MAX = 20_000
"""Descriptors that are looked at in one go, half a second or so; the next look goes on from there, be it within a process."""
_WAIT_MAX = 64
"""A file without a name is looked for again after 1, 2, 4 readings and so on, and at least after so many."""
_FIELD = re.compile(r"^(mnt_id|ino):\s*(\d+)$", re.MULTILINE)
_PROC = Path("/proc")


@dataclass(frozen=True)
class FileNumber:
    """A file for as long as it exists: device of its file system (major, minor), and inode there."""

    device: tuple[int, int]
    inode_number: int


@dataclass(frozen=True)
class _Descriptor:
    """A file that a process has open."""

    link: Path
    name: str
    number: FileNumber
    leads_there: bool
    """Whether the name can be followed from here without a wait."""


class _Place(NamedTuple):
    """A descriptor of a process."""

    pid: int
    descriptor: int


@dataclass
class _Miss:
    """Readings that go by before the next look, and how many after that one."""

    left: int
    wait: int


@dataclass
class OpenFiles:
    """What was found so far."""

    proc: Path = _PROC
    refused: set[int] = field(default_factory=set)
    """Processes at whose descriptors we may not look."""
    _found: dict[FileNumber, _Descriptor] = field(default_factory=dict)
    _misses: dict[FileNumber, _Miss] = field(default_factory=dict)
    _names: dict[FileNumber, str | None] = field(default_factory=dict)
    """Names as they are at this reading."""
    _stopped_at: _Place | None = None
    """Where a look was ended for being long enough."""

    def look_again(self) -> None:
        """Files may have other names than at the reading before."""
        self._names.clear()
        for miss in self._misses.values():
            miss.left -= 1

    def look_for(self, wanted: Iterable[FileNumber], pids: Iterable[int]) -> None:
        """Looks for files without a name among what these processes have open; for those that were sought in vain now and then."""
        missing = {number for number in wanted if self.name(number) is None and not self._rests(number)}
        if not missing:
            return
        self._look_at(pids, set(missing))
        for number in missing:
            self._names.pop(number, None)
            # What a look did not come to may be there: the next reading goes on.
            if self.name(number) is None and self._stopped_at is None:
                self._miss(number)

    def name(self, number: FileNumber) -> str | None:
        """Its path; None where no process was seen to have it open, or it is no longer there under that name."""
        if number not in self._names:
            found = self._found.get(number)
            self._names[number] = found.name if found is not None and _is_there(found) else None
        return self._names[number]

    def opened_by(self, number: FileNumber) -> int | None:
        """The process at whose descriptors its name was found."""
        found = self._found.get(number)
        return None if found is None else int(found.link.parent.parent.name)

    def _look_at(self, pids: Iterable[int], missing: set[FileNumber]) -> None:
        """Remembers what these processes have open, until nothing is missing; those that have ended have nothing."""
        seen = SeenMounts(self.proc)
        for looks, place in enumerate(self._places(list(pids))):
            if not missing:
                return
            if looks >= DESCRIPTORS_MAX:
                self._stopped_at = place
                return
            found = _descriptor(place.pid, self._folder(place.pid) / str(place.descriptor), seen)
            if found is not None:
                missing.discard(found.number)
                self._remember(found)

    def _places(self, pids: list[int]) -> Iterator[_Place]:
        """All that these processes have open, each once, from where the look before was ended."""
        start, self._stopped_at = self._stopped_at, None
        if start is None or start.pid not in pids:
            yield from (place for pid in pids for place in self._open_at(pid))
            return
        first = pids.index(start.pid)
        left = self._open_at(start.pid)
        yield from (place for place in left if place >= start)
        yield from (place for pid in pids[first + 1 :] + pids[:first] for place in self._open_at(pid))
        yield from (place for place in left if place < start)

    def _open_at(self, pid: int) -> list[_Place]:
        try:
            return [_Place(pid, number) for number in sorted(map(int, os.listdir(self._folder(pid))))]
        except PermissionError:
            self.refused.add(pid)
        except OSError:
            # /proc shows no trace of it, or it has ended.
            if processes.is_hidden(pid):
                self.refused.add(pid)
        return []

    def _folder(self, pid: int) -> Path:
        return self.proc / str(pid) / "fd"

    def _remember(self, found: _Descriptor) -> None:
        """In place of the oldest, where there is no room: a process may have more open than are remembered."""
        self._found.pop(found.number, None)
        if len(self._found) >= FILES_MAX:
            del self._found[next(iter(self._found))]
        self._found[found.number] = found

    def _rests(self, number: FileNumber) -> bool:
        return number in self._misses and self._misses[number].left > 0

    def _miss(self, number: FileNumber) -> None:
        if len(self._misses) >= FILES_MAX:
            self._misses.clear()
        wait = self._misses[number].wait if number in self._misses else 1
        self._misses[number] = _Miss(left=wait + 1, wait=min(2 * wait, _WAIT_MAX))


def _descriptor(pid: int, link: Path, seen: SeenMounts) -> _Descriptor | None:
    """None of what is no file with a path, such as a socket."""
    name = _read_link(link)
    about = _about(link) if name is not None and name.startswith("/") else {}
    mount = seen.of_process(pid, about["mnt_id"]) if "mnt_id" in about else None
    file_system = None if mount is None else seen.file_system(mount)
    if name is None or mount is None or file_system is None:
        return None
    leads_there = seen.leads_there(mount, name)
    # Linux tells the inode since 5.14; before it, it has to be asked of the file itself, where that cannot take long.
    inode_number = about.get("ino") or (_inode_number(link) if leads_there else None)
    return (
        None
        if inode_number is None
        else _Descriptor(link, name, FileNumber(file_system, inode_number), leads_there)
    )


def _is_there(found: _Descriptor) -> bool:
    """Whether the file still has that name: by its path where nobody has to be asked for it, else by the descriptor that had it."""
    if found.leads_there and _is_file(found.name, found.number):
        return True
    same_inode = _about(found.link).get("ino") == found.number.inode_number
    return same_inode and _read_link(found.link) == found.name


def _is_file(path: str, number: FileNumber) -> bool:
    try:
        state = os.stat(path)
    except OSError:
        return False
    device = (os.major(state.st_dev), os.minor(state.st_dev))
    # Overlays and Btrfs have numbers of no device for those who ask.
    return state.st_ino == number.inode_number and (device == number.device or device[0] == 0)


def _about(link: Path) -> dict[str, int]:
    """What the kernel tells of a descriptor: the number of its mount, and the inode."""
    text = files.read_text(link.parent.parent / "fdinfo" / link.name) or ""
    return {name: int(value) for name, value in _FIELD.findall(text)}


def _read_link(link: Path) -> str | None:
    try:
        return os.readlink(link)
    except OSError:
        return None


def _inode_number(path: Path | str) -> int | None:
    try:
        return os.stat(path).st_ino
    except OSError:
        return None
