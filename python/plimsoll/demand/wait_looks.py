"""What sessions were seen waiting for between two snapshots: the server is looked at each second, on the session of the snapshots.

No counter of PostgreSQL has the time of waits. Of n looks a share p of which saw something, that share has an error of
√(p (1 - p) ÷ n).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from plimsoll.base import limits
from plimsoll.base.errors import WorldError
from plimsoll.databases import CountedRows, CountsRows, WaitingSessions
from plimsoll.demand.changed_rows import SEPARATOR, UNKNOWN, values_of
from plimsoll.facts import KeptRows
from plimsoll.ports.clock import Clock

_COLUMNS = ("backend_type", "wait_event_type", "wait_event", "seen")
_HIDDEN = "this user may not see what other sessions do: grant pg_monitor"
_ESCAPED = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


@dataclass
class WaitLooks:
    """Looks at one connection, of which this opens a new session where it was lost. Counts go on until the store has them."""

    clock: Clock
    connection: CountsRows
    _next_s: float = math.inf
    _is_open: bool = True
    _looks: int = 0
    _missed: int = 0
    _hidden: bool = False
    _reason: str = ""
    _seen: Counter[tuple[str, str | None, str | None]] = field(
        default_factory=Counter[tuple[str, str | None, str | None]]
    )

    def begin(self) -> None:
        """The connection has a new session; the first look is due a second from now."""
        self._is_open = True
        self._next_s = self.clock.monotonic_s() + limits.WAITS_PERIOD_S

    def look(self) -> None:
        """Once, if it is due. A server that is away is asked again after a while, and never waited for."""
        begun_s = self.clock.monotonic_s()
        if begun_s < self._next_s:
            return
        try:
            if not self._is_open:
                self.connection.reopen()
                self._is_open = True
            self._add(self.connection.waiting())
            due_s = self._next_s + limits.WAITS_PERIOD_S
        except WorldError as error:
            self._missed += 1
            self._reason = error.message
            self.connection.close()
            self._is_open = False
            due_s = begun_s + limits.COLLECTOR_RETRY_S
        # What was missed, by a pause of the machine or by an answer that came late, is not made up for.
        self._next_s = (
            due_s if due_s > self.clock.monotonic_s() else self.clock.monotonic_s() + limits.WAITS_PERIOD_S
        )

    def _add(self, found: Sequence[WaitingSessions] | None) -> None:
        if found is None:
            self._hidden = True
            return
        self._looks += 1
        for one in found:
            self._seen[one.backend_type, one.wait_event_type, one.wait_event] += one.sessions

    def rows(self) -> CountedRows:
        """All that was seen since `confirm`."""
        figures = {"looks": float(self._looks), "missed": float(self._missed)}
        if not self._looks:
            reason = _HIDDEN if self._hidden else self._reason or "nobody has looked yet"
            return CountedRows("waits", unknown=reason)
        lines = [SEPARATOR.join((*map(_written, key), str(seen))) for key, seen in self._seen.items()]
        return CountedRows("waits", _COLUMNS, keys=len(_COLUMNS) - 1, lines=sorted(lines), figures=figures)

    def confirm(self) -> None:
        """The store has them: the next snapshot begins with none."""
        self._looks = self._missed = 0
        self._hidden, self._reason = False, ""
        self._seen.clear()


def _written(value: str | None) -> str:
    return UNKNOWN if value is None else value.translate(_ESCAPED)


@dataclass(frozen=True)
class SeenWaits:
    """What was seen in all looks of a time. Sessions at work on average are `seen` ÷ `looks`."""

    looks: int
    missed: int
    seen: dict[tuple[str | None, ...], int]
    """By type of process, type of wait and wait; no wait: it had a CPU, or was ready for one."""
    unknown: tuple[str, ...] = ()
    """Why there were no looks between some of the snapshots."""


def seen_waits(parts: Iterable[KeptRows]) -> SeenWaits:
    """All looks of these snapshots: of an interval those of the snapshots after its first, up to its last."""
    looks, missed = 0.0, 0.0
    seen: Counter[tuple[str | None, ...]] = Counter()
    reasons: dict[str, None] = {}
    for part in parts:
        if part.unknown is not None:
            reasons[part.unknown] = None
        looks += part.figures.get("looks") or 0.0
        missed += part.figures.get("missed") or 0.0
        for line in part.rows.split("\n") if part.rows else ():
            *key, number = values_of(line)
            seen[tuple(key)] += int(number or 0)
    return SeenWaits(int(looks), int(missed), dict(seen), tuple(reasons))
