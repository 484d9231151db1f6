"""A file system on a loop device of one's own, whose file lies in memory: nothing else uses that device."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from loop_device import Loop, run

_MEMORY = Path("/dev/shm")


@contextmanager
def mounted_loop(size_bytes: int = 1 << 30) -> Iterator[tuple[Path, Loop]]:
    """As `mounted`, for a test, which is skipped where it cannot be made."""
    if os.geteuid() != 0:
        pytest.skip("loop devices and mounts are for root")
    if shutil.which("mkfs.ext4") is None:
        pytest.skip("mkfs.ext4 is not installed (package e2fsprogs)")
    with mounted(f"plimsoll-mounted-{os.getpid()}", size_bytes) as found:
        yield found


@contextmanager
def mounted(name: str, size_bytes: int, options: str = "noatime") -> Iterator[tuple[Path, Loop]]:
    """Where ext4 is mounted, in a folder of that name that every account may enter, and the device."""
    with ExitStack() as stack:
        folder, backing = Path("/var/tmp", name), _MEMORY / f"{name}.dat"
        folder.mkdir(mode=0o755)
        stack.callback(folder.rmdir)
        stack.callback(backing.unlink, missing_ok=True)
        with backing.open("wb") as file:
            file.truncate(size_bytes)
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", backing)
        loop = Loop(backing, "--direct-io=on")
        stack.callback(loop.detach)
        run("mount", "-o", options, loop.path, folder)
        stack.callback(_unmount, folder)
        folder.chmod(0o755)
        yield folder, loop


def _unmount(folder: Path) -> None:
    """A server that was ended keeps its files for a moment."""
    for _ in range(50):
        done = subprocess.run(["umount", folder], capture_output=True, check=False)
        if done.returncode == 0:
            return
        time.sleep(0.1)
    run("umount", folder)
