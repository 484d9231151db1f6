"""Work in processes apart, which may end without us: an item that ends its process is named, and all others have their results.

A group whose process ended is done again item by item; the item whose process ends once more is the one. So nothing is named for
what another did, and the end of a process that had nothing to do with its items, as where memory was short, costs only time.
"""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from plimsoll.base.errors import WorldError, world_error
from plimsoll.context import wire
from plimsoll.ports import processes
from plimsoll.ports.own_python import python_of_ours

Item = TypeVar("Item")
Result = TypeVar("Result")

_END_S = 5.0
_STARTING = "start a process that reads"
_START_HINT = "See that memory and the number of processes suffice, then call it again."
_NO_MEMORY = "which the kernel sends where memory is short"


@dataclass(frozen=True)
class Ended:
    """In place of a result: twice a process ended while it was at work on these items."""

    why: str
    """`signal 11 (SIGSEGV)`, to stand behind "was ended by"."""


Pieces = list[tuple[Sequence[Item], Result | Ended]]
"""A group in parts, in order, each with its own result; mostly one part."""


def pieces(ask: Callable[[Sequence[Item]], Result | Ended], group: Sequence[Item]) -> Pieces[Item, Result]:
    """The results of a group, whoever does the work: `ask` says what became of some items in a process."""
    found = ask(group)
    if not isinstance(found, Ended):
        return [(group, found)]
    return [([item], ask([item])) for item in group]


class Worker:
    """One process of ours, started when it is needed, and again once it ended."""

    def __init__(self) -> None:
        self._process: processes.Process[bytes] | None = None

    def ask(self, function: Callable[[Any], Any], group: Any) -> Any:
        """What the function makes of the group, there; `Ended` where the process ended. Raises what the function raised."""
        process = self._process or self._started()
        assert process.stdin is not None, "it was started with pipes"
        assert process.stdout is not None, "it was started with pipes"
        try:
            wire.send(process.stdin, (function, group))
            packed = wire.receive(process.stdout)
        except (OSError, EOFError):
            return Ended(self._end())
        went_well, answer = pickle.loads(packed)
        if not went_well:
            raise answer
        return answer

    def close(self) -> None:
        """Ends it."""
        if self._process is not None:
            self._end()

    def _started(self) -> processes.Process[bytes]:
        try:
            command = python_of_ours("plimsoll.context.worker")
            process = processes.start_talking(command, stderr=processes.DISCARD)
        except OSError as error:
            raise world_error("worker-unstarted", _STARTING, error, _START_HINT) from error
        self._process = process
        assert process.stdout is not None, "it was started with a pipe"
        try:
            # Until it says that it is there, no item has to do with its end.
            wire.receive(process.stdout)
        except (OSError, EOFError):
            message = f"could not {_STARTING}: it was ended by {self._end()}"
            raise WorldError("worker-unstarted", message, _START_HINT) from None
        return process

    def _end(self) -> str:
        """Waits for its end; says how that was."""
        process, self._process = self._process, None
        assert process is not None, "it was started"
        for stream in (process.stdin, process.stdout):
            # What waits in the pipe's buffer cannot be written any more.
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        try:
            process.wait(_END_S)
        except processes.TimeoutExpired:
            process.kill()
            process.wait()
        return _cause(process.returncode)


def _cause(returncode: int) -> str:
    if returncode >= 0:
        return f"itself, with exit status {returncode}"
    try:
        name = signal.Signals(-returncode).name
    except ValueError:
        return f"signal {-returncode}"
    more = f", {_NO_MEMORY}" if name == "SIGKILL" else ""
    return f"signal {-returncode} ({name}{more})"
