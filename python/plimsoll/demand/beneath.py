"""What reached the storage beneath a server of this machine, beside what the server counts above the operating system's cache.

PostgreSQL and InnoDB count a read when they ask the system for it, whoever answers. The kernel knows better: the block layer what
the devices of the server's files were asked for, whoever asked (Documentation/block/stat.rst), and /proc/PID/io what was
fetched from storage for the server's processes (`read_bytes`, proc_pid_io(5)), and how long they had a CPU and waited for one
(`schedstat`, the kernel's sched-stats.rst). Processes that ended within an interval take their
count with them, so that the latter is a lower bound where sessions come and go. Volumes of a cloud that count for how long more was
asked of them than they may give are read as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plimsoll.databases import Connection
from plimsoll.demand.local import is_here
from plimsoll.facts import BeneathServer, DemandInterval
from plimsoll.host.database_servers import DatabaseServer, database_servers, server_processes
from plimsoll.host.device_counts import SECTOR_BYTES, DeviceCounts, counts_beneath
from plimsoll.host.sampler import process_cpu_ns, process_read_bytes
from plimsoll.host.volume_limits import LimitTimes, limit_times

_READS = ("small_read", "large_read", "temp_read")


class Beneath:
    """The devices and processes of one server; figures of the time since the last look."""

    def __init__(self, server: DatabaseServer) -> None:
        self._server = server
        self._devices = self._counted()
        self._processes = self._read()
        self._cpu = self._scheduled()
        self._limits = self._limited()

    def since(self, duration_s: float) -> BeneathServer | None:
        """What passed since the last look, over so many seconds; None where neither devices nor processes tell."""
        devices, processes = self._counted(), self._read()
        before, self._devices = self._devices, devices
        read_before, self._processes = self._processes, processes
        limits_before, self._limits = self._limits, self._limited()
        cpu_before, self._cpu = self._cpu, self._scheduled()
        if duration_s <= 0:
            return None
        pairs = [(before[name], devices[name]) for name in devices if name in before]
        read_bytes = _gained(read_before, processes)
        used, waited = (_cpus(cpu_before, self._cpu, part, duration_s) for part in (0, 1))
        if not pairs and read_bytes is None and used is None:
            return None
        return BeneathServer(
            devices=tuple(sorted(devices)),
            reads_per_s=_rate([(a.reads, b.reads) for a, b in pairs], duration_s),
            read_mb_per_s=_megabytes([(a.read_sectors, b.read_sectors) for a, b in pairs], duration_s),
            writes_per_s=_rate([(a.writes, b.writes) for a, b in pairs], duration_s),
            write_mb_per_s=_megabytes([(a.write_sectors, b.write_sectors) for a, b in pairs], duration_s),
            process_read_mb_per_s=None if read_bytes is None else read_bytes / 1e6 / duration_s,
            process_cpus=used,
            process_cpus_waited=waited,
            limit_exceeded_share=_exceeded(limits_before, self._limits, duration_s),
        )

    def _counted(self) -> dict[str, DeviceCounts]:
        found = (counts_beneath(Path(place.name)) for place in self._server.places)
        return dict(one for one in found if one is not None)

    def _limited(self) -> dict[str, LimitTimes]:
        found: dict[str, LimitTimes] = {}
        for place in self._server.places:
            found |= limit_times(Path(place.name))
        return found

    def _read(self) -> dict[int, int | None]:
        return {pid: process_read_bytes([pid]) for pid in server_processes(self._server.process)}

    def _scheduled(self) -> dict[int, tuple[int, int]]:
        """Time with a CPU and time in the queue for one, of each process that tells."""
        told = ((pid, process_cpu_ns(pid)) for pid in server_processes(self._server.process))
        return {pid: times for pid, times in told if times is not None}


def beneath(connection: Connection) -> Beneath | None:
    """Of the server that a session leads to; None where it runs elsewhere, or cannot be told among those here."""
    process = connection.server_process
    if process is None or not is_here(connection):
        return None
    servers = database_servers()
    found = [one for one in servers if process == one.process or process in server_processes(one.process)]
    return Beneath(found[0]) if len(found) == 1 else None


def cached_read_share(intervals: Sequence[DemandInterval]) -> float | None:
    """Of the bytes that the server read: what the system's cache answered. None where too little of it is known.

    By what was fetched for its processes, else by what its devices read, for whomever: then the cache answered at least so much.
    """
    asked = fetched = 0.0
    for one in intervals:
        counted = [one.classes[name].bytes_per_s for name in _READS if name in one.classes]
        known = [amount for amount in counted if amount is not None]
        if one.beneath is None or one.gap is not None or not known:
            continue
        came = one.beneath.process_read_mb_per_s
        came = one.beneath.read_mb_per_s if came is None else came
        if came is not None:
            asked += sum(known) * one.duration_s
            fetched += came * 1e6 * one.duration_s
    return None if not asked else max(0.0, 1 - fetched / asked)


def _gained(before: dict[int, int | None], after: dict[int, int | None]) -> int | None:
    """Bytes that the processes read; None where one of them does not tell."""
    if not after or None in after.values():
        return None
    return sum(max(0, (count or 0) - (before.get(pid) or 0)) for pid, count in after.items())


def _cpus(
    before: dict[int, tuple[int, int]], after: dict[int, tuple[int, int]], part: int, seconds: float
) -> float | None:
    """CPUs that the processes had, or waited for, on average; None where none of them tells."""
    gained = [times[part] - before.get(pid, (0, 0))[part] for pid, times in after.items()]
    return sum(max(0, one) for one in gained) / 1e9 / seconds if gained else None


def _exceeded(before: dict[str, LimitTimes], after: dict[str, LimitTimes], seconds: float) -> float | None:
    """Of the volume that was beyond its limit for longest; None where none tells."""
    shares = [times.share_since(before[name], seconds) for name, times in after.items() if name in before]
    return max((share for share in shares if share is not None), default=None)


def _rate(pairs: Sequence[tuple[int, int]], seconds: float) -> float | None:
    """None without a device, or where another one took its name and began anew."""
    if not pairs or any(b < a for a, b in pairs):
        return None
    return sum(b - a for a, b in pairs) / seconds


def _megabytes(pairs: Sequence[tuple[int, int]], seconds: float) -> float | None:
    rate = _rate(pairs, seconds)
    return None if rate is None else rate * SECTOR_BYTES / 1e6
