"""What several checks ask of the machine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from plimsoll.facts import Target
from plimsoll.host.filesystems import file_system
from plimsoll.host.links import Link, link_to
from plimsoll.host.provenance import host
from plimsoll.host.ways import ways_to
from plimsoll.ports.clock import SystemClock

_MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs")
_MEMORY_DEVICES = ("ram", "zram", "pmem")
_COPY_BYTES = 64 << 20
_COPIES = 3


def memory_bytes() -> int | None:
    """Memory of this machine."""
    return host().memory_bytes


def link_of(target: Target) -> Link | None:
    """What lies between the target and this host, where the machine is real and its kernel tells."""
    if host().virtualization is not None:
        return None
    return link_to(ways_to(target))


def memory_behind(target: Target) -> str | None:
    """What memory the target lies in, in words; None for what may be a disk."""
    if target.file_system is not None and target.file_system.kind in _MEMORY_FILE_SYSTEMS:
        return f"a file on {target.file_system.kind}"
    if target.device is None:
        return None
    if target.device.name.rstrip("0123456789") in _MEMORY_DEVICES:
        return f"the memory device {target.device.name}"
    return next((words for words in map(_backing, target.device.parents) if words is not None), None)


def _backing(parent: str) -> str | None:
    """Of a loop device's file, which is an absolute path among the names of devices."""
    if not parent.startswith("/"):
        return None
    found = file_system(Path(parent))
    if found is None or found.kind not in _MEMORY_FILE_SYSTEMS:
        return None
    return f"a loop device over a file on {found.kind}"


@cache
def copy_mb_per_s() -> float:
    """What one CPU copies in memory, in 10^6 bytes per second; measured once, in a tenth of a second."""
    clock, source, target = SystemClock(), bytearray(_COPY_BYTES), bytearray(_COPY_BYTES)
    best_s = float("inf")
    for _ in range(_COPIES):
        begun_s = clock.monotonic_s()
        target[:] = source
        best_s = min(best_s, clock.monotonic_s() - begun_s)
    return _COPY_BYTES / 1e6 / best_s
