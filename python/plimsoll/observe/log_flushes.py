"""When calls of PostgreSQL's XLogFlush are seen: for a part of the time, because each of them then costs some microseconds more.

Without them a commit whose log another backend flushed is not seen at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from plimsoll.base.errors import WorldError
from plimsoll.ports import files
from plimsoll.ports.clock import Clock

ONE_STEP_IN = 5
"""They are seen in one step of so many: the 10 us that it costs are then below 3 % of a commit of 70 us, which is a fast one."""
_COMMANDS = ("postgres", "postmaster")


class LogFlushProbe(Protocol):
    """What sees them: `native/commit_probe.py`, and what tests have in its place."""

    def see(self, executable: str) -> None:
        """Those of this program, from now on."""
        ...

    def leave(self) -> None:
        """No longer."""
        ...


def postgres_executables(proc: Path = Path("/proc")) -> tuple[str, ...]:
    """A way to each program of PostgreSQL that runs, which holds also where its file was replaced or is in a container."""
    found: dict[tuple[int, int], str] = {}
    # A server began before its sessions, which may end at any moment.
    for pid in sorted(int(folder.name) for folder in proc.iterdir() if folder.name.isdigit()):
        if (files.read_text(proc / str(pid) / "comm") or "").strip() in _COMMANDS:
            path = proc / str(pid) / "exe"
            try:
                status = os.stat(path)
            except OSError:
                continue  # it has ended
            found.setdefault((status.st_dev, status.st_ino), str(path))
    return tuple(found.values())


@dataclass
class LogFlushTurns:
    """Whose turn it is; `step` at the begin of each step, `end` once."""

    probe: LogFlushProbe
    clock: Clock
    executables: Callable[[], Iterable[str]] = postgres_executables
    """Asked for at each turn: servers come and go."""
    seen_s: float | None = None
    """How long they were seen, turns that have ended; None where there was nothing to see."""
    refusal: WorldError | None = None
    """Why those of some program could not be seen."""
    _steps: int = 0
    _since_s: float | None = None

    def step(self) -> None:
        """One more step begins."""
        is_turn, self._steps = self._steps % ONE_STEP_IN == 0, self._steps + 1
        self.end()
        if is_turn:
            self._see()

    def _see(self) -> None:
        for executable in self.executables():
            try:
                self.probe.see(executable)
            except WorldError as error:
                self.refusal = error
            else:
                if self._since_s is None:
                    self._since_s = self.clock.monotonic_s()

    def end(self) -> None:
        """They are not seen any more."""
        if self._since_s is not None:
            self.probe.leave()
            self.seen_s = (self.seen_s or 0.0) + self.clock.monotonic_s() - self._since_s
            self._since_s = None
