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

THREADS = 4
"""Each waits for its own I/O."""
IOS = 3000
"""Of these 30 are beyond p99, so that it is no single I/O's time."""
ROUNDS = 3
OFF_MAX = 0.05
QUICK_MS, SLOW_MS = 24, 67
"""Between the disk's end of an I/O and the program that waited for it lie 0.3 ms, and for one in a hundred 2 ms, where software
runs the processors: fio's time has these, and the disk's has not. So a p99 is always of the slow ones."""
MIB, SLOW_SHARE = 64, 1 / 32
FIO = (
    f"fio --name=known --rw=randread --bs=8k --direct=1 --ioengine=psync"
    f" --norandommap --thread --numjobs={THREADS} --group_reporting --number_ios={IOS // THREADS} --percentile_list=50:99"
    " --output-format=json"
)


class Percentiles(NamedTuple):
    p50: float
    p99: float


@contextmanager
def of_one_time(guest: Guest) -> Iterator[str]:
    with null_disk(guest, 0, completion_ms=SLOW_MS, mib=MIB) as disk:
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


def all_three(guest: Guest, disk: str) -> list[Percentiles]:
    """What fio tells, and the watch beside it: at the disk, and of the calls, which fio times itself."""
    told = watched(guest, f"{FIRST} {FIO} --filename={disk} > /tmp/fio.json", words="--calls")
    found = json.loads(guest.get("/tmp/fio.json"))["jobs"][0]["read"]
    at = found["clat_ns"]["percentile"]
    reads = [
        row for row in (*told["rows"], *told["calls"]) if (row["role"], row["operation"]) == ("fio", "read")
    ]
    (row,) = (one for one in reads if f"/dev/{one.get('device')}" == disk)
    (call,) = (one for one in reads if one["file"] == disk and one.get("is_direct"))
    assert row["ios"] == call["calls"] == found["total_ios"] == IOS
    seen = [Percentiles(one["latency_us"]["p50"], one["latency_us"]["p99"]) for one in (row, call)]
    return [Percentiles(at["50.000000"] / 1e3, at["99.000000"] / 1e3), *seen]


@pytest.mark.parametrize("law", [of_one_time, of_two_times])
def test_half_and_all_but_one_in_a_hundred_take_what_fio_says(
    guest: Guest, law: Callable[[Guest], AbstractContextManager[str]]
) -> None:
    with law(guest) as disk:
        rounds = [all_three(guest, disk) for _ in range(ROUNDS)]
    for name in Percentiles._fields:
        for level in (1, 2):
            ratios = [getattr(one[level], name) / getattr(one[0], name) for one in rounds]
            assert abs(statistics.median(ratios) - 1) <= OFF_MAX, (name, level, rounds)
