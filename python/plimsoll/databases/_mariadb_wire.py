"""PyMySQL's sessions within limits of ours: an answer that lasts too long or does not end costs its session alone.

The driver's own limit is one of silence; it keeps whatever comes. Both are looked at here between two parts of an answer.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from plimsoll.base import limits
from plimsoll.ports.clock import SystemClock

_CLOCK = SystemClock()
_LOST = 2013


def socket_of(session: Any) -> Any:
    """What an open session of the driver speaks through."""
    return session._sock


@cache
def connection_class() -> Any:
    """PyMySQL's connection with our limits."""
    import pymysql

    base: Any = pymysql.connections.Connection

    class Connection(base):
        """Each answer, and the login, has its limits. `answer_s_max` None: it lasts as long as it does."""

        answer_s_max: float | None = limits.READING_S_MAX
        answer_bytes_max = limits.READING_BYTES_MAX
        _begun_s = 0.0
        _taken_bytes = 0

        def connect(self, sock: Any = None) -> None:
            self._begin()
            super().connect(sock)

        def query(self, sql: Any, unbuffered: bool = False) -> int:
            self._begin()
            answered: int = super().query(sql, unbuffered)
            return answered

        def _begin(self) -> None:
            self._begun_s, self._taken_bytes = _CLOCK.monotonic_s(), 0

        def _read_bytes(self, num_bytes: int) -> bytes:
            data: bytes = super()._read_bytes(num_bytes)
            self._taken_bytes += len(data)
            if self._taken_bytes > self.answer_bytes_max:
                self._give_up("odd", f"it answered with more than {self.answer_bytes_max >> 20} MB")
            late_s = self.answer_s_max
            if late_s is not None and _CLOCK.monotonic_s() - self._begun_s >= late_s:
                self._give_up("slow", f"it was not done after {late_s:g} s")
            return data

        def _give_up(self, overrun: str, why: str) -> None:
            self._force_close()
            error: Any = pymysql.err.OperationalError(_LOST, why)
            error.overrun = overrun
            raise error

    return Connection
