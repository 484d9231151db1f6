"""Work that ends its process, for tests of work in processes apart; imported there by name."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import plimsoll


def squares(group: Sequence[int]) -> list[int]:
    """Of each number; a negative one ends the process by the signal of that number, and 13 raises."""
    for number in group:
        if number < 0:
            os.kill(os.getpid(), -number)
        if number == 13:
            raise ValueError("thirteen")
    return [number * number for number in group]


def once(group: Sequence[str]) -> list[str]:
    """The names again; the process ends where a file of that name is there, which it takes away before."""
    for name in group:
        if Path(name).exists():
            Path(name).unlink()
            os.kill(os.getpid(), signal.SIGKILL)
    return list(group)


def orphaned(group: Sequence[str]) -> list[str]:
    """The names again; where a file of that name is there, whoever started this process is killed, and the file gets a line more,
    or is taken away where its name ends in `.once`.
    """
    for name in group:
        path = Path(name)
        if path.exists():
            with path.open("a") as file:
                file.write("killed\n")
            if path.suffix == ".once":
                path.unlink()
            parent = os.getppid()
            os.kill(parent, signal.SIGKILL)
            while os.getppid() == parent:
                signal.sigtimedwait((), 0.01)
            os._exit(1)  # or it would be left, as nobody ends it
    return list(group)


def own_ids(group: Sequence[int]) -> list[int]:
    """The process that is at work."""
    return [os.getpid() for _ in group]


def unsendable(group: Sequence[int]) -> object:
    """What does not pickle."""
    return lambda: group


def stopped(group: Sequence[str]) -> list[str]:
    """Says who it is in the file of each name that is not empty, and does nothing any more, as a process that hangs."""
    for name in group:
        if name:
            Path(name + ".new").write_text(str(os.getpid()))
            Path(name + ".new").rename(name)
            os.kill(os.getpid(), signal.SIGSTOP)
    return list(group)


def held(group: Sequence[str]) -> list[str]:
    """The names again. Where a file of that name is there, it gets the number of this process and of who started it as a line more;
    the first two that come to it then do nothing any more.
    """
    for name in group:
        path = Path(name)
        if path.exists():
            with path.open("a") as file:
                file.write(f"{os.getpid()} {os.getppid()}\n")
            if len(path.read_text().splitlines()) <= 2:
                os.kill(os.getpid(), signal.SIGSTOP)
    return list(group)


class Vast:
    """There is no memory to pickle it, nor to say what it is."""

    def __reduce__(self) -> str:
        raise MemoryError

    def __repr__(self) -> str:
        raise MemoryError


def vast(group: Sequence[int]) -> object:
    """What memory does not suffice for on its way back, where there is a 0 in it."""
    return Vast() if 0 in group else list(group)


def breathless(group: Sequence[int]) -> list[int]:
    """Without memory where there is a 0 in it."""
    if 0 in group:
        raise MemoryError
    return list(group)


def surroundings(_: Sequence[str]) -> tuple[str, str, list[str]]:
    """Where this package and the standard library are taken from, and where modules are looked for."""
    return str(plimsoll.__file__), str(os.__file__), sys.path


def same(group: Sequence[bytes]) -> list[bytes]:
    """What came."""
    return list(group)
