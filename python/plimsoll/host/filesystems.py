"""Which file system holds a path, from the kernel's own table (proc_pid_mountinfo(5))."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from plimsoll.base.redact import redact
from plimsoll.facts import FileSystem
from plimsoll.ports import files
from plimsoll.ports.mounts import Mount, mount_table, mounts

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


def file_system(path: Path) -> FileSystem | None:
    """The mount that holds `path`; None when the table cannot be read, or the path changes while it is followed."""
    try:
        real = path.resolve()
    except OSError:
        return None
    found = find_mount(mount_table(), real, files.mount_id(path))
    if found is None:
        return None
    # Some file systems of the network show in the table how they log in.
    options = map(redact, dict.fromkeys([*found.options.split(","), *found.super_options.split(",")]))
    return FileSystem(
        kind=found.kind, mount_point=found.point, options=",".join(options), source=redact(found.source)
    )


def find_mount(table: str, path: Path, mount_id: int | None) -> Mount | None:
    """The mount of that number; without one the longest mount point above `path`, the last of several on one point.

    The number is right also where a later mount hides an earlier one that lies deeper, or a file is a mount of its own.
    """
    known = list(mounts(table))
    numbered = [mount for mount in known if mount.id == mount_id]
    above = numbered or [mount for mount in known if path.is_relative_to(mount.point)]
    return max(reversed(above), key=lambda mount: len(mount.point), default=None)


def own_table(proc: Path = Path("/proc")) -> str:
    """The mounts that this process sees."""
    return files.read_text(proc / "self" / "mountinfo") or ""


def mount_of_number(table: str, number: int) -> Mount | None:
    """A mount whose files have this device number (`st_dev`)."""
    name = f"{os.major(number)}:{os.minor(number)}"
    return next((mount for mount in mounts(table) if mount.device == name), None)


def mounted_devices(table: str) -> Iterator[tuple[int, str]]:
    """(number, mount point) of each device that a mount stands on: the one it names, and the one it was mounted from."""
    for mount in mounts(table):
        major, _, minor = mount.device.partition(":")
        if major.isdigit() and minor.isdigit() and major != "0":
            yield os.makedev(int(major), int(minor)), mount.point
        if mount.source.startswith("/"):
            source = files.device_number(mount.source)
            if source is not None:
                yield source, mount.point


def remote_points(table: str) -> tuple[str, ...]:
    """Mount points of file systems that may keep whoever looks waiting."""
    return tuple(f"{mount.point}/" for mount in mounts(table) if is_remote(mount))


def is_remote(mount: Mount) -> bool:
    """Whether other hosts or other programs serve it."""
    return mount.kind.startswith(_REMOTE_KINDS)
