"""Which file system holds a path, from the kernel's own table (proc_pid_mountinfo(5))."""

from __future__ import annotations

import re
from pathlib import Path

from plimsoll.facts import FileSystem
from plimsoll.ports import files

_ESCAPE = re.compile(r"\\([0-7]{3})")


def file_system(path: Path) -> FileSystem | None:
    """The mount with the longest mount point above `path`; the last of several on one point. None when the table is unreadable."""
    table = files.read_text("/proc/self/mountinfo")
    real = path.resolve()
    mounts = [_parse(line) for line in (table or "").splitlines()]
    above = [mount for mount in mounts if mount is not None and real.is_relative_to(mount.mount_point)]
    longest = max((len(mount.mount_point) for mount in above), default=0)
    return next((mount for mount in reversed(above) if len(mount.mount_point) == longest), None)


def _parse(line: str) -> FileSystem | None:
    """`id parent major:minor root mount-point options … - type source super-options`."""
    before, separator, after = line.partition(" - ")
    fields, rest = before.split(" "), after.split(" ")
    if not separator or len(fields) < 6 or len(rest) < 3:
        return None
    return FileSystem(
        kind=rest[0],
        mount_point=_unescape(fields[4]),
        options=f"{fields[5]},{rest[2]}" if rest[2] != fields[5] else fields[5],
        source=_unescape(rest[1]),
    )


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)
