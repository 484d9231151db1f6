"""psycopg's sessions within limits of ours: a server that falls silent, or does not stop talking, costs its session alone.

The driver waits as long as a server likes, keeps all that it sends, and in its compiled form does not see a signal while
bytes keep coming. So waiting is done here. Notices are dropped where they arrive: nobody reads them.

Sources: psycopg 3, `Connection.wait` and `waiting.py`, for what the generators of its operations are sent; tcp(7) and
linux/tcp.h, `struct tcp_info`.
"""

from __future__ import annotations

import fcntl
import select
import socket
import struct
import termios
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, cast

from plimsoll.base import limits
from plimsoll.ports.clock import SystemClock

if TYPE_CHECKING:
    import psycopg

_READ, _WRITE = 1, 2
"""The bits of what a generator waits for, and of what it is told."""
_EVENTS = {_READ: select.POLLIN, _WRITE: select.POLLOUT, _READ | _WRITE: select.POLLIN | select.POLLOUT}
_NAP_S = 0.1
_TCP_INFO_BYTES = 136
_TCP_INFO_RECEIVED = 128
"""Where `tcpi_bytes_received` lies, since Linux 4.1."""
_READ_AT_ONCE_BYTES = 8192
"""libpq makes so much room before it reads (fe-misc.c, pqReadData)."""
_CLOCK = SystemClock()

Overrun = Literal["slow", "odd"]


@cache
def connection_class() -> type[psycopg.Connection[Any]]:
    """psycopg's connection with our limits. Outside of `within` each answer has `limits.READING_S_MAX`."""
    import psycopg

    return cast(type[psycopg.Connection[Any]], type("Connection", (_Limited, psycopg.Connection), {}))


@contextmanager
def within(connection: Any, seconds: float, bytes_max: int) -> Iterator[None]:
    """All that the block does on the connection, taken together, lasts no longer and is sent no more. Blocks do not nest."""
    connection.limit_all(seconds, bytes_max)
    try:
        yield
    finally:
        connection.limit_all(None, 0)


def overrun(error: BaseException) -> Overrun | None:
    """Which of our limits an error of the driver's is about: time, or bytes. The session is closed then."""
    return getattr(error, "overrun", None)


class _Limited:
    """What psycopg's connection gets from us."""

    answer_s_max: float | None = limits.READING_S_MAX
    answer_bytes_max: int = limits.ANSWER_BYTES_MAX

    if TYPE_CHECKING:
        pgconn: Any
        closed: bool
        cancel_safe: Any

    def __init__(self, *args: Any, **words: Any) -> None:
        super().__init__(*args, **words)
        self.pgconn.notice_handler = None
        self._gauge = _Gauge()
        self._work: _Work | None = None

    def limit_all(self, seconds: float | None, bytes_max: int) -> None:
        """Of all that comes, until it is called again; None ends it. See `within`."""
        self._work = None if seconds is None else self._beginning(seconds, bytes_max)

    def wait(self, gen: Any, interval: float = _NAP_S, timeout: float | None = None) -> Any:
        """In place of psycopg's. Raises its OperationalError with an `overrun`."""
        work = self._work or self._beginning(self.answer_s_max, self.answer_bytes_max)
        try:
            for _ in _progress(gen, self.pgconn.socket, self._gauge):
                work.check(self._gauge.bytes)
            return self._gauge.result
        except KeyboardInterrupt:
            self._stop(gen)
            raise
        except _overrun_error():
            self.pgconn.finish()
            raise

    def _beginning(self, seconds: float | None, bytes_max: int) -> _Work:
        received = 0 if self.closed else self._gauge.received(self.pgconn.socket)
        return _Work(seconds, _CLOCK.monotonic_s(), bytes_max, received)

    def _stop(self, gen: Any) -> None:
        """Has the server end what it does; a session that it does not end is closed, and not waited for."""
        import psycopg

        active = psycopg.pq.TransactionStatus.ACTIVE
        if self.pgconn.transaction_status != active:
            return
        end_s = _CLOCK.monotonic_s() + limits.STOP_STATEMENT_S_MAX
        try:
            self.cancel_safe(timeout=limits.STOP_STATEMENT_S_MAX)
            for _ in _progress(gen, self.pgconn.socket, self._gauge):
                if _CLOCK.monotonic_s() >= end_s:
                    break
        except psycopg.Error:
            pass  # The statement's own end, most of all: it was cancelled.
        if self.pgconn.transaction_status == active:
            self.pgconn.finish()


@dataclass(frozen=True)
class _Work:
    """What may not last longer than so many seconds, nor be answered with more bytes."""

    seconds: float | None
    begun_s: float
    bytes_max: int
    begun_bytes: int

    def check(self, received_bytes: int) -> None:
        if self.seconds is not None and _CLOCK.monotonic_s() >= self.begun_s + self.seconds:
            raise _overrun_error()(f"it was not done after {self.seconds:g} s", "slow")
        if received_bytes - self.begun_bytes > self.bytes_max:
            raise _overrun_error()(f"it answered with more than {self.bytes_max >> 20} MB", "odd")


@cache
def _overrun_error() -> Any:
    import psycopg

    class OverrunError(psycopg.OperationalError):
        """A limit of ours that the server did not keep."""

        def __init__(self, message: str, overrun: Overrun) -> None:
            super().__init__(message)
            self.overrun = overrun

    return OverrunError


class _Gauge:
    """What a server has sent over one socket until now, and the result of the last operation."""

    def __init__(self) -> None:
        self.bytes = 0
        self.result: Any = None

    def received(self, number: int) -> int:
        """Exact for TCP; elsewhere at least so much, counted from what lay ready at each turn."""
        made = socket.socket(fileno=number)
        try:
            info = made.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
            (self.bytes,) = struct.unpack_from("=Q", info, _TCP_INFO_RECEIVED)
        except (OSError, struct.error):
            (ready,) = struct.unpack("=i", fcntl.ioctl(number, termios.FIONREAD, b"\0" * 4))
            self.bytes += min(ready, _READ_AT_ONCE_BYTES)
        finally:
            made.detach()
        return self.bytes


def _progress(gen: Generator[Any, Any, Any], number: int, gauge: _Gauge) -> Iterator[None]:
    """Drives an operation of the driver's, with a turn for the caller each time before it waits. Its result goes to the gauge."""
    gauge.result = None
    try:
        wanted = int(next(gen))
        poll = select.poll()
        poll.register(number, _EVENTS[wanted])
        while True:
            yield
            happened = poll.poll(_NAP_S * 1000)
            if not happened:
                continue
            gauge.received(number)
            wanted_now = int(gen.send(_ready(happened[0][1], wanted)))
            if wanted_now != wanted:
                wanted = wanted_now
                poll.modify(number, _EVENTS[wanted])
    except StopIteration as ended:
        gauge.result = ended.value


def _ready(events: int, wanted: int) -> int:
    """What the generator is told. An error of the socket counts as all that was waited for: the driver finds out by itself."""
    if events & ~(select.POLLIN | select.POLLOUT):
        return wanted
    return (_READ if events & select.POLLIN else 0) | (_WRITE if events & select.POLLOUT else 0)
