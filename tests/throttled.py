"""Control groups that throttle a block device, for tests that want a device of known speed.

The throttle is the kernel's own (`blkio.throttle.*_iops_device` of control groups version 1, `io.max` of version 2).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Controller:
    """Where control groups that throttle block devices are made: a mounted hierarchy, and this process's place in it."""

    mount: Path
    home: Path
    unified: bool

    def throttle(self, group: Path, number: str, limits: Mapping[str, int]) -> None:
        """Limits the device with that number for the processes in the group; `limits` has the words of `io.max`: riops, wbps …"""
        if self.unified:
            words = " ".join(f"{name}={limit}" for name, limit in limits.items())
            (group / "io.max").write_text(f"{number} {words}\n")
            return
        for name, limit in limits.items():
            way, unit = ("read" if name[0] == "r" else "write"), name[1:]
            (group / f"blkio.throttle.{way}_{unit}_device").write_text(f"{number} {limit}\n")


def controller() -> Controller:
    """The one of this machine; skips the test where there is none, and says what would make one."""
    own = Path("/proc/self/cgroup").read_text()
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, mount, kind, options, *_ = line.split(" ")
        if kind == "cgroup" and "blkio" in options.split(","):
            place = re.search(r"^\d+:[^:]*\bblkio\b[^:]*:/(.*)$", own, re.MULTILINE)
            if place and Path(mount, "blkio.throttle.read_iops_device").exists():
                return Controller(Path(mount), Path(mount, place[1]), unified=False)
        if kind == "cgroup2" and "io" in Path(mount, "cgroup.controllers").read_text().split():
            place = re.search(r"^0::/(.*)$", own, re.MULTILINE)
            if place:
                Path(mount, "cgroup.subtree_control").write_text("+io\n")
                return Controller(Path(mount), Path(mount, place[1]), unified=True)
    pytest.skip(
        "no control group can throttle block devices here: it takes a kernel with CONFIG_BLK_DEV_THROTTLING and the"
        " controller blkio (mount -t cgroup -o blkio none FOLDER) or io (version 2)"
    )


@contextmanager
def throttled(
    device: str | Sequence[str],
    reads_per_s: int | None = None,
    writes_per_s: int | None = None,
    *,
    read_bytes_per_s: int | None = None,
) -> Iterator[Callable[[int], None]]:
    """This process and its children are in a group for which each device is throttled, until the end of the block.

    What it yields throttles reads of all of them to another rate.
    """  # fmt: skip
    place = controller()
    with ExitStack() as stack:
        group = place.mount / f"plimsoll-throttled-{os.getpid()}"
        group.mkdir()
        stack.callback(group.rmdir)
        devices = [device] if isinstance(device, str) else device
        numbers = [Path("/sys/class/block", Path(one).name, "dev").read_text().strip() for one in devices]

        def throttle(**limits: int | None) -> None:
            given = {name: limit for name, limit in limits.items() if limit is not None}
            for number in numbers:
                place.throttle(group, number, given)

        throttle(riops=reads_per_s, wiops=writes_per_s, rbps=read_bytes_per_s)
        (group / "cgroup.procs").write_text(f"{os.getpid()}\n")
        stack.callback((place.home / "cgroup.procs").write_text, f"{os.getpid()}\n")
        yield lambda reads_per_s: throttle(riops=reads_per_s)
