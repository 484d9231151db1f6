"""How much memory this host has left: whatever keeps bytes in it asks first, as the kernel kills others once there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from plimsoll.ports import files

_ROOT = Path("/")
_FILES = ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file")
_FILES_V1 = ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
"""Of a control group of each version: where groups are, its limit, what it has, and what of that the kernel takes back first."""


def available_bytes(root: Path = _ROOT) -> int | None:
    """What programs can still take without any being killed, as the kernel estimates it, and what the limits of this process's
    control groups leave of it; None where the kernel does not say.

    source: proc_meminfo(5), MemAvailable; the kernel's cgroup-v2.rst (`memory.max`) and cgroup-v1/memory.rst
    """
    found = re.search(
        r"^MemAvailable:\s+(\d+) kB$", files.read_text(root / "proc/meminfo") or "", re.MULTILINE
    )
    return min(int(found[1]) * 1024, *_left_in_groups(root)) if found else None


def node_available_bytes(node: int, root: Path = _ROOT) -> int | None:
    """What can still be taken of one node's memory: what nobody holds there, and pages of files that the kernel gives up first.
    Who may take memory of one node alone is killed for want of it, or another in its place, however much others have. None where
    the kernel does not say.

    source: mm/page_alloc.c (`CONSTRAINT_MEMORY_POLICY` in mm/oom_kill.c); drivers/base/node.c, `meminfo`
    """
    text = files.read_text(root / f"sys/devices/system/node/node{node}/meminfo") or ""
    told = dict(re.findall(r"^Node \d+ (MemFree|Inactive\(file\)):\s+(\d+) kB$", text, re.MULTILINE))
    if "MemFree" not in told:
        return None
    return sum(int(kib) for kib in told.values()) * 1024


def left_in_group_bytes(folder: Path) -> int | None:
    """What the limits of a control group and of those around it leave of memory to who is put into it; None: they have none."""
    around = [one for one in (folder, *folder.parents) if (one / "cgroup.procs").exists()]
    found = [left for one in around for names in (_FILES, _FILES_V1) for left in _left(one, *names[1:])]
    return min(found, default=None)


def _left_in_groups(root: Path) -> Iterator[int]:
    """Of each group with a limit that this process is in, those around it among them."""
    yield 1 << 62
    for line in (files.read_text(root / "proc/self/cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "memory" not in controllers.split(","):
            continue
        place, *names = _FILES_V1 if controllers else _FILES
        top = root / place
        folder = top / path.lstrip("/")
        # In a container the path may begin outside of it: then the folders around are what is there.
        for at in (folder, *folder.parents):
            if not at.is_relative_to(top):
                break
            yield from _left(at, *names)


def _left(folder: Path, limit: str, used: str, kept: str) -> Iterator[int]:
    most, now = files.read_text(folder / limit) or "", files.read_text(folder / used) or ""
    if most.isdecimal() and now.isdecimal():
        told = re.search(rf"^{kept} (\d+)$", files.read_text(folder / "memory.stat") or "", re.MULTILINE)
        yield max(0, int(most) - int(now) + (int(told[1]) if told else 0))
