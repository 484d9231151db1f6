"""Names of files by their numbers: the kernel counts by device and inode, people think in paths.

A name is found among the descriptors of processes, and remembered as long as the file is there under it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

FILES_MAX = 65_536
"""Names that are remembered; a database of more files is looked at again."""


@dataclass(frozen=True)
class FileNumber:
    """A file for as long as it exists: device of its file system (major, minor), and inode there."""

    device: tuple[int, int]
    inode_number: int


@dataclass
class OpenFiles:
    """What was found so far."""

    _names: dict[FileNumber, str] = field(default_factory=dict)

    def look_at(self, pids: Iterable[int]) -> None:
        """Remembers what these processes have open; those that have ended or may not be looked at have nothing."""
        for pid in pids:
            for number, name in _descriptors(pid):
                if len(self._names) >= FILES_MAX:
                    self._names.clear()
                self._names[number] = name

    def name(self, number: FileNumber) -> str | None:
        """Its path; None where no process was seen to have it open, or it is no longer there under that name."""
        name = self._names.get(number)
        return name if name is not None and _number(name) == number else None


def _descriptors(pid: int) -> Iterator[tuple[FileNumber, str]]:
    folder = f"/proc/{pid}/fd"
    try:
        descriptors = os.listdir(folder)
    except OSError:
        return
    for descriptor in descriptors:
        link = f"{folder}/{descriptor}"
        number = _number(link)
        if number is not None:
            try:
                yield number, os.readlink(link)
            except OSError:
                continue


def _number(path: str) -> FileNumber | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return FileNumber((os.major(found.st_dev), os.minor(found.st_dev)), found.st_ino)
