"""Sessions of PostgreSQL that wait for a synchronous standby, by what their titles show.

The kernel's probe sees such a wait only where it begins while calls of PostgreSQL are watched. One that began before, or between,
stands in the title of its session all the while, with the place in the log that it waits for, which no other wait has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from plimsoll.observe.older_flushes import numbered, state_and_start, under_way
from plimsoll.ports import files

if TYPE_CHECKING:
    from plimsoll.native.commit_probe import CommitUnderWay

COMMANDS = ("postgres", "postmaster")
_WAITS = re.compile(r"postgres: .* waiting for [0-9A-F]+/[0-9A-F]+", re.DOTALL)
"""How a session shows itself that waits for a synchronous standby (src/backend/replication/syncrep.c, SyncRepWaitForLSN); it does
not where update_process_title is off."""


class _Wait(NamedTuple):
    pid: int
    start_ticks: int
    title: str


@dataclass
class StandbyWaits:
    """Those that are seen at each `look`, with when they first were."""

    proc: Path = Path("/proc")
    _since_s: dict[_Wait, float] = field(default_factory=dict)

    def look(self, now_s: float) -> None:
        """What waits now; what waited before and does no more is forgotten."""
        self._since_s = {wait: self._since_s.get(wait, now_s) for wait in self._waiting()}

    def beside(self, known: list[CommitUnderWay], now_s: float) -> list[CommitUnderWay]:
        """Those of the last look but for those that the probe knows, which it times from their begin."""
        pids = {one["owner_pid"] for one in known if one["kind"] == "standby"}
        return [
            under_way(wait.pid, wait.pid, wait.start_ticks, "standby", "queue", now_s - since_s)
            for wait, since_s in self._since_s.items()
            if wait.pid not in pids
        ]

    def _waiting(self) -> Iterator[_Wait]:
        for process in numbered(self.proc):
            if files.read_text(process / "comm") in COMMANDS:
                title = title_shown(process)
                if waits_for_standby(title):
                    yield _Wait(int(process.name), state_and_start(process)[1], title)


def title_shown(process: Path) -> str:
    """As a process of PostgreSQL shows itself; nothing where it has ended."""
    return (files.read_text(process / "cmdline") or "").replace("\0", " ").strip()


def waits_for_standby(title: str) -> bool:
    """Whether a session of that title waits for a synchronous standby."""
    return _WAITS.match(title) is not None
