"""CPU time and I/O of processes in control groups between two looks, with those of children that ended meanwhile.

A process that ends hands its CPU time to the one that waits for it (proc_pid_stat(5), `cutime` and `cstime`): a server that starts
a process for each session uses little itself, and between two looks most of its processes have come and gone. Bytes that came from
storage or were written to it (proc_pid_io(5), `read_bytes` and `write_bytes`) are handed on in the same way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.ports import files
from plimsoll.ports.clock import Clock, SystemClock

PROC = Path("/proc")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_KINDS = ("read_bytes", "write_bytes")
_BYTES = re.compile(rf"^({'|'.join(_KINDS)}): (\d+)$", re.MULTILINE)
_PARENT = 1
_OWN, _WAITED = slice(11, 13), slice(13, 15)
_START = 19
"""Places behind the program's name: its own time, that of children that it waited for, and when it was started."""
_TICK_S = 1 / _TICKS_PER_S


@dataclass(frozen=True)
class Used:
    """CPU time of a process and of its children that have ended, in seconds, bytes of their I/O, and who started it."""

    cpu_s: float
    parent: int
    io_bytes: int | None = None
    """None: not told, as to who is not root."""
    waited_s: float = 0.0
    """Of its CPU time that of children which have ended and that it waited for."""
    start_s: float = 0.0
    """When it was started, in seconds since the host has booted."""


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
        if len(fields) > _START:
            found[number] = _used(fields, _io_bytes(proc / str(number)))
    return Look(at_s, found)


def _used(fields: Sequence[str], io_bytes: int | None) -> Used:
    own_s, waited_s = (sum(map(int, fields[one])) / _TICKS_PER_S for one in (_OWN, _WAITED))
    return Used(
        own_s + waited_s, int(fields[_PARENT]), io_bytes, waited_s, int(fields[_START]) / _TICKS_PER_S
    )


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
    found = [one for number in last.used if (one := _gain(number, first, last)) is not None]
    io_bytes = [one.io_bytes for one in found]
    known = None if None in io_bytes else sum(one or 0 for one in io_bytes)
    return Gained(sum(one.cpu_s for one in found), known, last.at_s - first.at_s)


@dataclass(frozen=True)
class _Gain:
    cpu_s: float
    io_bytes: int | None


def _gain(number: int, first: Look, last: Look) -> _Gain | None:
    """Of one that is there at the end; None: it was elsewhere at the beginning, so that what it has used may be long ago."""
    now, then = last.used[number], first.used.get(number)
    if then is None or then.start_s != now.start_s:
        return None if now.start_s < first.at_s - _TICK_S else _Gain(now.cpu_s, now.io_bytes)
    had = [first.used[one] for one in _ended_below(number, first, last)]
    had_s = sum(one.cpu_s for one in had)
    handed_s = min(had_s, max(0.0, now.waited_s - then.waited_s))
    if had_s and not handed_s:
        # Who does not wait for them has nothing of what they had.
        had = []
    cpu_s = max(0.0, now.cpu_s - then.cpu_s - handed_s)
    told = [one.io_bytes for one in (now, then, *had)]
    if None in told:
        return _Gain(cpu_s, None)
    grew = (now.io_bytes or 0) - (then.io_bytes or 0)
    return _Gain(cpu_s, max(0, grew - sum(one.io_bytes or 0 for one in had)))


def _ended_below(number: int, first: Look, last: Look) -> list[int]:
    """Those that ended meanwhile and whose nearest forebear that is still there is this one."""
    return [one for one in first.used if not _is_same(one, first, last) and _heir(one, first, last) == number]


def _is_same(number: int, first: Look, last: Look) -> bool:
    """Whether one that was there at the beginning is there at the end: another may have got its number."""
    return number in last.used and last.used[number].start_s == first.used[number].start_s


def _heir(number: int, first: Look, last: Look) -> int | None:
    """Who has its time, as it has ended; None: nobody that was looked at."""
    seen: set[int] = set()
    while number in first.used and number not in seen:
        if _is_same(number, first, last):
            return number
        seen.add(number)
        number = first.used[number].parent
    return None
