"""Counters of the machine that a server runs on, where that is this one: CPUs, pressure and block devices, from /proc.

They count for the whole machine, whoever was at work. Sources: proc_stat(5), the kernel's psi.rst and iostats.rst.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from plimsoll.databases import CountedRows
from plimsoll.demand.changed_rows import SEPARATOR
from plimsoll.host.device_counts import device_counts
from plimsoll.host.sampler import Read, cpu_ticks, pressure_us
from plimsoll.ports import files

_COLUMNS = ("of", "counter", "total")
_ELSEWHERE = "the server runs on another machine, or its process is not to be seen from here"
_PRESSURES = (("cpu", "some"), ("io", "some"), ("io", "full"), ("memory", "some"), ("memory", "full"))


def host_rows(is_here: bool, read: Read = files.read_text) -> CountedRows:
    """A row for each counter that the kernel tells. A counter that it does not tell has no row."""
    if not is_here:
        return CountedRows("host", unknown=_ELSEWHERE)
    lines = [SEPARATOR.join((of, counter, str(total))) for of, counter, total in _totals(read)]
    return CountedRows("host", _COLUMNS, keys=2, lines=lines)


def _totals(read: Read) -> Iterator[tuple[str, str, int]]:
    cpu = cpu_ticks(read("/proc/stat") or "")
    for name, ticks in asdict(cpu).items() if cpu is not None else ():
        yield "cpu", f"{name}_ticks", ticks
    for resource, tasks in _PRESSURES:
        waited_us = pressure_us(read(f"/proc/pressure/{resource}"), tasks)
        if waited_us is not None:
            yield f"pressure {resource}", f"{tasks}_us", waited_us
    for device, counts in device_counts(read("/proc/diskstats") or "").items():
        for name, total in asdict(counts).items():
            if total is not None:
                yield f"device {device}", name, total
