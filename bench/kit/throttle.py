"""A loop device that the kernel throttles: this process and its children get so many reads per second of it.

By `blkio.throttle.read_iops_device` of control groups version 1, or `io.max` of version 2.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from kit.targets import CannotMake, write_file

_SPAN_BYTES = 256 << 20
_MEMORY = Path("/dev/shm")


@contextmanager
def throttled_loop(reads_per_s: int) -> Iterator[str]:
    """The device's name; all is taken back after the block. Raises CannotMake."""
    if os.geteuid() != 0:
        raise CannotMake("only root can make loop devices and control groups")
    mount, is_unified = _hierarchy()
    with ExitStack() as undo:
        backing = _MEMORY / f"plimsoll-bench-{os.getpid()}.dat"
        undo.callback(backing.unlink, missing_ok=True)
        write_file(backing, _SPAN_BYTES)
        device = _do("losetup", "--find", "--show", "--read-only", str(backing))
        undo.callback(_do, "losetup", "--detach", device)
        group = mount / f"plimsoll-bench-{os.getpid()}"
        group.mkdir()
        undo.callback(group.rmdir)
        number = Path("/sys/class/block", Path(device).name, "dev").read_text().strip()
        if is_unified:
            (group / "io.max").write_text(f"{number} riops={reads_per_s}\n")
        else:
            (group / "blkio.throttle.read_iops_device").write_text(f"{number} {reads_per_s}\n")
        (group / "cgroup.procs").write_text(f"{os.getpid()}\n")
        undo.callback((mount / "cgroup.procs").write_text, f"{os.getpid()}\n")
        yield device


def _hierarchy() -> tuple[Path, bool]:
    """Where groups are made that throttle block devices, and whether it is of version 2."""
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, mount, kind, options, *_ = line.split(" ")
        if kind == "cgroup" and "blkio" in options.split(","):
            return Path(mount), False
        if kind == "cgroup2" and "io" in Path(mount, "cgroup.controllers").read_text().split():
            Path(mount, "cgroup.subtree_control").write_text("+io\n")
            return Path(mount), True
    raise CannotMake("no control group can throttle block devices here")


def _do(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotMake(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()
