"""What the kernel counts at each block device, whoever was at work: /proc/diskstats and /sys/dev/block/*/stat.

Source: the kernel's iostats.rst and Documentation/block/stat.rst. An I/O is counted when it completes; neighbours that the kernel
made one I/O of are counted as one, and the parts of one that was too large for the device each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.host import devices
from plimsoll.ports import files

SECTOR_BYTES = 512
_NUMBERLESS = ["0", "0"]
"""Stands where a disk has no number."""
_WITHOUT_FLUSHES, _WITH_FLUSHES = 11, 17
"""How many counters a line has: at least, and since Linux 5.5."""


@dataclass(frozen=True)
class DeviceCounts:
    """A device's counters since it was found. Times are milliseconds; `weighted_ms` grows by one for each I/O in flight."""

    reads: int
    read_sectors: int
    read_ms: int
    writes: int
    write_sectors: int
    write_ms: int
    busy_ms: int
    weighted_ms: int
    flushes: int | None = None
    flush_ms: int | None = None


def counts_beneath(path: Path, sysfs: Path = devices.SYSFS) -> tuple[str, DeviceCounts] | None:
    """Name and counters of the very device or partition under a path; None where there is none, or it is told not to count."""
    folder = devices.sysfs_folder(path, sysfs)
    if folder is None or not _is_counting(folder):
        return None
    numbers = (files.read_text(str(folder / "stat")) or "").split()
    if len(numbers) < _WITHOUT_FLUSHES or not all(number.isdigit() for number in numbers):
        return None
    return folder.name.replace("!", "/"), _counts([int(number) for number in numbers])


def _is_counting(folder: Path) -> bool:
    """A disk's I/O can be left uncounted, and its partitions' with it (queue/iostats)."""
    disk = folder.parent if (folder / "partition").exists() else folder
    return (files.read_text(str(disk / "queue" / "iostats")) or "1").strip() != "0"


def device_counts(diskstats: str) -> dict[str, DeviceCounts]:
    """Whole disks by name, from the text of /proc/diskstats: a partition's I/O is in its disk's counters too."""
    found: dict[str, DeviceCounts] = {}
    for line in diskstats.splitlines():
        numbers = line.split()[3:]
        if len(numbers) >= _WITHOUT_FLUSHES and all(number.isdigit() for number in numbers):
            found[line.split()[2]] = _counts([int(number) for number in numbers])
    return {name: counts for name, counts in found.items() if not _is_partition(name, found)}


def disk_names(diskstats: str) -> dict[tuple[int, int], str]:
    """Disks and partitions by major and minor number, also those of which sysfs has no link, as the ways of an NVMe disk."""
    fields = (line.split()[:3] for line in diskstats.splitlines())
    return {
        (int(parts[0]), int(parts[1])): parts[2]
        for parts in fields
        if len(parts) == 3 and parts[0].isdigit() and parts[1].isdigit() and parts[:2] != _NUMBERLESS
    }


def _counts(numbers: Sequence[int]) -> DeviceCounts:
    reads, _, read_sectors, read_ms, writes, _, write_sectors, write_ms, _, busy_ms, weighted_ms = numbers[
        :_WITHOUT_FLUSHES
    ]
    has_flushes = len(numbers) >= _WITH_FLUSHES
    flushes, flush_ms = numbers[_WITH_FLUSHES - 2 : _WITH_FLUSHES] if has_flushes else (None, None)
    return DeviceCounts(
        reads, read_sectors, read_ms, writes, write_sectors, write_ms, busy_ms, weighted_ms, flushes, flush_ms
    )


def _is_partition(name: str, names: Iterable[str]) -> bool:
    """By the kernel's own rule of naming: the disk's name and a number, with a `p` between where that name ends in a digit."""
    found = re.fullmatch(r"(.*\d)p\d+", name) or re.fullmatch(r"(.*\D)\d+", name)
    return found is not None and found[1] in names
