"""Mounts by their numbers, as processes see them: what file system a descriptor's file is on, and whether its path leads there."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.host.filesystems import own_table, remote_points
from plimsoll.ports import files
from plimsoll.ports.mounts import Mount, mounts


@dataclass
class SeenMounts:
    """For one look at many descriptors. No two mounts have the same number at one moment, in whatever container they are."""

    proc: Path
    _known: dict[int, Mount] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        table = own_table(self.proc)
        self._take(table)
        self._here = frozenset(self._known)
        self._remote = remote_points(table)
        # Of several on one point the last is seen.
        self._by_point = {mount.point: mount for mount in self._known.values()}

    def of_process(self, pid: int, number: int) -> Mount | None:
        """The mount of that number, in the table of a process where it is not in one that was read before."""
        if number not in self._known:
            process = self.proc / str(pid)
            # Processes of one container share a table.
            table = _link_of(process / "ns" / "mnt") or str(pid)
            if table not in self._read:
                self._read.add(table)
                self._take(files.read_text(process / "mountinfo") or "")
        return self._known.get(number)

    def leads_there(self, mount: Mount, path: str) -> bool:
        """Whether the path can be followed from here, and without a server or a program being asked on the way."""
        return mount.id in self._here and not path.startswith(self._remote)

    def file_system(self, mount: Mount) -> tuple[int, int] | None:
        """Its number (major, minor): of an overlay that of the file system which holds what is written."""
        return _numbers(self.holding(mount))

    def of_calls(self, mount: Mount) -> tuple[int, int] | None:
        """The number of the file system that calls go to, of an overlay its own."""
        return _numbers(mount)

    def holding(self, mount: Mount) -> Mount:
        """The mount that holds what is written to this one, which is another one where it is an overlay."""
        upper = mount.upper_folder
        return mount if upper is None else self._holding(Path(upper)) or mount

    def _holding(self, folder: Path) -> Mount | None:
        """The mount that a folder is on here. The table is not read again: there may be thousands of overlays."""
        points = (str(one) for one in (folder, *folder.parents))
        return next((self._by_point[point] for point in points if point in self._by_point), None)

    def _take(self, table: str) -> None:
        self._known |= {mount.id: mount for mount in mounts(table)}


def _numbers(mount: Mount) -> tuple[int, int] | None:
    major, _, minor = mount.device.partition(":")
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else None


def _link_of(path: Path) -> str | None:
    try:
        return os.readlink(path)
    except OSError:
        return None
