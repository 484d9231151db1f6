"""CPU time and I/O of processes in control groups between two looks, with those of children that ended meanwhile.

A process that ends hands its CPU time to the one that waits for it (proc_pid_stat(5), `cutime` and `cstime`): a server that starts
a process for each session uses little itself, and between two looks most of its processes have come and gone. Bytes that came from
storage or were written to it (proc_pid_io(5), `read_bytes` and `write_bytes`) are handed on in the same way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from plimsoll.ports import files
from plimsoll.ports.clock import Clock, SystemClock

PROC = Path("/proc")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_KINDS = ("read_bytes", "write_bytes")
_BYTES = re.compile(rf"^({'|'.join(_KINDS)}): (\d+)$", re.MULTILINE)
_PARENT = 1
_TIMES = slice(11, 15)
"""Places behind the program's name: its own time, and that of children that it waited for, in programs and in the kernel."""


@dataclass(frozen=True)
class Used:
    """CPU time of a process and of its children that have ended, in seconds, bytes of their I/O, and who started it."""

    cpu_s: float
    parent: int
    io_bytes: int | None = None
    """None: not told, as to who is not root."""


@dataclass(frozen=True)
class Look:
    """What processes had used at a moment, by id; `at_s` in seconds since the host has booted."""

    at_s: float
    used: Mapping[int, Used]


def look_at(process_ids: Iterable[int], proc: Path = PROC, clock: Clock | None = None) -> Look:
    """At those that are there."""
    at_s = (clock or SystemClock()).monotonic_s()
    found: dict[int, Used] = {}
    for number in process_ids:
        fields = (files.read_text(proc / str(number) / "stat") or "").rpartition(")")[2].split()
        if len(fields) >= _TIMES.stop:
            cpu_s = sum(map(int, fields[_TIMES])) / _TICKS_PER_S
            found[number] = Used(cpu_s, int(fields[_PARENT]), _io_bytes(proc / str(number)))
    return Look(at_s, found)


def _io_bytes(process: Path) -> int | None:
    told = dict(_BYTES.findall(files.read_text(process / "io") or ""))
    return sum(map(int, told.values())) if len(told) == len(_KINDS) else None


@dataclass(frozen=True)
class Gained:
    """What was used between two looks, `over_s` seconds one after the other; None: not known."""

    cpu_s: float | None = None
    io_bytes: int | None = None
    over_s: float | None = None


def gained(first: Look | None, last: Look | None) -> Gained:
    """Nothing is known where one of them failed.

    What a process had used before counts against the one that it handed it to; where that is gone as well, or in no group that was
    looked at, against nobody.
    """
    if first is None or last is None:
        return Gained()
    before, after, over_s = first.used, last.used, last.at_s - first.at_s
    had = [used for number, used in before.items() if _is_counted(number, before, after)]
    cpu_s = sum(used.cpu_s for used in after.values()) - sum(used.cpu_s for used in had)
    read, known = [used.io_bytes for used in after.values()], [used.io_bytes for used in had]
    if None in read or None in known:
        return Gained(max(0.0, cpu_s), None, over_s)
    io_bytes = sum(one or 0 for one in read) - sum(one or 0 for one in known)
    return Gained(max(0.0, cpu_s), max(0, io_bytes), over_s)


def _is_counted(number: int, before: Mapping[int, Used], after: Mapping[int, Used]) -> bool:
    """Whether its time is in that of one who is there after."""
    seen: set[int] = set()
    while number not in after:
        if number in seen or number not in before:
            return False
        seen.add(number)
        number = before[number].parent
    return True
