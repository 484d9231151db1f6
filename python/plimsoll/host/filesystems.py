"""Which file system holds a path, from the kernel's own table (proc_pid_mountinfo(5))."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from plimsoll.facts import FileSystem
from plimsoll.ports import files

_ESCAPE = re.compile(r"\\([0-7]{3})")
_FIELDS_MIN = 6


@dataclass(frozen=True)
class _Mount:
    """One line of the table."""

    id: int
    point: str
    options: str
    kind: str
    source: str
    super_options: str


def file_system(path: Path) -> FileSystem | None:
    """The mount that holds `path`; None when the table cannot be read."""
    found = find_mount(files.read_text("/proc/self/mountinfo") or "", path.resolve(), files.mount_id(path))
    if found is None:
        return None
    options = dict.fromkeys([*found.options.split(","), *found.super_options.split(",")])
    return FileSystem(
        kind=found.kind, mount_point=found.point, options=",".join(options), source=found.source
    )


def find_mount(table: str, path: Path, mount_id: int | None) -> _Mount | None:
    """The mount of that number; without one the longest mount point above `path`, the last of several on one point.

    The number is right also where a later mount hides an earlier one that lies deeper, or a file is a mount of its own.
    """
    mounts = [mount for mount in map(_parse, table.splitlines()) if mount is not None]
    numbered = [mount for mount in mounts if mount.id == mount_id]
    above = numbered or [mount for mount in mounts if path.is_relative_to(mount.point)]
    return max(reversed(above), key=lambda mount: len(mount.point), default=None)


def _parse(line: str) -> _Mount | None:
    """`id parent major:minor root mount-point options … - type source super-options`."""
    before, separator, after = line.partition(" - ")
    fields, rest = before.split(" "), after.split(" ")
    if not separator or len(fields) < _FIELDS_MIN or len(rest) < 3 or not fields[0].isdigit():
        return None
    return _Mount(int(fields[0]), _unescape(fields[4]), fields[5], rest[0], _unescape(rest[1]), rest[2])


def _unescape(text: str) -> str:
    """Blanks, tabs, newlines, backslashes and number signs are written as a backslash and three octal digits."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)
