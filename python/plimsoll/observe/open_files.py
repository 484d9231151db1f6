"""Names of files by their numbers: the kernel counts by file system and inode, people think in paths.

A name is found among the descriptors of processes. What they have open is never looked at itself: a file on a server that is gone,
or in a file system whose program hangs, would keep whoever looks waiting. The kernel's own tables tell number and path
(proc_pid_fdinfo(5), proc_pid_mountinfo(5)), also in a container, in an overlay and of Btrfs.
"""

from __future__ import annotations

import itertools
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
DESCRIPTORS_MAX = 5_000
"""Descriptors that are looked at in one go, half a second or so; the next look goes on from there, be it within a process."""
_WAIT_MAX = 64
"""A file without a name is looked for again after 1, 2, 4 readings and so on, and at least after so many."""
_FIELD = re.compile(rb"^(mnt_id|ino):\s*(\d+)$", re.MULTILINE)
_PROC = Path("/proc")


@dataclass(frozen=True)
class FileNumber:
    """A file for as long as it exists: device of its file system (major, minor), and inode there."""

    device: tuple[int, int]
    inode_number: int


@dataclass(frozen=True)
class _Descriptor:
    """A file that a process has open."""

    place: _Place
    name: str
    number: FileNumber
    leads_there: bool
    """Whether the name can be followed from here without a wait."""
    file_system: str
    """The kind of its file system, as the kernel calls it: ext4."""


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
    _pass: Iterator[_Place] | None = None
    """What is left to be looked at where a look was ended for being long enough."""
    _sought: set[FileNumber] = field(default_factory=set)
    """What was missing when that pass over all descriptors began: it is missed when the pass is over."""

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
            if self.name(number) is None and self._pass is None and number in self._sought:
                self._miss(number)

    def name(self, number: FileNumber) -> str | None:
        """Its path; None where no process was seen to have it open, or it is no longer there under that name."""
        if number not in self._names:
            found = self._found.get(number)
            self._names[number] = found.name if found is not None and self._is_there(found) else None
        return self._names[number]

    def opened_by(self, number: FileNumber) -> int | None:
        """The process at whose descriptors its name was found."""
        found = self._found.get(number)
        return None if found is None else found.place.pid

    def file_system(self, number: FileNumber) -> str | None:
        """The kind of its file system, such as ext4; None where no process was found to have the file open."""
        found = self._found.get(number)
        return None if found is None else found.file_system

    def _look_at(self, pids: Iterable[int], missing: set[FileNumber]) -> None:
        """Goes on remembering what processes have open, until nothing is missing; those that have ended have nothing."""
        if self._pass is None:
            self._pass, self._sought = self._places(list(pids)), set(missing)
        seen = SeenMounts(self.proc)
        looks = 0
        for place in itertools.islice(self._pass, DESCRIPTORS_MAX):
            looks += 1
            for found in _descriptors(self.proc, place, seen):
                missing.discard(found.number)
                self._remember(found)
            if not missing:
                break
        if not missing or looks < DESCRIPTORS_MAX:
            self._pass = None

    def _places(self, pids: list[int]) -> Iterator[_Place]:
        """All that these processes have open, each of them looked up when it is its turn."""
        return (place for pid in pids for place in self._open_at(pid))

    def _open_at(self, pid: int) -> list[_Place]:
        try:
            return [
                _Place(pid, number) for number in sorted(map(int, os.listdir(self.proc / str(pid) / "fd")))
            ]
        except PermissionError:
            self.refused.add(pid)
        except OSError:
            # /proc shows no trace of it, or it has ended.
            if processes.is_hidden(pid):
                self.refused.add(pid)
        return []

    def _remember(self, found: _Descriptor) -> None:
        """In place of the oldest, where there is no room: a process may have more open than are remembered."""
        self._found.pop(found.number, None)
        if len(self._found) >= FILES_MAX:
            del self._found[next(iter(self._found))]
        self._found[found.number] = found

    def _is_there(self, found: _Descriptor) -> bool:
        """Whether the file still has that name: by its path where nobody has to be asked for it, else by its descriptor."""
        if found.leads_there and _is_file(found.name, found.number):
            return True
        same_inode = _about(self.proc, found.place).get("ino") == found.number.inode_number
        return same_inode and _read_link(_link(self.proc, found.place)) == found.name

    def _rests(self, number: FileNumber) -> bool:
        return number in self._misses and self._misses[number].left > 0

    def _miss(self, number: FileNumber) -> None:
        if len(self._misses) >= FILES_MAX:
            self._misses.clear()
        wait = self._misses[number].wait if number in self._misses else 1
        self._misses[number] = _Miss(left=wait + 1, wait=min(2 * wait, _WAIT_MAX))


def _descriptors(proc: Path, place: _Place, seen: SeenMounts) -> Iterator[_Descriptor]:
    """None of what is no file with a path, such as a socket; of a file in an overlay two, as disks and as calls know it."""
    link = _link(proc, place)
    name = _read_link(link)
    about = _about(proc, place) if name is not None and name.startswith("/") else {}
    mount = seen.of_process(place.pid, about["mnt_id"]) if "mnt_id" in about else None
    file_system = None if mount is None else seen.file_system(mount)
    if name is None or mount is None or file_system is None:
        return
    leads_there = seen.leads_there(mount, name)
    # Linux tells the inode since 5.14; before it, it has to be asked of the file itself, where that cannot take long.
    inode_number = about.get("ino") or (_inode_number(link) if leads_there else None)
    if inode_number is None:
        return
    yield _Descriptor(
        place, name, FileNumber(file_system, inode_number), leads_there, seen.holding(mount).kind
    )
    of_calls = seen.of_calls(mount)
    if of_calls is not None and of_calls != file_system:
        yield _Descriptor(place, name, FileNumber(of_calls, inode_number), leads_there, mount.kind)


def _is_file(path: str, number: FileNumber) -> bool:
    try:
        state = os.stat(path)
    except OSError:
        return False
    device = (os.major(state.st_dev), os.minor(state.st_dev))
    # Overlays and Btrfs have numbers of no device for those who ask.
    return state.st_ino == number.inode_number and (device == number.device or device[0] == 0)


def _about(proc: Path, place: _Place) -> dict[str, int]:
    """What the kernel tells of a descriptor: the number of its mount, and the inode."""
    told = files.read_bytes(f"{proc}/{place.pid}/fdinfo/{place.descriptor}") or b""
    return {name.decode(): int(value) for name, value in _FIELD.findall(told)}


def _link(proc: Path, place: _Place) -> str:
    """Text, as there may be thousands of them to follow in a moment."""
    return f"{proc}/{place.pid}/fd/{place.descriptor}"


def _read_link(link: str) -> str | None:
    try:
        return os.readlink(link)
    except OSError:
        return None


def _inode_number(path: Path | str) -> int | None:
    try:
        return os.stat(path).st_ino
    except OSError:
        return None
