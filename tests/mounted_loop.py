"""A file system on a loop device of a test's own, whose file lies in memory: nothing else uses that device."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from loop_device import Loop, run

MEMORY = Path("/dev/shm")


@contextmanager
def mounted_loop(size_bytes: int = 1 << 30) -> Iterator[tuple[Path, Loop]]:
    """Where it is mounted, in a folder that every account may enter, and the device."""
    if os.geteuid() != 0:
        pytest.skip("loop devices and mounts are for root")
    if shutil.which("mkfs.ext4") is None:
        pytest.skip("mkfs.ext4 is not installed (package e2fsprogs)")
    with ExitStack() as stack:
        place = Path("/var/tmp") / f"plimsoll-mounted-{os.getpid()}"
        backing = MEMORY / f"plimsoll-mounted-{os.getpid()}.dat"
        place.mkdir(mode=0o755)
        stack.callback(place.rmdir)
        stack.callback(backing.unlink, missing_ok=True)
        with backing.open("wb") as file:
            file.truncate(size_bytes)
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", backing)
        loop = Loop(backing, "--direct-io=on")
        stack.callback(loop.detach)
        run("mount", "-o", "noatime", loop.path, place)
        stack.callback(run, "umount", place)
        place.chmod(0o755)
        yield place, loop
