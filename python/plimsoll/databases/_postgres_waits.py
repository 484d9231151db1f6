"""Which relations the sessions of a PostgreSQL wait for when they read, seen at random moments (18 and later).

No counter has the time of reads by relation. From 18 on `pg_aios` shows each I/O under way with its file, so that a session that
waits for a read can be seen with the relation that it waits for. Each moment comes a random time after the one before, so that
nothing that happens at a steady pace is seen too often or never; of n waits that were seen a share p has an error of
√(p (1 - p) ÷ n).
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from plimsoll.base.errors import PlimsollError
from plimsoll.databases._kind import Session
from plimsoll.ports.clock import Clock

_PAUSE_S_MEAN = 0.1
_PAUSE_S_MAX = 1.0
_PAUSES_PER_COST_MIN = 20.0
"""A moment is looked at for no more than a twentieth of the time."""


@dataclass(frozen=True)
class ReadWaits:
    """How many sessions were seen waiting for a read, added up over all moments."""

    moments: int
    by_relation: Mapping[int, float]
    """By the relation's oid."""
    elsewhere: float = 0.0
    """For what is no relation of this database, or was read before it could be seen."""
    problem: str | None = None
    """Why they are not known, or end early."""

    @property
    def sessions(self) -> float:
        """Of all relations and none."""
        return sum(self.by_relation.values()) + self.elsewhere

    @property
    def sessions_mean(self) -> float:
        """Sessions that wait at a moment."""
        return self.sessions / self.moments if self.moments else 0.0


class ReadWaitsWatch:
    """Looks at random moments, in a thread and a session of its own, from the beginning of the block to its end."""

    def __init__(
        self, clock: Clock, opened: Callable[[], Session], query: str, dice: random.Random | None = None
    ) -> None:
        self._clock, self._opened, self._query = clock, opened, query
        self._dice = dice or random.Random()
        self._by_relation: dict[int, float] = {}
        self._elsewhere, self._moments = 0.0, 0
        self._problem: str | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="plimsoll-read-waits", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def waits(self) -> ReadWaits:
        """What was seen; to be asked once the block has ended."""
        return ReadWaits(self._moments, dict(self._by_relation), self._elsewhere, self._problem)

    def _run(self) -> None:
        try:
            with closing(self._opened()) as session:
                self._look_on(session)
        except PlimsollError as error:
            self._problem = error.message if error.hint is None else f"{error.message}. {error.hint}"

    def _look_on(self, session: Session) -> None:
        pause_s = 0.0
        while not self._ended.wait(pause_s):
            begin_s = self._clock.monotonic_s()
            self._add(session.run(self._query))
            cost_s = self._clock.monotonic_s() - begin_s
            drawn_s = min(_PAUSE_S_MAX, self._dice.expovariate(1.0 / _PAUSE_S_MEAN))
            pause_s = max(drawn_s, cost_s * _PAUSES_PER_COST_MIN)

    def _add(self, rows: list[tuple[Any, ...]]) -> None:
        self._moments += 1
        for relation, sessions in rows:
            if relation is None:
                self._elsewhere += sessions
            else:
                self._by_relation[relation] = self._by_relation.get(relation, 0.0) + sessions
