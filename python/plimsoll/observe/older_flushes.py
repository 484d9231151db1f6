"""Flushes that were under way when a watch began and still are when it ends: of them the kernel's probe saw neither.

A thread in fsync or fdatasync that was not given a processor since is in the same call; `/proc` tells both.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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
    switches: tuple[str, ...]
    """How often it gave its processor away, or lost it."""


@dataclass(frozen=True)
class OlderFlushes:
    """Those of one moment: made when the watch begins."""

    proc: Path = Path("/proc")
    machine: str = field(default_factory=lambda: os.uname().machine)
    _then: frozenset[_Thread] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_then", frozenset(self._flushing()))

    def still_under_way(self, watched_s: float) -> list[CommitUnderWay]:
        """Each with the time of the watch, which is the least that it took."""
        if not self._then:
            return []
        ticks_per_s = os.sysconf("SC_CLK_TCK")
        return [
            {
                "owner_pid": one.pid,
                "owner_started_ns": one.start_ticks * _NS_PER_S // ticks_per_s,
                "kind": "sync",
                "for_ns": round(watched_s * _NS_PER_S),
                "part": "flush",
            }
            for one in self._flushing()
            if one in self._then
        ]

    def _flushing(self) -> Iterator[_Thread]:
        """All threads that wait in a flush. One that ends meanwhile is none of them."""
        numbers = _FLUSHES.get(self.machine, frozenset[str]())
        threads = chain.from_iterable(_numbered(process / "task") for process in _numbered(self.proc))
        for folder in threads:
            state, _ = _state_and_start(folder)
            if state == _UNINTERRUPTIBLE and _call(folder) in numbers:
                process = folder.parent.parent
                _, start_ticks = _state_and_start(process)
                yield _Thread(int(process.name), int(folder.name), start_ticks, _switches(folder))


def _numbered(folder: Path) -> list[Path]:
    """What is called by a number in it; nothing where its process ends meanwhile."""
    try:
        return [folder / name for name in os.listdir(folder) if name.isdecimal()]
    except OSError:
        return []


def _state_and_start(folder: Path) -> tuple[str, int]:
    fields = (files.read_text(folder / "stat") or "").rpartition(")")[2].split()
    return (fields[0], int(fields[_START_TIME])) if len(fields) > _START_TIME else ("", 0)


def _call(folder: Path) -> str:
    """The number of the system call that a thread waits in."""
    return (files.read_text(folder / "syscall") or "").partition(" ")[0].strip()


def _switches(folder: Path) -> tuple[str, ...]:
    lines = (files.read_text(folder / "status") or "").splitlines()
    return tuple(line for line in lines if "ctxt_switches" in line)
