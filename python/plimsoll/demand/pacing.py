"""When readings of a live server are due, and how long one that went away is waited for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from plimsoll.base import limits
from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.facts import Live, Note

AWAY = frozenset({"database-lost", "database-unreachable", "database-refused", "database-slow"})
"""Errors of a database that may be there again in a moment."""
_NAP_S = 0.1
_SHORTEST = 0.5
_COST_SHARE_MAX = 0.05
R = TypeVar("R")


class Reopened(Protocol):
    """What can be read again through a new session."""

    def reopen(self) -> None:
        """See `Connection.reopen`."""
        ...


class Pace:
    """Steps of a period from now on, for so many seconds; None: until `until` says so, or until cancelled."""

    def __init__(
        self,
        ctx: Context,
        period_s: float,
        seconds: float | None,
        stage: str,
        until: Callable[[], bool] = lambda: False,
    ) -> None:
        self._ctx = ctx
        self._period_s = period_s
        self._seconds = seconds
        self._stage = stage
        self._until = until
        self._started_s = ctx.clock.monotonic_s()
        self.is_last = False
        """Whether the step at hand is the last one."""

    @property
    def elapsed_s(self) -> float:
        """Since the begin."""
        return self._ctx.clock.monotonic_s() - self._started_s

    def steps(self) -> Iterator[None]:
        """One whenever a reading is due. It ends after the last, or when cancelled.

        None is less than half a period after the one before: sessions hand in a second's work at once, so a shorter interval
        would show many times the true rate.
        """
        while not self.is_last:
            self._wait(self._next_due_s())
            if self._ctx.cancel.is_set:
                return
            self.is_last = self._over() or self._until()
            yield

    def read(self, server: Reopened, read: Callable[[], R]) -> R | WorldError:
        """What `read` gives, as soon as the server answers; its error where it is gone for good or nobody waits any more.

        Raises WorldError for what no waiting mends.
        """
        try:
            return read()
        except WorldError as error:
            if error.id not in AWAY:
                raise
            self._ctx.remark(self._stage, f"{error.message}; waiting for it", warning=True)
            return self._after_absence(server, read, error)

    def tell(self, gap: str | None, iops: float | None) -> None:
        """How far it has come, with what the interval that just ended asked for."""
        elapsed_s = self.elapsed_s
        left_s = None if self._seconds is None else max(0.0, self._seconds - elapsed_s)
        share = None if not self._seconds else min(1.0, elapsed_s / self._seconds)
        words = gap or f"{iops or 0:,.0f} I/Os per second asked of storage"
        self._ctx.progress(self._stage, words, share, left_s, finished=left_s == 0.0)
        if iops is not None:
            self._ctx.live(Live(stage=self._stage, elapsed_s=elapsed_s, left_s=left_s, iops=iops))

    def _next_due_s(self) -> float:
        due_s = self._period_s * math.ceil(self.elapsed_s / self._period_s + _SHORTEST)
        if self._seconds is not None and self._seconds - due_s < self._period_s * _SHORTEST:
            due_s = max(self._seconds, self.elapsed_s)
        return self._started_s + due_s

    def _wait(self, due_s: float) -> None:
        while not self._ctx.cancel.is_set:
            left_s = due_s - self._ctx.clock.monotonic_s()
            if left_s <= 0:
                return
            self._ctx.clock.sleep(min(left_s, _NAP_S))

    def _over(self) -> bool:
        return self._seconds is not None and self.elapsed_s >= self._seconds - self._period_s * 0.01

    def _after_absence(self, server: Reopened, read: Callable[[], R], cause: WorldError) -> R | WorldError:
        clock = self._ctx.clock
        left_s = float("inf") if self._seconds is None else self._seconds - self.elapsed_s
        patience_s = min(limits.RECONNECT_S_MAX, max(left_s, limits.CONNECT_TIMEOUT_S))
        deadline_s = clock.monotonic_s() + patience_s
        while clock.monotonic_s() < deadline_s and not self._ctx.cancel.is_set:
            try:
                server.reopen()
                found = read()
            except WorldError as error:
                if error.id not in AWAY:
                    raise
                cause = error
                clock.sleep(_NAP_S)
                continue
            self._ctx.remark(self._stage, "the database answers again")
            return found
        return cause


def own_load(costs_s: Sequence[float], period_s: float) -> Iterator[Note]:
    """Where readings took so long that they are a load of their own."""
    cost_s = sum(costs_s) / len(costs_s) if costs_s else 0.0
    if cost_s > period_s * _COST_SHARE_MAX:
        message = (
            f"one reading of the counters took {cost_s * 1000:.0f} ms on average: our own load on the server"
        )
        yield Note(code="own-load", message=message)
