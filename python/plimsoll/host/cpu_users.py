"""Who used the CPUs of this machine between two moments: a database's server, this command, or other programs (proc_stat(5))."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plimsoll.facts import CpuUse
from plimsoll.host.sampler import cpu_ticks
from plimsoll.ports import files

_PROC = Path("/proc")


@dataclass(frozen=True)
class ProcessTicks:
    """CPU time of one process and of its children that ended and were waited for, in ticks."""

    parent: int
    started: int
    ticks: int


@dataclass(frozen=True)
class CpuTimes:
    """The times at one moment: of all CPUs, when they were busy for a program, and of each process."""

    all_ticks: int
    busy_ticks: int
    processes: Mapping[int, ProcessTicks]


def cpu_times(proc: Path = _PROC) -> CpuTimes | None:
    """The times now; None where the kernel does not tell."""
    cpus = cpu_ticks(files.read_text(proc / "stat") or "")
    if cpus is None:
        return None
    found = {int(name): _process(proc / name) for name in os.listdir(proc) if name.isdecimal()}
    busy = cpus.user + cpus.system
    return CpuTimes(
        all_ticks=busy + cpus.iowait + cpus.steal + cpus.idle,
        busy_ticks=busy,
        processes={pid: process for pid, process in found.items() if process is not None},
    )


def cpu_use(
    before: CpuTimes | None, after: CpuTimes | None, server: int | None, own: int | None = None
) -> CpuUse | None:
    """Of the server with that main process, of ours with its children, and of all others; None where they cannot be told apart."""
    if before is None or after is None or server is None or server not in after.processes:
        return None
    length = after.all_ticks - before.all_ticks
    if length <= 0:
        return None
    (servers, ours), (servers_before, ours_before) = (
        _members(times, server, os.getpid() if own is None else own) for times in (after, before)
    )
    server_share = _used(before, after, servers, servers_before) / length
    own_share = _used(before, after, ours, ours_before) / length
    busy_share = (after.busy_ticks - before.busy_ticks) / length
    return CpuUse(
        server_share=server_share,
        own_share=own_share,
        others_share=max(0.0, busy_share - server_share - own_share),
    )


def main_process(session: int | None, proc: Path = _PROC) -> int | None:
    """The process of a server that started the one of a session: its parent, where that runs the same program, else None."""
    found = None if session is None else _process(proc / str(session))
    if session is None or found is None:
        return None
    programs = [_program(proc / str(pid)) for pid in (session, found.parent)]
    return found.parent if programs[0] is not None and programs[0] == programs[1] else None


def _process(folder: Path) -> ProcessTicks | None:
    fields = (files.read_text(folder / "stat") or "").rpartition(")")[2].split()
    if len(fields) < 20:
        return None
    return ProcessTicks(int(fields[1]), int(fields[19]), sum(map(int, fields[11:15])))


def _program(folder: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(folder / "exe")
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _family(times: CpuTimes, root: int) -> frozenset[int]:
    """The process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for pid, process in times.processes.items():
        children.setdefault(process.parent, []).append(pid)
    found, left = set[int](), [root]
    while left:
        pid = left.pop()
        found.add(pid)
        left += [child for child in children.get(pid, ()) if child not in found]
    return frozenset(found)


def _members(times: CpuTimes, server: int, own: int) -> tuple[frozenset[int], frozenset[int]]:
    """The server's processes, and ours; a server that we started is not among ours."""
    servers = _family(times, server)
    return servers, _family(times, own) - servers


def _used(before: CpuTimes, after: CpuTimes, now: frozenset[int], then: frozenset[int]) -> int:
    """Ticks of what is there now. Who waited for a process that ended has all that it ever used, also from before."""
    ticks = 0
    for pid in now & after.processes.keys():
        known, process = before.processes.get(pid), after.processes[pid]
        ticks += process.ticks - (known.ticks if known and known.started == process.started else 0)
    gone = (then & before.processes.keys()) - after.processes.keys()
    return max(0, ticks - sum(before.processes[pid].ticks for pid in gone))


def seconds_of(pid: int, proc: Path = _PROC) -> float | None:
    """CPU time of a process and of those that it has started; None: it is gone, or not told."""
    one = _process(proc / str(pid))
    if one is None:
        return None
    children = (files.read_text(proc / f"{pid}/task/{pid}/children") or "").split()
    below = (seconds_of(int(child), proc) for child in children if child.isdecimal())
    return one.ticks / os.sysconf("SC_CLK_TCK") + sum(told for told in below if told is not None)
