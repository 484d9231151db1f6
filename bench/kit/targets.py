"""What is measured: a file on the local disk, and one on a loop device whose backing file lies in memory."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PLACES = ("disk", "loop")
"""Their names."""
_LOCAL = Path("/var/tmp")
"""On disk, where /tmp may be memory."""
_PATIENCE_S = 10.0
_SPARE_BYTES = 128 << 20
"""For the file system's own blocks."""


class CannotMake(Exception):
    """A target cannot be made here; the words say why."""


@contextmanager
def folder_on(place: str, bytes_needed: int) -> Iterator[Path]:
    """A folder of ours on that place, gone after the block. Raises CannotMake."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-", dir=_LOCAL) as made:
        if place == "disk":
            yield Path(made)
            return
        with ExitStack() as undo:
            yield _file_system_in_memory(Path(made), bytes_needed, undo)


def _file_system_in_memory(folder: Path, bytes_needed: int, undo: ExitStack) -> Path:
    """ext4 on a loop device with direct I/O to its backing file, which lies on a tmpfs."""
    if os.geteuid() != 0:
        raise CannotMake("only root can make loop devices")
    memory, disk, backing = folder / "memory", folder / "disk", folder / "memory/backing"
    size = bytes_needed + _SPARE_BYTES
    memory.mkdir()
    disk.mkdir()
    _do("mount", "-t", "tmpfs", "-o", f"size={size + (16 << 20)}", "none", memory)
    undo.callback(_unmount, memory)
    with backing.open("wb") as file:
        file.truncate(size)
    device = _do("losetup", "--find", "--show", "--direct-io=on", backing)
    undo.callback(_do, "losetup", "--detach", device)
    if Path(f"/sys/block/{Path(device).name}/loop/dio").read_text().strip() != "1":
        raise CannotMake("the loop device refuses direct I/O to its backing file")
    _do("mkfs.ext4", "-q", "-m", "0", "-E", "nodiscard", device)
    _do("mount", device, disk)
    undo.callback(_unmount, disk)
    return disk


def write_file(path: Path, size_bytes: int) -> None:
    """Fills a new file with random data, on stable storage when this returns."""
    with path.open("wb") as out:
        for _ in range(size_bytes >> 20):
            out.write(os.urandom(1 << 20))
        os.fsync(out.fileno())


def _unmount(folder: Path) -> None:
    """The kernel lets go of a ring's files, and of a loop device's, a moment after their last user has ended."""
    deadline_s = time.monotonic() + _PATIENCE_S
    while True:
        try:
            _do("umount", folder)
        except CannotMake:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(0.1)
        else:
            return


def _do(*words: str | Path) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotMake(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout.strip()
