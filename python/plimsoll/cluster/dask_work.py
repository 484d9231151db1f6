"""What a worker of a Dask cluster does for a command elsewhere: it says what it is, has groups read, and ends what reads them.

Each group is read by a process apart beside the worker, as on the host of the command, so that a file that kills its reader does
not kill the worker. Scheduler and client name nothing of this in what they send: a call is packed as bytes, which only the worker
unpacks, so that a scheduler needs no Plimsoll, and a worker without it says so.
"""

from __future__ import annotations

import pickle
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from plimsoll import __version__
from plimsoll.base.errors import Interrupted
from plimsoll.cluster import dask_farewell
from plimsoll.cluster.limits import CLUSTER_END_S, CLUSTER_ENDED_MAX, CLUSTER_IDLE_S
from plimsoll.context.apart import Ended, Worker, one_by_one
from plimsoll.context.worker import packed_answer
from plimsoll.ports import processes
from plimsoll.ports.build import build

_PROCESS = uuid.uuid4().hex
"""This very process: another one at the same address is another worker."""


class Identity(NamedTuple):
    """What a worker says of itself."""

    process: str
    version: str
    python: str
    host: str
    build: str = ""
    """A hash of its modules; empty of one that does not know how to make it."""


class PackedGroup(NamedTuple):
    """On its way: its worker hands it on to what reads as it came."""

    length: int
    """How many items it has."""
    items: bytes


def packed_items(items: Sequence[Any]) -> bytes:
    """As they cross."""
    return pickle.dumps(list(items), pickle.HIGHEST_PROTOCOL)


class PackedResult:
    """On its way back, as its process packed it: it is what it holds once it is unpacked, together with what it is in."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __reduce__(self) -> tuple[Any, ...]:
        return pickle.loads, (self._content,)

    def __sizeof__(self) -> int:
        """As Dask asks for it, which holds results in memory."""
        return object.__sizeof__(self) + len(self._content)


class Made(NamedTuple):
    """What became of groups: of each its pieces, each as how many of its items, and what was made of them; or an error, or neither
    where another process of that address had been asked.
    """

    pieces: tuple[tuple[tuple[int, Any], ...], ...] | None = None
    error: Exception | None = None


@dataclass(frozen=True)
class _Call:
    """A call that is made where it is unpacked."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return self.function, self.arguments


def made_there(function: Callable[..., Any], *arguments: Any) -> Any:
    """What becomes, on its way, what the function gives where it is unpacked."""
    return _Call(function, arguments)


def packed_call(function: Callable[..., Any], *arguments: Any) -> bytes:
    """`pickle.loads` of it makes the call and gives its result."""
    return pickle.dumps(_Call(function, arguments), pickle.HIGHEST_PROTOCOL)


def identity() -> Identity:
    """Of this process. Where it is a worker, it will say when it ends in order."""
    dask_farewell.promise()
    python = "{}.{}".format(*sys.version_info)
    return Identity(_PROCESS, __version__, python, processes.host_name(), build())


def perform(process: str, run: str, function: bytes, groups: Sequence[PackedGroup]) -> Made:
    """What the function makes of each group, in a process apart."""
    if process != _PROCESS:
        return Made()
    try:
        with _taken_of(run) as worker:
            found = tuple([_pieces(worker, function, group) for group in groups])
    except Exception as error:  # noqa: BLE001  (it is raised again by who asked)
        return Made(error=error)
    return Made(found)


def _pieces(worker: Worker, function: bytes, group: PackedGroup) -> tuple[tuple[int, Any], ...]:
    """Nothing is unpacked here, which took as long as all the rest, but the items of a group whose process ended."""

    def ask(items: bytes) -> PackedResult | Ended:
        found = worker.ask(packed_answer, (function, items))
        return found if isinstance(found, Ended) else PackedResult(found)

    found = ask(group.items)
    if not isinstance(found, Ended):
        return ((group.length, found),)
    again = one_by_one(lambda some: ask(packed_items(some)), pickle.loads(group.items), found)
    return tuple([(len(some), result) for some, result in again])


def end(run: str) -> None:
    """Ends all processes of that run at once, whatever they do; what is still to come of it is not begun."""
    with _all:
        readers = _runs.pop(run, None)
        _ended[run] = None
        while len(_ended) > CLUSTER_ENDED_MAX:
            del _ended[next(iter(_ended))]
    if readers is not None:
        readers.end()


class _Readers:
    """Processes of one run, as many as groups are asked for at the same time; they end when nobody asked for a while."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._changes = threading.Condition()
        self._workers: list[Worker] = []
        self._idle: list[Worker] = []
        self._rest: threading.Timer | None = None
        self._at_work = 0
        self._is_over = False

    def end(self) -> None:
        """At once; who waits for one of them closes it, and that is waited for."""
        with self._changes:
            self._is_over = True
            if self._rest is not None:
                self._rest.cancel()
            idle, self._idle = self._idle, []
        for worker in self._workers:
            worker.kill()
        for worker in idle:
            worker.close()
        with self._changes:
            self._changes.wait_for(lambda: self._at_work == 0, CLUSTER_END_S)

    def take(self) -> Worker:
        """One that does nothing else until it is given back."""
        with self._changes:
            if self._rest is not None:
                self._rest.cancel()
                self._rest = None
            self._at_work += 1
            if self._idle:
                return self._idle.pop()
            worker = Worker()
            self._workers.append(worker)
            return worker

    def give_back(self, worker: Worker) -> None:
        """Where it was the last at work, all end after a while."""
        with self._changes:
            is_over = self._is_over
            if not is_over:
                self._idle.append(worker)
                self._at_work -= 1
                if self._at_work == 0:
                    self._rest = threading.Timer(CLUSTER_IDLE_S, self._close_idle)
                    self._rest.daemon = True
                    self._rest.start()
        if is_over:
            worker.close()
            with self._changes:
                self._at_work -= 1
                self._changes.notify_all()

    def _close_idle(self) -> None:
        # Under both, as who finds this in `_runs` takes of it before another one is let in.
        with _all, self._changes:
            if self._at_work:
                return
            idle, self._idle, self._workers = self._idle, [], []
            if _runs.get(self._run) is self:
                del _runs[self._run]
        for worker in idle:
            worker.close()


_all = threading.Lock()
_runs: dict[str, _Readers] = {}
_ended: dict[str, None] = {}
"""The last runs that were ended, the oldest first: what a scheduler hands out late belongs to nobody."""


@contextmanager
def _taken_of(run: str) -> Iterator[Worker]:
    """A process of that run, for one group. Raises Interrupted where the run was ended."""
    with _all:
        if run in _ended:
            raise Interrupted
        readers = _runs.setdefault(run, _Readers(run))
        worker = readers.take()
    try:
        yield worker
    finally:
        readers.give_back(worker)
