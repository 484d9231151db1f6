"""Flushes that were under way when a probe began and still are: of them the kernel's probe saw neither begin nor end.

`/proc` tells which threads wait in fsync or fdatasync. One that waited there once the probe was in the kernel, and still does in
the same call, of which the probe knows no commit, began before the probe was there, whenever that was. A folder's flush is none:
the probe sees none either.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from plimsoll.observe.flushed_files import FlushedFiles
from plimsoll.ports import files

if TYPE_CHECKING:
    from plimsoll.native.commit_probe import CommitUnderWay

_NS_PER_S = 10**9
_FLUSHES = {"x86_64": frozenset({"74", "75"}), "aarch64": frozenset({"82", "83"})}
"""Numbers of fsync and fdatasync by processor."""
_UNINTERRUPTIBLE = "D"
_START_TIME = 19
"""Of the fields behind the command's name, see proc_pid_stat(5)."""


class _Thread(NamedTuple):
    pid: int
    thread: int
    start_ticks: int
    """Of its process."""
    call: str
    """As the kernel tells it: number, arguments and place in the program."""
    switches: tuple[str, ...]
    """How often it gave its processor away, or lost it."""

    @property
    def descriptor(self) -> int:
        """What it flushes."""
        return int(self.call.split()[1], 16)

    def is_call_of(self, other: _Thread) -> bool:
        """Whether it may be the same call, whatever became of its thread meanwhile."""
        return self._replace(switches=()) == other._replace(switches=())


@dataclass
class OlderFlushes:
    """Those that the probe did not see begin. `begin` once, when it is in the kernel; `beside` at the end."""

    proc: Path = Path("/proc")
    machine: str = field(default_factory=lambda: os.uname().machine)
    _at_begin: dict[int, _Thread] = field(default_factory=dict)
    """By number of the thread."""

    def begin(self) -> None:
        """What is under way: of that alone the probe may not have seen the begin."""
        self._at_begin = {one.thread: one for one in self._flushing()}

    def beside(
        self, of_probe: Callable[[], list[CommitUnderWay]], least_s: float
    ) -> tuple[list[CommitUnderWay], list[CommitUnderWay]]:
        """What the probe says is under way, and what is beside it: that took `least_s` at least.

        A thread counts that is in the same call before and after the probe is asked: it was not given a processor meanwhile.
        """
        before = frozenset(self._since_begin())
        known = of_probe()
        threads = {one["thread"] for one in known}
        still = (one for one in self._since_begin() if one in before) if before else ()
        older = [one for one in still if one.thread not in threads]
        kinds = FlushedFiles(self.proc)
        return known, [
            under_way(one.thread, one.pid, one.start_ticks, "sync", "flush", least_s)
            for one in older
            if kinds.may_be_file(one.pid, one.thread, one.descriptor)
        ]

    def _since_begin(self) -> Iterator[_Thread]:
        """Threads that are in the call in which they were at the begin."""
        if not self._at_begin:
            return
        for one in self._flushing():
            first = self._at_begin.get(one.thread)
            if first is not None and one.is_call_of(first):
                yield one

    def _flushing(self) -> Iterator[_Thread]:
        """All threads that wait in a flush. One that ends meanwhile is none of them."""
        numbers = _FLUSHES.get(self.machine, frozenset[str]())
        threads = chain.from_iterable(numbered(process / "task") for process in numbered(self.proc))
        for folder in threads:
            state, _ = state_and_start(folder)
            call = _call(folder) if state == _UNINTERRUPTIBLE else ""
            if call.partition(" ")[0] in numbers:
                process = folder.parent.parent
                _, start_ticks = state_and_start(process)
                yield _Thread(int(process.name), int(folder.name), start_ticks, call, _switches(folder))


def under_way(
    thread: int,
    pid: int,
    start_ticks: int,
    kind: Literal["sync", "standby"],
    part: Literal["flush", "queue"],
    least_s: float,
) -> CommitUnderWay:
    """One that the probe does not know, as it would tell it; its time is the least that it took."""
    return {
        "owner_pid": pid,
        "owner_started_ns": started_ns(start_ticks),
        "thread": thread,
        "kind": kind,
        "for_ns": round(least_s * _NS_PER_S),
        "part": part,
    }


def started_ns(start_ticks: int) -> int:
    """When a process began, as the probe has it but for what a tick is."""
    return start_ticks * _NS_PER_S // os.sysconf("SC_CLK_TCK")


def numbered(folder: Path) -> list[Path]:
    """What is called by a number in it; nothing where its process ends meanwhile."""
    try:
        return [folder / name for name in os.listdir(folder) if name.isdecimal()]
    except OSError:
        return []


def state_and_start(folder: Path) -> tuple[str, int]:
    """Of a process or thread, the start in ticks; nothing where it has ended."""
    fields = (files.read_text(folder / "stat") or "").rpartition(")")[2].split()
    return (fields[0], int(fields[_START_TIME])) if len(fields) > _START_TIME else ("", 0)


def _call(folder: Path) -> str:
    """The system call that a thread waits in: its number comes first."""
    return (files.read_text(folder / "syscall") or "").strip()


def _switches(folder: Path) -> tuple[str, ...]:
    lines = (files.read_text(folder / "status") or "").splitlines()
    return tuple(line for line in lines if "ctxt_switches" in line)
