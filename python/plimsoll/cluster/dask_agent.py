"""An agent beside a worker of a Dask cluster: its standard streams, as who calls the worker hands them in and takes them.

The worker starts it, and it ends with the worker, whose ends of its streams close then. What is handed in and taken is numbered by
its place in the stream, so that nothing is lost or told twice. Whoever asks for a run is expected to do so all the time: one that
nobody asked for during the silence after which an agent ends is ended here as well, and forgotten.

All of it happens in the worker's own loop, in which nothing here waits.
"""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import suppress
from typing import IO, Any, NamedTuple

from plimsoll.cluster.limits import (
    AGENT_SILENCE_S,
    AGENT_STOP_S,
    CLUSTER_AGENT_BYTES_MAX,
    CLUSTER_AGENT_WORDS_MAX,
    CLUSTER_TAKE_S,
)
from plimsoll.ports import processes
from plimsoll.ports.clock import SystemClock
from plimsoll.ports.own_python import command_of_ours

_CLOCK = SystemClock()
_PORTION_BYTES = 1 << 20
_LOOK_S = 0.5
_SOON_S = 0.01
_OF_DASK = "distributed.worker"
_CALLED = "Run out-of-band function"


class Taken(NamedTuple):
    """What an agent printed since the place that was asked for."""

    out: bytes
    errors: bytes
    status: int | None
    """Of the agent, once it has ended and all is told."""


class UnknownRunError(LookupError):
    """The worker knows no such run: it was ended, or nobody asked for it for long, or this is another process."""


def begin(run: str) -> None:
    """Starts an agent, by this very package. Raises OSError."""
    _runs[run] = _Agent(run, command_of_ours(["agent"]))
    _log.addFilter(_quiet)


def hand_in(run: str, at: int, content: bytes) -> Exception | None:
    """More of its input, which begins at that place.

    An error is given back: Dask would log one that is raised, with what was handed in, and that may be a password.
    """
    try:
        _run(run).hear(at, content)
    except (UnknownRunError, ValueError) as error:
        return error
    return None


async def taken(run: str, have: int) -> Taken:
    """What it prints from that place on: waits until there is something, or some seconds. Raises UnknownRunError."""
    return await _run(run).told(have)


def end(run: str) -> None:
    """Ends its input, at which an agent ends. What is known of it stays, as it is still to be taken."""
    if run in _runs:
        _runs[run].part()


def _run(run: str) -> _Agent:
    try:
        return _runs[run]
    except KeyError:
        raise UnknownRunError(run) from None


