"""What stands in for a launcher where agents are started by the workers of a Dask cluster: a process whose standard streams are
those of an agent beside one worker.

What comes on standard input is handed in at the worker, piece by piece in its order; what the agent prints is asked for all the
time. All of it is calls at the worker, beside its tasks: none is submitted, so that nothing is tried again anywhere, and the
scheduler keeps nothing. It ends as the agent does, by the same status or signal; where scheduler or worker are gone, by the status
of an ssh that lost its connection, with one line that says why.
"""

from __future__ import annotations

import os
import sys
import threading
import uuid
from collections.abc import Sequence
from contextlib import suppress
from queue import Queue
from typing import IO, Any

from plimsoll.base.errors import Interrupted, PlimsollError, WorldError
from plimsoll.base.printable import printable
from plimsoll.cluster import dask_agent
from plimsoll.cluster.dask_address import address_of, refuse_open
from plimsoll.cluster.dask_client import Link, connected
from plimsoll.cluster.dask_hosts import WITHOUT_TLS, chosen, workers_by_name
from plimsoll.cluster.limits import (
    CLUSTER_ANSWER_S,
    CLUSTER_CONNECT_S,
    CLUSTER_PART_S,
    CLUSTER_REACH_S,
    CLUSTER_TAKE_S,
)
from plimsoll.context import Cancel
from plimsoll.ports import processes
from plimsoll.ports.files import standard_streams

LOST = 255
"""As of an ssh whose connection is lost: the agent may be at work until it notices that it hears nothing."""
CANNOT_START = 126
_PORTION_BYTES = 1 << 20
_LOOK_S = 0.1
_WAIT = threading.Event()
"""Never set: to wait at."""


def main(arguments: Sequence[str]) -> int:
    """The agent's exit status. `arguments` are the scheduler's address and the worker's name."""
    heard, said = standard_streams()
    coming = _Coming(heard)
    try:
        status = _talked(arguments, coming, said)
    except Interrupted:
        status = LOST
    except PlimsollError as error:
        print_line(error.message)
        status = CANNOT_START if error.id == _CANNOT_START else LOST
    if status < 0:
        processes.end_by(-status)
    return status


_CANNOT_START = "host-without-plimsoll"


def print_line(text: str) -> None:
    """One line for people, on standard error."""
    with suppress(OSError):
        processes.talk_past_buffers(f"{printable(' '.join(text.split()))}\n")


def _talked(arguments: Sequence[str], coming: _Coming, said: IO[bytes]) -> int:
    address, name = address_of(arguments[0]), arguments[1]
    without_tls = WITHOUT_TLS in arguments[2:]
    refuse_open(address, without_tls)
    with connected(address, without_tls, coming.gone) as link:
        there = workers_by_name(link.identity())
        chosen(address, there, [name])
        worker = _Worker(link, name, there[name])
        worker.begin()
        coming.stop_looking()
        link.keep_on()
        threading.Thread(target=_hand_in, args=(coming, worker), name="plimsoll-hand-in", daemon=True).start()
        return _passed_on(worker, said)


class _Coming:
    """Standard input, read from the begin on, so that it is known when whoever started this is gone."""

    def __init__(self, heard: IO[bytes]) -> None:
        self._heard = heard
        self._parent = os.getppid()
        self._is_begun = threading.Event()
        self.gone = Cancel()
        """Set where the parent went before there was an agent."""
        self.pieces: Queue[bytes] = Queue(maxsize=16)
        """An empty one is the end."""
        threading.Thread(target=self._read, name="plimsoll-coming", daemon=True).start()

    def stop_looking(self) -> None:
        """There is an agent, which is told of the end."""
        self._is_begun.set()

    @property
    def has_parent(self) -> bool:
        """Whether whoever started this is there."""
        return os.getppid() == self._parent

    def _read(self) -> None:
        content = b"-"
        while content:
            try:
                content = self._heard.read(_PORTION_BYTES) or b""
            except OSError:
                content = b""
            if content:
                self.pieces.put(content)
        self.pieces.put(b"")
        # Without a terminal input is at its end at once, and whoever waits for the greeting is there.
        while not self._is_begun.wait(_LOOK_S):
            if not self.has_parent:
                self.gone.set()
                return


