"""Where processes run, and where their memory lies: the CPU that each thread ran on last, and pages by NUMA node.

source: proc_pid_stat(5), fields 14, 15 and 39; proc_pid_status(5), context switches; proc_pid_numa_maps(5). A thread that has not
run since it was looked at before says nothing: its CPU may be that of long ago. Of mapped files the pages belong to the page cache,
in which whoever read them first has put them; they are left out. Memory that processes share, which stands in all of them with one
name and start, counts once for all that map it (`together`), with the most that one of them has of it on each node.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from plimsoll.ports import files

PROC = Path("/proc")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_STATE, _USER, _SYSTEM, _CPU = 0, 11, 12, 36
"""Places of fields behind the program's name."""
_SWITCHES = re.compile(r"^(?:non)?voluntary_ctxt_switches:\s*(\d+)$", re.MULTILINE)
_PAGES = re.compile(r"N(\d+)=(\d+)")
_SIZE = re.compile(r"kernelpagesize_kB=(\d+)")
_FILE = re.compile(r" file=(\S+)")
_OF_MEMORY = ("/SYSV", "/dev/zero", "/dev/shm/", "/memfd:", "/anon_hugepage", "/i915", "/[aio]")
"""What the kernel calls files and are none."""
ELSEWHERE_SHARE = 0.01
"""Of the memory of what is bound to nodes that may be on others: pages of programs that were there before, and of libraries."""


class Watch(Protocol):
    """How long processes are watched."""

    def wait(self) -> bool:
        """Lets time pass until the next look; False: no more."""
        ...

    @property
    def watched_s(self) -> float:
        """For how long it was."""
        ...

    @property
    def is_cut(self) -> bool:
        """Whether somebody wants it to end."""
        ...


@dataclass
class Watched:
    """CPUs that threads were seen on, each time after they had run."""

    samples: Counter[int] = field(default_factory=Counter[int])
    """By CPU."""
    threads: set[int] = field(default_factory=set[int])
    outside: Counter[str] = field(default_factory=Counter[str])
    """By program and id, of those that were seen elsewhere than allowed."""
    _before: dict[int, int] = field(default_factory=dict[int, int])

    def look(self, process_ids: Iterable[int], allowed: frozenset[int], proc: Path = PROC) -> None:
        """One look at all threads of these processes; those that end meanwhile are passed over."""
        for process in process_ids:
            for thread in _threads(proc / str(process)):
                self.look_at(thread, allowed)

    @property
    def samples_outside(self) -> int:
        """How often a thread was seen elsewhere than allowed."""
        return self.outside.total()

    def look_at(self, thread: Path, allowed: frozenset[int]) -> None:
        """One look at a thread by its folder.

        What it ran is read before where it was: who runs in between counts next time, and not as on the CPU of long ago.
        """
        switches = map(int, _SWITCHES.findall(files.read_text(thread / "status") or ""))
        name, fields = _fields(thread)
        if len(fields) <= _CPU or fields[_STATE] in "ZX":
            return
        number = int(thread.name)
        ran = int(fields[_USER]) + int(fields[_SYSTEM]) + sum(switches)
        self.threads.add(number)
        if self._before.get(number) not in (None, ran):
            cpu = int(fields[_CPU])
            self.samples[cpu] += 1
            if cpu not in allowed:
                self.outside[f"{name} ({number})"] += 1
        self._before[number] = ran


def cpu_s_of(process_id: int, proc: Path = PROC) -> float | None:
    """CPU time that all threads of a process have used, in seconds; None: it is gone."""
    fields = _fields(proc / str(process_id))[1]
    return (int(fields[_USER]) + int(fields[_SYSTEM])) / _TICKS_PER_S if len(fields) > _SYSTEM else None


def threads_of(process_id: int, proc: Path = PROC) -> list[int]:
    """Its threads that are alive, by id: a first one that has ended stays in the list while others run."""
    found = ((thread, _fields(thread)[1]) for thread in _threads(proc / str(process_id)))
    return [int(thread.name) for thread, fields in found if fields and fields[_STATE] not in "ZX"]


def _fields(thread: Path) -> tuple[str, list[str]]:
    """The name of its program, and what stands behind that; empty: it is gone."""
    name, _, rest = (files.read_text(thread / "stat") or "").rpartition(")")
    return name.partition("(")[2], rest.split()


def _threads(process: Path) -> Iterator[Path]:
    try:
        yield from sorted((process / "task").iterdir())
    except OSError:
        return


@dataclass(frozen=True)
class Shared:
    """A mapping of memory that other processes may have as well, in bytes by node."""

    by_node: Counter[int]
    is_huge: bool


@dataclass(frozen=True)
class Memory:
    """Of one process, in bytes by node, what it shares among it; and what of it lies in huge pages."""

    by_node: Counter[int]
    huge_bytes: int
    shared: Mapping[tuple[str, str], Shared] = field(default_factory=dict[tuple[str, str], Shared])
    """By the name of the mapping and its start."""


def memory_of(process_id: int, proc: Path = PROC) -> Memory | None:
    """None where the kernel does not tell, or the process is gone, or somebody else's."""
    text = files.read_text(proc / str(process_id) / "numa_maps")
    if text is None:
        return None
    by_node: Counter[int] = Counter()
    huge = 0
    shared: dict[tuple[str, str], Shared] = {}
    for line in text.splitlines():
        size = _SIZE.search(line)
        if size is None or _is_file(line):
            continue
        found = Counter(
            {int(node): int(pages) * (int(size[1]) << 10) for node, pages in _PAGES.findall(line)}
        )
        by_node += found
        huge += found.total() if " huge" in line else 0
        file = _FILE.search(line)
        if file is not None:
            shared[file[1], line.partition(" ")[0]] = Shared(found, " huge" in line)
    return Memory(by_node, huge, shared)


def together(told: Iterable[Memory]) -> Memory:
    """Of all these processes, what they share once."""
    by_node: Counter[int] = Counter()
    huge = 0
    shared: dict[tuple[str, str], Shared] = {}
    for one in told:
        by_node += one.by_node
        huge += one.huge_bytes
        for key, area in one.shared.items():
            by_node -= area.by_node
            huge -= area.by_node.total() if area.is_huge else 0
            before = shared.get(key, area)
            shared[key] = Shared(before.by_node | area.by_node, area.is_huge)
    for area in shared.values():
        by_node += area.by_node
        huge += area.by_node.total() if area.is_huge else 0
    return Memory(by_node, huge, shared)


def _is_file(line: str) -> bool:
    found = _FILE.search(line)
    return found is not None and " huge" not in line and not found[1].startswith(_OF_MEMORY)