class _Quiet(logging.Filter):
    """Dask's worker has a line in its log for each call, of which an agent gets some a second, and hundreds for clocks."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not str(record.msg).startswith(_CALLED)


_log = logging.getLogger(_OF_DASK)
_quiet = _Quiet()


class _Agent:
    """One that was started, and what goes to it and comes from it. To be called in the loop alone."""

    def __init__(self, run: str, command: list[str]) -> None:
        self._run = run
        self._loop = asyncio.get_running_loop()
        self._process = processes.start_talking(command)
        self._input, self._output, self._errors = map(
            _raw, (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        self._waiting = bytearray()
        """Input that its pipe did not take."""
        self._heard = 0
        self._is_parting = False
        self._said = bytearray()
        self._said_from = 0
        self._words = bytearray()
        self._is_paused = False
        self._news = asyncio.Event()
        self._asked_s = _CLOCK.monotonic_s()
        self._parted_s: float | None = None
        self._status: int | None = None
        self._is_told = False
        """Whether its status was asked for, and nothing is left to ask."""
        self._loop.add_reader(self._output.fileno(), self._take_output)
        self._loop.add_reader(self._errors.fileno(), self._take_errors)
        self._next = self._loop.call_later(_LOOK_S, self._look)

    def hear(self, at: int, content: bytes) -> None:
        """What was heard before is passed over. Raises ValueError where something is missing before it."""
        self._asked_s = _CLOCK.monotonic_s()
        if at > self._heard:
            raise ValueError(f"input from {at} on, of which {self._heard} are here")
        new = content[self._heard - at :]
        self._heard += len(new)
        if self._is_parting or self._input.closed:
            return
        if len(self._waiting) + len(new) > CLUSTER_AGENT_BYTES_MAX:
            raise ValueError("an agent that takes nothing of what it is told")
        was_empty = not self._waiting
        self._waiting += new
        if was_empty:
            self._write()

    async def told(self, have: int) -> Taken:
        """See `taken`."""
        self._asked_s = _CLOCK.monotonic_s()
        del self._said[: max(0, have - self._said_from)]
        self._said_from = max(self._said_from, have)
        if self._is_paused:
            self._is_paused = False
            self._loop.add_reader(self._output.fileno(), self._take_output)
        if not self._has_news:
            self._news.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), CLUSTER_TAKE_S)
        self._asked_s = _CLOCK.monotonic_s()
        self._is_told = self._status is not None
        words, self._words = bytes(self._words), bytearray()
        return Taken(bytes(self._said), words, self._status)

    def part(self) -> None:
        """Once what waits is written."""
        if not self._is_parting:
            self._is_parting, self._parted_s = True, _CLOCK.monotonic_s()
            if not self._waiting:
                self._close_input()

    @property
    def _has_news(self) -> bool:
        return bool(self._said or self._words) or self._status is not None

    def _write(self) -> None:
        """As much as its pipe takes; the rest when it takes more."""
        number = self._input.fileno()
        self._loop.remove_writer(number)
        try:
            while self._waiting and (written := self._input.write(self._waiting)):
                del self._waiting[:written]
        except OSError:
            # It has closed it, and its end is told by itself.
            self._waiting.clear()
        if self._waiting:
            self._loop.add_writer(number, self._write)
        elif self._is_parting:
            self._close_input()

    def _close_input(self) -> None:
        if not self._input.closed:
            self._loop.remove_writer(self._input.fileno())
            self._input.close()

    def _take_output(self) -> None:
        content = _read(self._output)
        if content:
            self._said += content
            self._news.set()
        if content == b"":
            self._loop.remove_reader(self._output.fileno())
            self._look_in(_SOON_S)
        elif len(self._said) > CLUSTER_AGENT_BYTES_MAX:
            # Nobody takes it: the agent waits, as at the pipe of a launcher.
            self._is_paused = True
            self._loop.remove_reader(self._output.fileno())

    def _take_errors(self) -> None:
        content = _read(self._errors)
        if content:
            self._words += content
            del self._words[:-CLUSTER_AGENT_WORDS_MAX]
            self._news.set()
        if content == b"":
            self._loop.remove_reader(self._errors.fileno())

    def _look_in(self, seconds: float) -> None:
        self._next.cancel()
        self._next = self._loop.call_later(seconds, self._look)

    def _look(self) -> None:
        """Whether it has ended, and whether anybody asks for it still."""
        now_s = _CLOCK.monotonic_s()
        is_forgotten = now_s - self._asked_s > AGENT_SILENCE_S
        if self._status is None and self._process.poll() is not None:
            self._take_rest()
        if self._status is not None and (is_forgotten or self._is_told):
            self._forget()
            return
        if is_forgotten:
            self.part()
        if self._parted_s is not None and now_s - self._parted_s > AGENT_STOP_S:
            self._process.kill()
        self._look_in(_LOOK_S)

    def _take_rest(self) -> None:
        """It has ended: what its pipes hold still is all of it. A program that it left behind may keep them open."""
        for pipe, take in ((self._output, self._take_output), (self._errors, self._take_errors)):
            self._loop.remove_reader(pipe.fileno())
            held = (len(self._said), bytes(self._words))
            take()
            while held != (held := (len(self._said), bytes(self._words))):
                take()
            self._loop.remove_reader(pipe.fileno())
        self._is_paused = False
        self._status = self._process.returncode
        self._news.set()

    def _forget(self) -> None:
        self._next.cancel()
        self._close_input()
        for pipe in (self._output, self._errors):
            pipe.close()
        _runs.pop(self._run, None)
        if not _runs:
            _log.removeFilter(_quiet)


def _raw(pipe: IO[bytes] | None) -> Any:
    """Without its buffer, and such that nothing waits at it."""
    assert pipe is not None, "it was started with pipes"
    raw = pipe.detach()  # type: ignore[attr-defined]
    os.set_blocking(raw.fileno(), False)
    return raw


def _read(pipe: Any) -> bytes | None:
    """None where there is nothing yet, empty at its end."""
    try:
        return pipe.read(_PORTION_BYTES)
    except OSError:
        return b""


_runs: dict[str, _Agent] = {}
