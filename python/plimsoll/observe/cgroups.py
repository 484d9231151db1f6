"""The control group that a process is in, as the kernel tells it in /proc/PID/cgroup (cgroups(7)).

It is read once for each process: one that is moved later keeps the group that it was in. With version 1, also beside version 2, it
is the group of the controller `blkio`, which is what limits I/O there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.observe.roles import is_running
from plimsoll.ports import files

_PROCESSES_MAX = 65_536
"""Processes that are remembered."""
_CONTROLLER = "blkio"


def group_in(told: str) -> str | None:
    """The path of the group in what /proc/PID/cgroup says; None where it says of none that counts."""
    unified: str | None = None
    for line in told.split("\n"):
        number, _, rest = line.partition(":")
        controllers, colon, path = rest.partition(":")
        if not colon or not path.startswith("/"):
            continue
        if _CONTROLLER in controllers.split(","):
            return path
        if number == "0" and not controllers:
            unified = path
    return unified


@dataclass
class ProcessGroups:
    """Those of processes that were asked for."""

    proc: Path = Path("/proc")
    is_running: Callable[[int, int], bool] = is_running
    """Whether the process of that number is the one that began then."""
    _known: dict[tuple[int, int], str | None] = field(default_factory=dict)

    def of(self, pid: int, started_ns: int) -> str | None:
        """The path of its group; None where it had ended, or /proc does not show it."""
        process = (pid, started_ns)
        if process not in self._known:
            if len(self._known) >= _PROCESSES_MAX:
                self._known.clear()
            self._known[process] = self._read(pid, started_ns)
        return self._known[process]

    def _read(self, pid: int, started_ns: int) -> str | None:
        told = files.read_bytes(self.proc / str(pid) / "cgroup")
        # It is asked for afterwards: only if the process is still there was it its own file.
        if not told or not self.is_running(pid, started_ns):
            return None
        return group_in(os.fsdecode(told))
