"""What a flush is of, told from `/proc`: a file, or a folder, of whose flushes the kernel's probe sees none."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from plimsoll.host.filesystems import is_remote
from plimsoll.observe.seen_mounts import SeenMounts
from plimsoll.ports import files

_DESCRIPTOR_MAX = 0xFFFF_FFFF
"""The kernel takes no more of the argument."""


class FlushedFiles:
    """For one look at many of them."""

    def __init__(self, proc: Path) -> None:
        self._proc = proc
        self._mounts = SeenMounts(proc)

    def may_be_file(self, pid: int, thread: int, argument: int) -> bool:
        """Whether it is a regular file or a block device, or that cannot be told."""
        descriptor = str(argument & _DESCRIPTOR_MAX)
        # A thread may have descriptors of its own.
        folder = self._proc / str(pid) / "task" / str(thread)
        told = about(folder / "fdinfo" / descriptor)
        flags = int(told.get("flags", "0"), 8)
        if flags & os.O_ACCMODE != os.O_RDONLY:
            return True  # no folder can be opened to be written
        if flags & os.O_DIRECTORY:
            return False
        # Whoever serves the file could keep waiting who asks for more.
        mount = self._mounts.of_process(pid, int(told.get("mnt_id", "-1")))
        return mount is None or is_remote(mount) or _is_file(folder / "fd" / descriptor)


def about(path: Path) -> dict[str, str]:
    """What the kernel tells of a descriptor, by name; nothing where it is closed by now."""
    lines = (line.partition(":") for line in (files.read_text(path) or "").splitlines())
    return {name: value.strip() for name, _, value in lines}


def _is_file(path: Path) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return True
    return stat.S_ISREG(mode) or stat.S_ISBLK(mode)
