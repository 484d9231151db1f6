"""CPU time of processes in control groups between two looks, with that of children that ended meanwhile.

A process that ends hands its CPU time to the one that waits for it (proc_pid_stat(5), `cutime` and `cstime`): a server that starts
a process for each session uses little itself, and between two looks most of its processes have come and gone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from plimsoll.ports import files

PROC = Path("/proc")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PARENT = 1
_TIMES = slice(11, 15)
"""Places behind the program's name: its own time, and that of children that it waited for, in programs and in the kernel."""


@dataclass(frozen=True)
class Used:
    """CPU time of a process and of its children that have ended, in seconds, and who started it."""

    cpu_s: float
    parent: int


def used_by(process_ids: Iterable[int], proc: Path = PROC) -> dict[int, Used]:
    """Of those that are there, by id."""
    found: dict[int, Used] = {}
    for number in process_ids:
        fields = (files.read_text(proc / str(number) / "stat") or "").rpartition(")")[2].split()
        if len(fields) >= _TIMES.stop:
            found[number] = Used(sum(map(int, fields[_TIMES])) / _TICKS_PER_S, int(fields[_PARENT]))
    return found


def gained_s(before: Mapping[int, Used] | None, after: Mapping[int, Used] | None) -> float | None:
    """What was used between two looks; None where one failed.

    What a process had used before counts against the one that it handed it to; where that is gone as well, or in no group that was
    looked at, against nobody.
    """
    if before is None or after is None:
        return None
    had = sum(used.cpu_s for number, used in before.items() if _is_counted(number, before, after))
    return max(0.0, sum(used.cpu_s for used in after.values()) - had)


def _is_counted(number: int, before: Mapping[int, Used], after: Mapping[int, Used]) -> bool:
    """Whether its time is in that of one who is there after."""
    seen: set[int] = set()
    while number not in after:
        if number in seen or number not in before:
            return False
        seen.add(number)
        number = before[number].parent
    return True
