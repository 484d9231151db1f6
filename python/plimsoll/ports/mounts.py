"""What is mounted where, from the kernel's own table (proc_pid_mountinfo(5)), and putting a mount there or taking it away."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from plimsoll.base.values import value
from plimsoll.ports import files, processes

_ESCAPE = re.compile(r"\\([0-7]{3})")
_UPPER = re.compile(r"(?:^|,)upperdir=([^,]+)")
_FIELDS_MIN = 6
_ADMINISTRATORS = "/usr/sbin:/sbin"
"""Where programs are that only root has a use for, and other users' PATH does not lead to."""
_LOOP_CONTROL = "/dev/loop-control"
"""Hands out loop devices (loop(4)); it comes with the kernel's module loop."""


@value
class Mount:
    """One line of the table."""

    id: int
    point: str
    options: str
    kind: str
    source: str
    super_options: str
    device: str
    """`major:minor`; 0:42 and the like where no device holds it, or more than one."""
    root: str = "/"
    """What of the file system is seen there."""

    @property
    def upper_folder(self) -> str | None:
        """Of an overlay: where what is written to it goes."""
        found = _UPPER.search(self.super_options) if self.kind == "overlay" else None
        return None if found is None else found[1]


def mount_table() -> str:
    """The table of this process; empty where it cannot be read."""
    return files.read_text("/proc/self/mountinfo") or ""


def mounts(table: str) -> Iterator[Mount]:
    """The lines of a table, in the order in which they were mounted; what is no such line is passed over."""
    return (mount for mount in map(_parse, table.splitlines()) if mount is not None)


def is_mounted(point: str, source: str) -> bool:
    """Whether a file system of that source is mounted there, also below a later mount."""
    return any(mount.point == point and mount.source == source for mount in mounts(mount_table()))


def is_topmost(point: str, source: str) -> bool:
    """Whether it is what one finds there now."""
    there = [mount.source for mount in mounts(mount_table()) if mount.point == point]
    return there[-1:] == [source]


def detach(point: str) -> None:
    """Takes away what is mounted there, at once, and looks at nothing that it serves.

    Forced: whoever waits for an answer of a server that was killed would otherwise wait for ever, beyond the reach of signals.
    """
    import shutil

    for words in (["umount", "--force", "--lazy", "--no-canonicalize"], ["fusermount3", "-u", "-z", "--"]):
        if shutil.which(words[0]) is not None and processes.run([*words, point]).returncode == 0:
            return


def mount_memory(point: str, source: str, size_bytes: int) -> None:
    """A small file system in memory, of that name in the list of mounts. Raises OSError with what the program said."""
    _run("mount", "-t", "tmpfs", "-o", f"mode=755,size={size_bytes}", source, point)


def make_file_system(image: str) -> None:
    """An ext4 in a file, with nothing of it left to be written later. Raises OSError with what the program said."""
    _run("mkfs.ext4", "-q", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", image)


def mount_file(image: str, point: str, options: str, is_in_memory: bool = False) -> Mount:
    """The file system in a file, by a loop device that is gone with the mount.

    It bypasses the page cache; of a file in memory the pages are the file. Raises OSError with what a program said.
    """
    _run("mount", "-o", f"loop,{options}", image, point)
    made = next(mount for mount in mounts(mount_table()) if mount.point == point)
    if not is_in_memory:
        _run("losetup", "--direct-io=on", made.source)
    return made


def missing_for_files() -> str | None:
    """What `make_file_system` and `mount_file` need and is not here; None: nothing."""
    for program in ("mkfs.ext4", "losetup", "mount", "umount"):
        if _found(program) is None:
            return f"there is no program {program}"
    return None if os.path.exists(_LOOP_CONTROL) else f"there is no {_LOOP_CONTROL}"


def _found(program: str) -> str | None:
    import shutil

    return shutil.which(program) or shutil.which(program, path=_ADMINISTRATORS)


def _run(program: str, *words: str) -> None:
    found = _found(program)
    if found is None:
        raise OSError(0, f"there is no program {program}")
    done = processes.run([found, *words])
    if done.returncode != 0:
        raise OSError(
            0, " ".join(done.stderr.split()) or f"{program} ended with {processes.how_ended(done.returncode)}"
        )


def _parse(line: str) -> Mount | None:
    """`id parent major:minor root mount-point options … - type source super-options`."""
    before, separator, after = line.partition(" - ")
    fields, rest = before.split(" "), after.split(" ")
    if not separator or len(fields) < _FIELDS_MIN or len(rest) < 3 or not fields[0].isdigit():
        return None
    return Mount(
        id=int(fields[0]),
        point=_unescape(fields[4]),
        options=fields[5],
        kind=rest[0],
        source=_unescape(rest[1]),
        super_options=rest[2],
        device=fields[2],
        root=_unescape(fields[3]),
    )


def _unescape(text: str) -> str:
    """Blanks, tabs, newlines, backslashes and number signs are written as a backslash and three octal digits."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)
