"""Disks of null_blk in a guest, each of whose I/Os takes as long as it is told to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from guest_machine import Guest

_FOLDER = "/sys/kernel/config/nullb"
_MADE = """
set -e
modprobe null_blk nr_devices=0
mountpoint -q /sys/kernel/config || mount -t configfs config /sys/kernel/config
mkdir {folder}
cd {folder}
echo 2 > irqmode
echo {completion_ns} > completion_nsec
echo {mib} > size
echo {kept} > memory_backed
echo 2 > submit_queues
echo 1 > power
echo none > /sys/block/{name}/queue/scheduler
"""


@contextmanager
def null_disk(
    guest: Guest, number: int, *, completion_ms: float, mib: int = 64, keeps: bool = False
) -> Iterator[str]:
    """Its device, for the time of the block; numbers begin at 0, one after the other. Whether it keeps what is written to it."""
    name = f"nullb{number}"
    folder = f"{_FOLDER}/{name}"
    completion_ns = round(completion_ms * 1e6)
    guest.said(_MADE.format(folder=folder, completion_ns=completion_ns, mib=mib, kept=int(keeps), name=name))
    try:
        yield f"/dev/{name}"
    finally:
        guest.said(f"echo 0 > {folder}/power; rmdir {folder}")
