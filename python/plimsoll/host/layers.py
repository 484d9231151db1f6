"""Which disks lie on which, for who adds up I/O: one that goes through several disks is counted at each of them.

Told by sysfs and by the table of mounts. No file is looked at, for whoever looks at one may wait for a server that is gone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from plimsoll.host.devices import behind_loop, whole_disk
from plimsoll.host.filesystems import find_mount
from plimsoll.ports.mounts import Mount, mount_table

BLOCKS = Path("/sys/block")
_DEV = Path("/dev")
_FOLDERS_OF_NAMES = ("mapper", "md")
"""Where the device-mapper and md keep the names that people gave to disks."""
_DELETED = " (deleted)"
_NVME = re.compile(r"nvme(?P<subsystem>\d+)n(?P<namespace>\d+)")
"""A disk of NVMe; where it has several ways, each of them is a hidden disk (drivers/nvme/host/multipath.c)."""


@dataclass(frozen=True)
class Layers:
    """Disks by the names that /proc/diskstats has for them; tests have a tree of their own."""

    blocks: Path = BLOCKS
    table: Callable[[], str] = mount_table

    def makes_requests(self, name: str) -> bool:
        """Whether its driver makes requests of the block layer, where alone I/O is seen; True where sysfs knows no such disk."""
        folder = self._folder(name)
        return (folder / "mq").exists() or not folder.exists()

    def beneath(self, name: str) -> tuple[str, ...]:
        """The disks that it is built on, or that hold its file; none of what lies beneath those."""
        folder = self._folder(name)
        held = behind_loop(folder)
        if held is not None:
            return self._of_file(held.removesuffix(_DELETED))
        members = [_name(link.resolve()) for link in folder.glob("slaves/*")]
        return tuple(sorted({*members, *self._ways(name)}))

    def seen_beneath(self, name: str) -> tuple[str, ...]:
        """The disks at which its I/Os are seen again, however deep they lie."""
        return tuple(sorted({one for one in self._all_beneath(name) if self.makes_requests(one)}))

    def first_seen(self, name: str) -> tuple[str, ...]:
        """The disks at which its I/Os are seen first: itself, else those beneath. Empty where they are seen nowhere."""
        if self.makes_requests(name):
            return (name,)
        found = {one for lower in self.beneath(name) if lower != name for one in self.first_seen(lower)}
        return tuple(sorted(found))

    def lowest(self, name: str) -> tuple[str, ...]:
        """The disks at which its I/Os are seen last, as none of those lies beneath them. Empty where they are seen nowhere."""
        seen = self.seen_beneath(name) or self.first_seen(name)
        return tuple(one for one in seen if not self.seen_beneath(one))

    def of_number(self, number: str) -> str | None:
        """The whole disk of a disk's or partition's number, such as `8:1`; None where that is no disk's."""
        folder = self.blocks.parent / "dev" / "block" / number
        return _name(folder.resolve()) if folder.exists() else None

    def _all_beneath(self, name: str) -> Collection[str]:
        found: set[str] = set()
        left = [name]
        while left:
            lower = set(self.beneath(left.pop())) - found - {name}
            found |= lower
            left.extend(lower)
        return found

    def _ways(self, name: str) -> Iterator[str]:
        nvme = _NVME.fullmatch(name)
        if nvme is not None:
            yield from (path.name for path in self.blocks.glob(f"nvme{nvme[1]}c*n{nvme[2]}"))

    def _of_file(self, path: str) -> tuple[str, ...]:
        """The disk that holds a file, or that a node stands for."""
        table = self.table()
        mount = find_mount(table, Path(path), None)
        if mount is not None and mount.point == str(_DEV):
            return self._of_node(path)
        if mount is not None and mount.upper_folder is not None:
            mount = find_mount(table, Path(mount.upper_folder), None)
        return () if mount is None else self._of_mount(mount)

    def _of_mount(self, mount: Mount) -> tuple[str, ...]:
        disk = self.of_number(mount.device)
        if disk is not None:
            return (disk,)
        # Btrfs has a number of no device.
        return self._of_node(mount.source) if Path(mount.source).is_relative_to(_DEV) else ()

    def _of_node(self, path: str) -> tuple[str, ...]:
        folder = self.blocks.parent / "class" / "block" / os.path.basename(os.path.realpath(path))
        return (_name(folder.resolve()),) if folder.exists() else ()

    def _folder(self, name: str) -> Path:
        # A slash in a name, as in cciss/c0d0, is an exclamation mark in sysfs.
        return self.blocks / name.replace("/", "!")


def kernel_name(name: str, known: Collection[str], dev: Path = _DEV) -> str:
    """The kernel's name of a disk that is named as below /dev, or as the device-mapper or md has it; else the same name."""
    short = name.removeprefix(f"{_DEV}/")
    if short in known:
        return short
    for folder in ("", *_FOLDERS_OF_NAMES):
        found = os.path.basename(os.path.realpath(dev / folder / short))
        if found in known:
            return found
    return short


def _name(folder: Path) -> str:
    return whole_disk(folder).name.replace("!", "/")
