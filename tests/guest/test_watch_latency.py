"""The latency that `plimsoll watch` tells in the guest, against what fio tells of the same I/Os in the same run.

Each I/O of a disk of null_blk takes a time that is known; of two such disks, one behind the other beneath a loop device, most I/Os
take one time and a few another. All in it is slow where software runs the processors, so these times are of milliseconds.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import NamedTuple

import pytest

from guest_machine import Guest
from null_disks import null_disk
from watched_guest import FIRST, watched

pytestmark = [pytest.mark.guest, pytest.mark.timeout(900)]

RATE = 120
"""I/Os per second at most of one thread, which waits for each."""
IOS = 3000
"""Of these 30 are beyond p99, so that it is no single I/O's time."""
ROUNDS = 3
OFF_MAX = 0.05
QUICK_MS, SLOW_MS = 5, 14
MIB, SLOW_SHARE = 64, 1 / 32
FIO = (
    f"fio --name=known --rw=randread --bs=8k --direct=1 --ioengine=psync"
    f" --norandommap --number_ios={IOS} --rate_iops={RATE} --percentile_list=50:99 --output-format=json"
)


class Percentiles(NamedTuple):
    p50: float
    p99: float


@contextmanager
def of_one_time(guest: Guest) -> Iterator[str]:
    with null_disk(guest, 0, completion_ms=QUICK_MS, mib=MIB) as disk:
        yield disk


@contextmanager
def of_two_times(guest: Guest) -> Iterator[str]:
    """A loop device over both: to the probe a volume of device mapper is the disks on which it lies."""
    slow_sectors = round(MIB * SLOW_SHARE) << 11
    quick_sectors = (MIB << 11) - slow_sectors
    with ExitStack() as stack:
        quick = stack.enter_context(null_disk(guest, 0, completion_ms=QUICK_MS, mib=MIB))
        slow = stack.enter_context(null_disk(guest, 1, completion_ms=SLOW_MS, mib=MIB))
        table = f"0 {quick_sectors} linear {quick} 0\\n{quick_sectors} {slow_sectors} linear {slow} 0\\n"
        guest.said(f"modprobe --all dm_mod loop; printf '{table}' | dmsetup create --noudevsync both")
        stack.callback(guest.said, "dmsetup remove --noudevsync --retry both")
        (volume,) = guest.said("grep -lx both /sys/block/dm-*/dm/name").split()
        loop = guest.said(f"losetup --find --show --direct-io=on /dev/{volume.split('/')[3]}").strip()
        stack.callback(guest.said, f"losetup --detach {loop}")
        yield loop


def both(guest: Guest, disk: str) -> tuple[Percentiles, Percentiles]:
    """What fio tells, and the watch beside it."""
    told = watched(guest, f"{FIRST} {FIO} --filename={disk} > /tmp/fio.json", words=f"--device {disk}")
    found = json.loads(guest.get("/tmp/fio.json"))["jobs"][0]["read"]
    at = found["clat_ns"]["percentile"]
    (row,) = (
        one
        for one in told["rows"]
        if (one["role"], one["operation"], one["file_kind"]) == ("fio", "read", "unknown")
    )
    assert row["ios"] == found["total_ios"] == IOS
    latency = row["latency_us"]
    return Percentiles(at["50.000000"] / 1e3, at["99.000000"] / 1e3), Percentiles(
        latency["p50"], latency["p99"]
    )


@pytest.mark.parametrize("law", [of_one_time, of_two_times])
def test_half_and_all_but_one_in_a_hundred_take_what_fio_says(
    guest: Guest, law: Callable[[Guest], AbstractContextManager[str]]
) -> None:
    with law(guest) as disk:
        rounds = [both(guest, disk) for _ in range(ROUNDS)]
    for name in Percentiles._fields:
        ratios = [getattr(seen, name) / getattr(told, name) for told, seen in rounds]
        assert abs(statistics.median(ratios) - 1) <= OFF_MAX, (name, rounds)