class _Worker:
    """One worker, which has one run of ours."""

    def __init__(self, link: Link, name: str, address: str) -> None:
        self._link, self._address = link, address
        self._run = uuid.uuid4().hex
        self._at = 0
        self.is_over = False
        """Whether the agent has ended, and its status is known."""
        self._who = f"the worker {name} at {address}"

    def begin(self) -> None:
        """Starts the agent. Raises WorldError."""
        # Each call by the scheduler is a connection to the worker anew, and those of all workers wait for each other there.
        self._link.reach(self._address, CLUSTER_REACH_S)
        found = self._link.wait(
            lambda: self._link.call(self._address, dask_agent.begin, self._run), CLUSTER_ANSWER_S
        )
        if isinstance(found, OSError) and found.errno is not None:
            raise WorldError(_CANNOT_START, f"{self._who} could not start it: {found.strerror}")
        self._check(found)

    def hand_in(self, content: bytes) -> None:
        """More of the agent's input. Raises WorldError."""
        at = self._at
        self._check(
            self._link.wait(
                lambda: self._link.call(self._address, dask_agent.hand_in, self._run, at, content),
                CLUSTER_ANSWER_S,
            )
        )
        self._at += len(content)

    def taken(self, have: int) -> dask_agent.Taken:
        """What it printed from there on. Raises WorldError."""
        found = self._link.wait(
            lambda: self._link.waiting_call(self._address, dask_agent.taken, self._run, have),
            CLUSTER_TAKE_S + CLUSTER_CONNECT_S,
        )
        self._check(found)
        assert isinstance(found, dask_agent.Taken), "it gives nothing else"
        self.is_over = found.status is not None
        return found

    def end(self) -> None:
        """Ends the agent's input. Raises WorldError."""
        self._check(
            self._link.wait(lambda: self._link.call(self._address, dask_agent.end, self._run), CLUSTER_PART_S)
        )

    def _check(self, found: Any) -> None:
        """Raises WorldError where it is an error, by the words for it."""
        if isinstance(found, dask_agent.UnknownRunError):
            message = f"{self._who} knows nothing of its agent any more: it was started anew, or hung"
            raise WorldError("cluster-lost", message)
        if isinstance(found, OSError):
            raise WorldError("cluster-lost", f"{self._who} is gone, or cannot be reached any more")
        if isinstance(found, BaseException):
            raise WorldError("cluster-lost", f"{self._who} failed: {type(found).__name__}: {found}")


def _hand_in(coming: _Coming, worker: _Worker) -> None:
    """Until there is nothing left; then the agent is told so, and says its last while somebody is there to hear it."""
    try:
        while content := coming.pieces.get():
            worker.hand_in(content)
        leaving = threading.Thread(target=_leave_alone, args=(coming,), name="plimsoll-leave", daemon=True)
        leaving.start()
        worker.end()
    except Exception as error:  # noqa: BLE001  (this thread is all that hands in)
        if worker.is_over:
            # It ends as the agent did, and its connection is closed meanwhile.
            return
        print_line(error.message if isinstance(error, PlimsollError) else repr(error))
        os._exit(LOST)


def _leave_alone(coming: _Coming) -> None:
    """Whatever hangs then: nobody is there any more who would end it."""
    while coming.has_parent:
        _WAIT.wait(_LOOK_S)
    _WAIT.wait(CLUSTER_PART_S)
    os._exit(LOST)


def _passed_on(worker: _Worker, said: IO[bytes]) -> int:
    """All that the agent prints; its exit status."""
    have = 0
    while True:
        told = worker.taken(have)
        have += len(told.out)
        if told.errors:
            with suppress(OSError):
                processes.talk_past_buffers(told.errors.decode(errors="replace"))
        left = memoryview(told.out)
        while left:
            left = left[said.write(left) or 0 :]
        if told.status is not None:
            return told.status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
