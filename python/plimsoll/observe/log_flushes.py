"""When calls of PostgreSQL's XLogFlush are seen: for a part of the time, because each of them then costs some microseconds more.

Without them a commit whose log another backend flushed is not seen at all. Calls that begin in a turn are seen to their end,
however long that takes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Protocol

from plimsoll.base.errors import WorldError
from plimsoll.observe.older_flushes import numbered
from plimsoll.observe.roles import WALSENDER, role_of
from plimsoll.observe.standby_waits import COMMANDS, title_shown, waits_for_standby
from plimsoll.ports import files
from plimsoll.ports.clock import Clock

ONE_STEP_IN = 5
"""They are seen in one step of so many, in each round of these another, by chance: the 10 us that it costs are then below 3 % of a
commit of 70 us, which is a fast one."""
_ENDING_S = 0.1
"""What a call that is under way at the end of a turn takes, as a rule; one that takes longer is waited for step by step."""
_NAP_S = 0.01
_WAYS_MAX = 8
"""Processes of a program through which it is looked for: sessions end at any moment."""


class LogFlushProbe(Protocol):
    """What sees them: `native/commit_probe.py`, and what tests have in its place."""

    def see(self, executable: str) -> bool:
        """Those of this program, from now on; False: its process has ended, and this way to it with it."""
        ...

    def see_standby_waits(self, executable: str) -> bool:
        """What its commits wait for a synchronous standby, from now on; False as above."""
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
    """A way to it, which holds also where its file was replaced or is in a container, as long as the process is there."""
    has_standby: bool = False
    """Whether commits may wait for a standby: one is there, or one is waited for. To see that costs another few microseconds."""
    others: tuple[str, ...] = ()
    """Ways through other processes of it."""
    name: str = ""
    """What people know it by."""
    file: tuple[int, int] | None = None
    """Device and number of its file, by which it is known again."""

    @property
    def ways(self) -> tuple[str, ...]:
        """All of them."""
        return (self.executable, *self.others)

    @property
    def key(self) -> object:
        """The same of one program at any time."""
        return self.file or self.executable


def postgres_programs(proc: Path = Path("/proc")) -> tuple[Program, ...]:
    """Each once."""
    found: dict[tuple[int, int], Program] = {}
    # A server began before its sessions, which may end at any moment.
    for pid in sorted(int(folder.name) for folder in proc.iterdir() if folder.name.isdigit()):
        process = proc / str(pid)
        command = files.read_text(process / "comm") or ""
        if command in COMMANDS:
            program = _program(process)
            if program is not None and program.file is not None:
                has_standby = _is_about_standby(command, process)
                found[program.file] = _joined(found.get(program.file, program), program, has_standby)
    return tuple(found.values())


def are_withheld(proc: Path = Path("/proc")) -> bool:
    """Whether a process of PostgreSQL runs whose program this user may not know."""
    return any(
        files.read_text(process / "comm") in COMMANDS and _is_withheld(process / "exe")
        for process in numbered(proc)
    )


def _is_withheld(way: Path) -> bool:
    try:
        os.readlink(way)
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def _program(process: Path) -> Program | None:
    """That of a process; None where it has ended, or where this user may not know."""
    way = process / "exe"
    try:
        status, path = os.stat(way), os.readlink(way)
    except OSError:
        return None
    name = f"{path} of process {process.name}"
    return Program(str(way), name=name, file=(status.st_dev, status.st_ino))


def _joined(known: Program, more: Program, has_standby: bool) -> Program:
    others = known.others
    if more.executable != known.executable and len(known.ways) < _WAYS_MAX:
        others = (*others, more.executable)
    return replace(known, has_standby=known.has_standby or has_standby, others=others)


def _is_about_standby(command: str, process: Path) -> bool:
    shown = title_shown(process)
    return role_of(command, shown) == WALSENDER or waits_for_standby(shown)


@dataclass
class LogFlushTurns:
    """Whose turn it is; `step` at the begin of each step, `end` once."""

    probe: LogFlushProbe
    clock: Clock
    programs: Callable[[], Iterable[Program]] = postgres_programs
    """Asked for at each turn: servers come and go."""
    draw: Random = field(default_factory=lambda: Random(0))
    """Which step of each round of ONE_STEP_IN is its turn, after the first: what comes back every so many seconds, such as a limit
    that is set and lifted, would meet the same step of each round always or never. The first round's is its first step, for those
    who watch for a moment."""
    steps_max: int | None = None
    """After so many it ends: a last round that is shorter has its turn as well. None: when somebody ends it."""
    seen_s: float | None = None
    """How long they were seen, turns that have ended; None where there was nothing to see."""
    standby_refusal: WorldError | None = None
    """Why waits for a standby could not be seen in some program."""
    _refusals: dict[object, str] = field(default_factory=dict)
    _gone: dict[object, str] = field(default_factory=dict)
    _ever_seen: set[object] = field(default_factory=set)
    _steps: int = 0
    _turn: int = 0
    """The step of this round that is its turn."""
    _since_s: float | None = None
    _awaits_ends: bool = False

    @property
    def refusals(self) -> tuple[str, ...]:
        """Programs whose calls could not be seen the last time that it was tried, each with why."""
        return tuple(self._refusals.values())

    @property
    def gone(self) -> tuple[str, ...]:
        """Programs whose processes had all ended when their calls were to be seen, and that never were."""
        return tuple(self._gone.values())

    @property
    def is_on(self) -> bool:
        """Whether calls that begin now are seen."""
        return self._since_s is not None

    def step(self) -> None:
        """One more step begins."""
        step, self._steps = self._steps % ONE_STEP_IN, self._steps + 1
        if step == 0 and self._steps > 1:
            self._turn = self.draw.randrange(self._steps_of_round())
        self.end()
        if step == self._turn:
            self._see()

    def _steps_of_round(self) -> int:
        """Of the round whose first step begins."""
        if self.steps_max is None:
            return ONE_STEP_IN
        return max(1, min(ONE_STEP_IN, self.steps_max - self._steps + 1))

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
            if not self._is_seen(program):
                continue
            if self._since_s is None:
                self._since_s = self.clock.monotonic_s()
            if program.has_standby:
                self._see_standby_waits(program)

    def _is_seen(self, program: Program) -> bool:
        """Whether its calls are from now on. One that is refused or gone leaves the others."""
        self._refusals.pop(program.key, None)
        try:
            is_there = any(self.probe.see(way) for way in program.ways)
        except WorldError as error:
            self._refusals[program.key] = f"{program.name or program.executable}: {error.message}"
            return False
        if is_there:
            self._ever_seen.add(program.key)
            self._gone.pop(program.key, None)
        elif program.key not in self._ever_seen:
            self._gone[program.key] = program.name or program.executable
        return is_there

    def _see_standby_waits(self, program: Program) -> None:
        try:
            any(self.probe.see_standby_waits(way) for way in program.ways)
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
