"""Which file system holds a path, from the kernel's own table (proc_pid_mountinfo(5))."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.redact import redact
from plimsoll.facts import FileSystem
from plimsoll.ports import files

_ESCAPE = re.compile(r"\\([0-7]{3})")
_UPPER = re.compile(r"(?:^|,)upperdir=([^,]+)")
_FIELDS_MIN = 6
_REMOTE_KINDS = (
    "nfs",
    "cifs",
    "smb",
    "ceph",
    "fuse",
    "9p",
    "afs",
    "lustre",
    "gpfs",
    "beegfs",
    "gfs2",
    "ocfs2",
    "autofs",
    "virtiofs",
)


@dataclass(frozen=True)
class _Mount:
    """One line of the table."""

    id: int
    point: str
    options: str
    kind: str
    source: str
    super_options: str
    device: str
    """`major:minor`; 0:42 and the like where no device holds it, or more than one."""

    @property
    def upper_folder(self) -> str | None:
        """Of an overlay: where what is written to it goes."""
        found = _UPPER.search(self.super_options) if self.kind == "overlay" else None
        return None if found is None else found[1]


def file_system(path: Path) -> FileSystem | None:
    """The mount that holds `path`; None when the table cannot be read, or the path changes while it is followed."""
    try:
        real = path.resolve()
    except OSError:
        return None
    found = find_mount(files.read_text("/proc/self/mountinfo") or "", real, files.mount_id(path))
    if found is None:
        return None
    # Some file systems of the network show in the table how they log in.
    options = map(redact, dict.fromkeys([*found.options.split(","), *found.super_options.split(",")]))
    return FileSystem(
        kind=found.kind, mount_point=found.point, options=",".join(options), source=redact(found.source)
    )


def find_mount(table: str, path: Path, mount_id: int | None) -> _Mount | None:
    """The mount of that number; without one the longest mount point above `path`, the last of several on one point.

    The number is right also where a later mount hides an earlier one that lies deeper, or a file is a mount of its own.
    """
    mounts = [mount for mount in map(_parse, table.splitlines()) if mount is not None]
    numbered = [mount for mount in mounts if mount.id == mount_id]
    above = numbered or [mount for mount in mounts if path.is_relative_to(mount.point)]
    return max(reversed(above), key=lambda mount: len(mount.point), default=None)


def own_table(proc: Path = Path("/proc")) -> str:
    """The mounts that this process sees."""
    return files.read_text(proc / "self" / "mountinfo") or ""


def mount_of_number(table: str, number: int) -> _Mount | None:
    """A mount whose files have this device number (`st_dev`)."""
    name = f"{os.major(number)}:{os.minor(number)}"
    return next(
        (mount for mount in filter(None, map(_parse, table.splitlines())) if mount.device == name), None
    )


def mounted_devices(table: str) -> Iterator[tuple[int, str]]:
    """(number, mount point) of each device that a mount stands on: the one it names, and the one it was mounted from."""
    for mount in filter(None, map(_parse, table.splitlines())):
        major, _, minor = mount.device.partition(":")
        if major.isdigit() and minor.isdigit() and major != "0":
            yield os.makedev(int(major), int(minor)), mount.point
        if mount.source.startswith("/"):
            source = files.device_number(mount.source)
            if source is not None:
                yield source, mount.point


def remote_points(table: str) -> tuple[str, ...]:
    """Mount points of file systems that other hosts or other programs serve: they may keep whoever looks waiting."""
    mounts = filter(None, map(_parse, table.splitlines()))
    return tuple(f"{mount.point}/" for mount in mounts if mount.kind.startswith(_REMOTE_KINDS))


def _parse(line: str) -> _Mount | None:
    """`id parent major:minor root mount-point options … - type source super-options`."""
    before, separator, after = line.partition(" - ")
    fields, rest = before.split(" "), after.split(" ")
    if not separator or len(fields) < _FIELDS_MIN or len(rest) < 3 or not fields[0].isdigit():
        return None
    return _Mount(
        id=int(fields[0]),
        point=_unescape(fields[4]),
        options=fields[5],
        kind=rest[0],
        source=_unescape(rest[1]),
        super_options=rest[2],
        device=fields[2],
    )


def _unescape(text: str) -> str:
    """Blanks, tabs, newlines, backslashes and number signs are written as a backslash and three octal digits."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)
