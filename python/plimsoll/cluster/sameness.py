"""Whether two hosts see the same file or disk, by what each of them tells of it.

Inode and size alone say little: files that were made alike on two fresh file systems have both in common, and so have all files of
machines that were cloned from one image. A file of a local file system is therefore never one with a file of another machine, and a
disk is known by what tells it from every other for good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

SHARED_FILE_SYSTEMS = frozenset(
    {
        "9p", "acfs", "afs", "beegfs", "ceph", "cifs", "fuse.ceph", "fuse.glusterfs", "fuse.sshfs", "gfs2", "glusterfs", "gpfs",
        "lustre", "nfs", "nfs4", "ocfs2", "orangefs", "panfs", "smb3", "virtiofs",
    }
)  # fmt: skip
"""Types of file systems that several machines have in common (/proc/filesystems)."""
_FOR_GOOD = frozenset({"serial", "WWN", "dm-uuid", "md-uuid"})
"""Names of links and files behind a loop device may be the same on every host."""


@dataclass(frozen=True)
class View:
    """What one host sees at a path."""

    boot: str
    device: int
    file_number: int
    """Its inode."""
    number: int
    """Of a device node, the device behind it; 0 for a file."""
    size_bytes: int
    modified_ns: int
    file_system: str | None
    names: frozenset[tuple[str, str]]
    """Of a disk: kinds and values."""

    @classmethod
    def of(cls, said: Mapping[str, Any], boot: str) -> Self:
        """As an agent tells it. Raises KeyError, TypeError, ValueError."""
        numbers = {name: int(said[name]) for name in ("device", "number", "size_bytes", "modified_ns")}
        numbers["file_number"] = int(said["inode"])
        names = frozenset((str(kind), str(value)) for kind, value in said["names"] if kind in _FOR_GOOD)
        kind = said["file_system"]
        return cls(boot=boot, file_system=None if kind is None else str(kind), names=names, **numbers)


def all_same(views: Sequence[View | None]) -> bool | None:
    """Whether all see one thing; None where nothing tells."""
    found = [_same(views[0], other) for other in views[1:]]
    return False if False in found else None if None in found else True


def _same(one: View | None, other: View | None) -> bool | None:
    if one is None or other is None or bool(one.number) != bool(other.number):
        return False
    if one.boot == other.boot:
        return (
            one.number == other.number
            if one.number
            else (one.device, one.file_number) == (other.device, other.file_number)
        )
    if one.number:
        return _same_disk(one, other)
    if not {one.file_system, other.file_system} <= SHARED_FILE_SYSTEMS:
        return False
    return (one.file_number, one.size_bytes, one.modified_ns) == (
        other.file_number,
        other.size_bytes,
        other.modified_ns,
    )


def _same_disk(one: View, other: View) -> bool | None:
    """By any identity that both tell; where one of them differs, they are two."""
    kinds = {kind for kind, _ in one.names} & {kind for kind, _ in other.names}
    if not kinds:
        return None
    return all(any(name in other.names for name in one.names if name[0] == kind) for kind in kinds)


def each_sees_all(seen: Sequence[Sequence[Any]]) -> bool:
    """Whether every host finds the files that all of them made under names that nobody else has."""
    return all(_agree([own[place] for own in seen]) for place in range(len(seen)))


def _agree(views: Sequence[Any]) -> bool:
    found = [None if view is None else (view["inode"], view["size_bytes"]) for view in views]
    return found[0] is not None and all(one == found[0] for one in found)
