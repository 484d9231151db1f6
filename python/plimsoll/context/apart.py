"""Work in processes apart, which may end without us: an item that ends its process is named, and all others have their results.

A group whose process ended is done again item by item; the item whose process ends once more is the one. So nothing is named for
what another did, and the end of a process that had nothing to do with its items, as where memory was short, costs only time. Where
no process starts again, all that were not done are named, each as one that may have ended it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from plimsoll.base.errors import Interrupted, WorldError, world_error
from plimsoll.base.values import value
from plimsoll.context import wire
from plimsoll.ports import processes
from plimsoll.ports.own_python import OwnPython, start_own

Item = TypeVar("Item")
Result = TypeVar("Result")

START_TRIES = 5
"""How often a process is started that ends before it says that it is there; then the command does without it."""
_END_S = 5.0
_STARTING = "start a process that reads"
_START_HINT = "See that memory and the number of processes suffice, then call it again."
_NO_MEMORY = "which the kernel sends where memory is short"


@value
class Ended:
    """In place of a result: twice a process ended while it was at work on these items, or once and no other started."""

    why: str
    """`signal 11 (SIGSEGV)`, to stand behind "was ended by"."""
    unstarted: str | None = None
    """Why no process was started to do it once more: then it has ended one at most."""


Pieces = list[tuple[Sequence[Item], Result | Ended]]
"""A group in parts, in order, each with its own result; mostly one part."""


def pieces(ask: Callable[[Sequence[Item]], Result | Ended], group: Sequence[Item]) -> Pieces[Item, Result]:
    """The results of a group, whoever does the work: `ask` says what became of some items in a process."""
    found = ask(group)
    if not isinstance(found, Ended):
        return [(group, found)]
    return list(one_by_one(ask, group, found))


def one_by_one(
    ask: Callable[[Sequence[Item]], Result | Ended], group: Sequence[Item], ended: Ended
) -> Iterator[tuple[Sequence[Item], Result | Ended]]:
    """Those of a group whose process ended, once more, each for itself, as long as processes start."""
    for place, item in enumerate(group):
        try:
            found = ask([item])
        except WorldError as error:
            if error.id != "worker-unstarted":
                raise
            yield group[place:], replace(ended, unstarted=error.message)
            return
        yield [item], found


class Worker:
    """One process of ours, started when it is needed, and again once it ended."""

    def __init__(self) -> None:
        self._own: OwnPython | None = None
        self._changes = threading.Lock()
        self._is_over = False

    def ask(self, function: Callable[[Any], Any], group: Any) -> Any:
        """What the function makes of the group, there; `Ended` where the process ended. Raises what the function raised."""
        own = self._own or self.start()
        try:
            wire.send(own.asks, (function, group))
            packed = wire.receive(own.answers)
        except (OSError, EOFError):
            return Ended(self._end())
        import pickle

        went_well, answer = pickle.loads(packed)
        if not went_well:
            raise answer
        return answer

    @property
    def is_started(self) -> bool:
        """Whether it was there when it was last asked."""
        return self._own is not None

    def start(self) -> OwnPython:
        """Starts it, a few times where it ends at once, as it may for want of memory. Raises WorldError `worker-unstarted`."""
        why = ""
        for _ in range(START_TRIES):
            own = self._begun()
            try:
                # Until it says that it is there, no item has to do with its end.
                wire.expect_ready(own.answers)
            except (OSError, EOFError):
                why = self._end()
            else:
                return own
        raise WorldError("worker-unstarted", f"could not {_STARTING}: it was ended by {why}", _START_HINT)

    def kill(self) -> None:
        """Ends it at once and for good, whatever it does and whoever waits for it; who waits, or `close`, closes its pipes."""
        with self._changes:
            self._is_over = True
            if self._own is not None:
                self._own.process.kill()

    def close(self) -> None:
        """Ends it, when nobody asks any more."""
        if self._own is not None:
            self._end()

    def _begun(self) -> OwnPython:
        with self._changes:
            if self._is_over:
                raise Interrupted
            try:
                self._own = start_own("plimsoll.context.worker")
            except OSError as error:
                raise world_error("worker-unstarted", _STARTING, error, _START_HINT) from error
            return self._own

    def _end(self) -> str:
        """Waits for its end; says how that was."""
        own = self._own
        assert own is not None, "it was started"
        own.asks.close()
        try:
            own.process.wait(_END_S)
        except processes.TimeoutExpired:
            own.process.kill()
            own.process.wait()
        with self._changes:
            self._own = None
        own.answers.close()
        return _cause(own.process.returncode)


def _cause(returncode: int) -> str:
    if returncode >= 0:
        return f"itself, with exit status {returncode}"
    more = f", {_NO_MEMORY}" if returncode == -signal.SIGKILL else ""
    return processes.signal_words(-returncode, more)
