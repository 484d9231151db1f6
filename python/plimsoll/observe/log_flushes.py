"""When calls of PostgreSQL's XLogFlush are seen: for a part of the time, because each of them then costs some microseconds more.

Without them a commit whose log another backend flushed is not seen at all. Calls that begin in a turn are seen to their end,
however long that takes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from plimsoll.base.errors import WorldError
from plimsoll.observe.roles import WALSENDER, role_of
from plimsoll.ports import files
from plimsoll.ports.clock import Clock

ONE_STEP_IN = 5
"""They are seen in one step of so many: the 10 us that it costs are then below 3 % of a commit of 70 us, which is a fast one."""
_ENDING_S = 0.1
"""What a call that is under way at the end of a turn takes, as a rule; one that takes longer is waited for step by step."""
_NAP_S = 0.01
_COMMANDS = ("postgres", "postmaster")
_WAITS_FOR_STANDBY = re.compile(r"postgres: .* waiting for [0-9A-F]+/[0-9A-F]+", re.DOTALL)
"""How a session shows itself that waits for a synchronous standby (src/backend/replication/syncrep.c, SyncRepWaitForLSN)."""


class LogFlushProbe(Protocol):
    """What sees them: `native/commit_probe.py`, and what tests have in its place."""

    def see(self, executable: str) -> None:
        """Those of this program, from now on."""
        ...

    def see_standby_waits(self, executable: str) -> None:
        """What its commits wait for a synchronous standby, from now on."""
        ...

    def leave(self) -> None:
        """None that begins from now on; those under way are seen to their end."""
        ...

    def is_within_calls(self) -> bool:
        """Whether any is under way."""
        ...

    def let_go(self) -> None:
        """None, and calls cost nothing any more."""
        ...


@dataclass(frozen=True)
class Program:
    """A program of PostgreSQL that runs."""

    executable: str
    """A way to it, which holds also where its file was replaced or is in a container."""
    has_standby: bool = False
    """Whether commits may wait for a standby: one is there, or one is waited for. To see that costs another few microseconds."""


def postgres_programs(proc: Path = Path("/proc")) -> tuple[Program, ...]:
    """Each once."""
    found: dict[tuple[int, int], Program] = {}
    # A server began before its sessions, which may end at any moment.
    for pid in sorted(int(folder.name) for folder in proc.iterdir() if folder.name.isdigit()):
        command = (files.read_text(proc / str(pid) / "comm") or "").strip()
        if command in _COMMANDS:
            path = proc / str(pid) / "exe"
            try:
                status = os.stat(path)
            except OSError:
                continue  # it has ended
            place = (status.st_dev, status.st_ino)
            known = found.get(place, Program(str(path)))
            has_standby = known.has_standby or _is_about_standby(command, proc / str(pid) / "cmdline")
            found[place] = replace(known, has_standby=has_standby)
    return tuple(found.values())


def _is_about_standby(command: str, title: Path) -> bool:
    shown = (files.read_text(title) or "").replace("\0", " ").strip()
    return role_of(command, shown) == WALSENDER or _WAITS_FOR_STANDBY.match(shown) is not None


@dataclass
class LogFlushTurns:
    """Whose turn it is; `step` at the begin of each step, `end` once."""

    probe: LogFlushProbe
    clock: Clock
    programs: Callable[[], Iterable[Program]] = postgres_programs
    """Asked for at each turn: servers come and go."""
    seen_s: float | None = None
    """How long they were seen, turns that have ended; None where there was nothing to see."""
    refusal: WorldError | None = None
    """Why those of some program could not be seen."""
    standby_refusal: WorldError | None = None
    """Why waits for a standby could not be seen in some program."""
    _steps: int = 0
    _since_s: float | None = None
    _awaits_ends: bool = False

    @property
    def is_on(self) -> bool:
        """Whether calls that begin now are seen."""
        return self._since_s is not None

    def step(self) -> None:
        """One more step begins."""
        is_turn, self._steps = self._steps % ONE_STEP_IN == 0, self._steps + 1
        self.end()
        if is_turn:
            self._see()

    def end(self) -> None:
        """No call that begins from now on is seen. Those under way are, as long as they take: a commit that hangs is worth it."""
        if self._since_s is not None:
            self.probe.leave()
            self.broke_off(self.clock.monotonic_s())
            self._awaits_ends = True
            self._await_ends()
        elif self._awaits_ends:
            self._let_go_of_ended()

    def broke_off(self, at_s: float) -> None:
        """They were seen until then."""
        if self._since_s is not None:
            self.seen_s = (self.seen_s or 0.0) + max(0.0, at_s - self._since_s)
            self._since_s = None

    def _see(self) -> None:
        for program in self.programs():
            try:
                self.probe.see(program.executable)
            except WorldError as error:
                self.refusal = error
                continue
            if self._since_s is None:
                self._since_s = self.clock.monotonic_s()
            if program.has_standby:
                self._see_standby_waits(program.executable)

    def _see_standby_waits(self, executable: str) -> None:
        try:
            self.probe.see_standby_waits(executable)
        except WorldError as error:
            self.standby_refusal = error

    def _await_ends(self) -> None:
        until_s = self.clock.monotonic_s() + _ENDING_S
        while not self._let_go_of_ended() and self.clock.monotonic_s() < until_s:
            self.clock.sleep(_NAP_S)

    def _let_go_of_ended(self) -> bool:
        """Whether all of them have ended."""
        if not self.probe.is_within_calls():
            self.probe.let_go()
            self._awaits_ends = False
        return not self._awaits_ends
