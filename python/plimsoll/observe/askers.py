"""For whom AIO workers of PostgreSQL 18 and later do I/O.

The kernel's probe finds it in a worker's memory at each request (`crates/observe/src/askers.rs`), once it is told which process is
a worker. Here workers are found, at the begin and whenever another is seen at work, and the numbers that their server has for its
processes become those of this host: in a container they are others.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.native import block_probe
from plimsoll.observe.roles import IO_WORKER, is_postgres, role_of
from plimsoll.ports import files, processes

if TYPE_CHECKING:
    from plimsoll.native.block_probe import BlockProbe

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_NS_PER_S = 10**9
_TRIES_MAX = 3
"""A worker that has just begun does not say yet what it is at; one of another release never will."""
_SERVERS_MAX = 65_535


@dataclass(frozen=True)
class Asker:
    """A process that had a worker do I/O for it."""

    pid: int
    started_ns: int
    """To the tick."""


@dataclass
class Askers:
    """Workers that are known, and processes that asked them."""

    probe: BlockProbe
    proc: Path = Path("/proc")
    _servers: list[int] = field(default_factory=list)
    """The postmaster of each, in the order of their numbers, which begin with 1."""
    _workers: set[processes.Identity] = field(default_factory=set)
    """Those whose I/O is booked on who asked."""
    _refused: dict[processes.Identity, list[str]] = field(default_factory=dict)
    """Why others' is not, each time that it was tried."""
    _known: dict[tuple[int, int], Asker] = field(default_factory=dict)
    _looked_up: dict[tuple[int, int], Asker | None] = field(default_factory=dict)
    _numbers: dict[int, dict[str, int]] = field(default_factory=dict)
    """Of a server with numbers of its own, its processes by these."""

    @property
    def pids(self) -> set[int]:
        """Of workers, which have the files open that they read for others."""
        return {worker.pid for worker in self._workers}

    @property
    def unknown_because(self) -> tuple[str, ...]:
        """Why the I/O of some workers is not booked on who asked for it."""
        return tuple(dict.fromkeys(reasons[-1] for reasons in self._refused.values()))

    def look_again(self) -> None:
        """Processes may be others than at the reading before."""
        self._looked_up.clear()
        self._numbers.clear()

    def find_workers(self) -> None:
        """All that there are at this moment."""
        for name in os.listdir(self.proc):
            command = files.read_text(self.proc / name / "comm") if name.isdecimal() else None
            if command is not None and is_postgres(command):
                title = (files.read_bytes(self.proc / name / "cmdline") or b"").rstrip(b"\0 ")
                worker = processes.identity(int(name))
                if worker is not None and role_of(command, os.fsdecode(title)) == IO_WORKER:
                    self._add(worker)

    def meet(self, pid: int, started_ns: int) -> None:
        """A worker that was seen at work, which may have begun meanwhile."""
        worker = processes.Identity(pid, started_ns * _TICKS_PER_S // _NS_PER_S)
        if worker not in self._workers and len(self._refused.get(worker, ())) < _TRIES_MAX:
            self._add(worker)

    def of(self, server: int, number: int) -> Asker | None:
        """The process of that number in that server; None where it ended before it was ever looked for."""
        asked = (server, number)
        if asked not in self._looked_up:
            found = self._running(self._servers[server - 1], number)
            if found is not None:
                self._known[asked] = found
            self._looked_up[asked] = self._known.get(asked)
        return self._looked_up[asked]

    def _add(self, worker: processes.Identity) -> None:
        postmaster = self._status(worker.pid).get("PPid", "")
        if not postmaster.isdecimal() or len(self._servers) >= _SERVERS_MAX:
            return
        if not self._is_of(worker.pid, postmaster):
            reason = "it calls itself a worker, and does not run its parent's program as the same user"
            self._refused.setdefault(worker, []).append(reason)
            return
        if int(postmaster) not in self._servers:
            self._servers.append(int(postmaster))
        server = self._servers.index(int(postmaster)) + 1
        reason = block_probe.book_on_askers(self.probe, worker.pid, server)
        if reason is None:
            self._workers.add(worker)
            self._refused.pop(worker, None)
        else:
            self._refused.setdefault(worker, []).append(reason)

    def _running(self, postmaster: int, number: int) -> Asker | None:
        """The child of the postmaster that has this number among its own."""
        pid = number if self._shares_numbers(postmaster) else self._child(postmaster, number)
        if pid is None or self._status(pid).get("PPid") != str(postmaster):
            return None
        found = processes.identity(pid)
        return None if found is None else Asker(pid, -(-found.start_ticks * _NS_PER_S // _TICKS_PER_S))

    def _shares_numbers(self, postmaster: int) -> bool:
        """Whether processes have the same numbers for it as for us."""
        return self._numbering(str(postmaster)) == self._numbering("self")

    def _numbering(self, process: str) -> str | None:
        try:
            return os.readlink(self.proc / process / "ns/pid")
        except OSError:
            return None

    def _child(self, postmaster: int, number: int) -> int | None:
        if postmaster not in self._numbers:
            self._numbers[postmaster] = {
                numbers[-1]: child
                for child in self._children(postmaster)
                if (numbers := self._status(child).get("NSpid", "").split())
            }
        return self._numbers[postmaster].get(str(number))

    def _is_of(self, worker: int, postmaster: str) -> bool:
        """Whether it is a process of that server: a title alone is anybody's to choose, and what it has in its memory too."""
        programs = [self._program(str(worker)), self._program(postmaster)]
        users = [self._status(pid).get("Uid") for pid in (worker, int(postmaster))]
        return programs[0] is not None and programs[0] == programs[1] and users[0] == users[1]

    def _program(self, process: str) -> tuple[int, int] | None:
        try:
            found = os.stat(self.proc / process / "exe")
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _children(self, postmaster: int) -> list[int]:
        told = files.read_text(self.proc / str(postmaster) / "task" / str(postmaster) / "children")
        return [int(word) for word in (told or "").split()]

    def _status(self, pid: int) -> dict[str, str]:
        lines = (files.read_text(self.proc / str(pid) / "status") or "").splitlines()
        return {name: rest.strip() for name, _, rest in (line.partition(":") for line in lines)}
