"""Looking at what sessions wait for: moments that are added up, their pace, and a session that breaks off."""

from __future__ import annotations

import random
import threading
from typing import Any

from plimsoll.base.errors import WorldError
from plimsoll.databases._postgres_waits import ReadWaitsWatch
from plimsoll.ports.clock import SystemClock

MOMENTS = 3
TOLD_S_MAX = 60.0


class Answers:
    """A session that gives the same rows at each moment, and tells when it was asked so often."""

    def __init__(self, rows: list[tuple[Any, ...]], fails_at: int | None = None) -> None:
        self._rows, self._fails_at = rows, fails_at
        self.asked, self.closed = 0, False
        self.enough = threading.Event()

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows, or the error."""
        assert sql == "ask"
        self.asked += 1
        if self.asked >= MOMENTS:
            self.enough.set()
        if self.asked == self._fails_at:
            raise WorldError("database-lost", "the server went away", "Start it.")
        return self._rows

    def close(self) -> None:
        """Ended."""
        self.closed = True


class Shortest(random.Random):
    """Pauses of no length."""

    def expovariate(self, lambd: float = 1.0) -> float:
        """No time at all."""
        return 0.0 * lambd


def watched(session: Any) -> ReadWaitsWatch:
    """Until it was asked often enough."""
    with ReadWaitsWatch(SystemClock(), lambda: session, "ask", Shortest()) as watch:
        assert session.enough.wait(TOLD_S_MAX)
    return watch


def test_moments_are_added_up_by_relation() -> None:
    session = Answers([(7, 1.5), (9, 1.0), (None, 0.5)])
    waits = watched(session).waits
    assert waits.moments == session.asked >= MOMENTS
    assert waits.by_relation == {7: 1.5 * waits.moments, 9: 1.0 * waits.moments}
    assert waits.elsewhere == 0.5 * waits.moments
    assert (waits.sessions, waits.sessions_mean) == (3.0 * waits.moments, 3.0)
    assert (waits.problem, session.closed) == (None, True)


def test_nobody_that_waits_is_no_wait_and_a_moment_all_the_same() -> None:
    waits = watched(Answers([])).waits
    assert (waits.sessions, waits.sessions_mean, waits.problem) == (0, 0.0, None)
    assert waits.moments >= MOMENTS


def test_a_session_that_breaks_off_keeps_what_was_seen() -> None:
    session = Answers([(7, 1.0)], fails_at=MOMENTS)
    waits = watched(session).waits
    assert (waits.moments, waits.by_relation) == (MOMENTS - 1, {7: 2.0})
    assert (waits.problem, session.closed) == ("the server went away. Start it.", True)


def test_without_a_session_there_is_nothing_but_the_reason() -> None:
    asked = threading.Event()

    def refused() -> Any:
        asked.set()
        raise WorldError("database-refused", "too many connections", "Raise max_connections.")

    with ReadWaitsWatch(SystemClock(), refused, "ask") as watch:
        assert asked.wait(TOLD_S_MAX)
    assert (watch.waits.moments, watch.waits.problem) == (0, "too many connections. Raise max_connections.")
