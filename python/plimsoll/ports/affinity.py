"""On which CPUs threads may run (sched_setaffinity(2)), beside what their control group allows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from plimsoll.ports import files

_OWN = Path("/proc/self/task")
_POSSIBLE = "/sys/devices/system/cpu/possible"


def every() -> frozenset[int]:
    """All that this kernel can have, and numbers between them: bound to these, a process has whatever its group allows.

    A mask that was set stays with a process, and holds in each group that it comes to (sched_setaffinity(2), since Linux 6.2).
    """
    last = re.split("[-,]", files.read_text(_POSSIBLE) or "")[-1]
    return frozenset(range(int(last) + 1 if last.isdigit() else os.sysconf("SC_NPROCESSORS_CONF")))


def bind(process_id: int, cpus: frozenset[int]) -> None:
    """The first thread of a process, and all that it starts from now on. Raises OSError."""
    os.sched_setaffinity(process_id, cpus)


def cpus_of(process_id: int) -> frozenset[int] | None:
    """Those that its first thread may run on; None: it is gone."""
    try:
        return frozenset(os.sched_getaffinity(process_id))
    except ProcessLookupError:
        return None


@contextmanager
def bound(cpus: frozenset[int]) -> Iterator[None]:
    """All threads of this process, and those that they start, until the end of the block. Raises OSError."""
    before = dict(_masks())
    own = os.sched_getaffinity(0)
    try:
        for thread in before:
            _bind(thread, cpus)
        yield
    finally:
        for thread in _threads():
            _bind(thread, before.get(thread, own))


@contextmanager
def remembered() -> Iterator[None]:
    """What each thread of this process may run on is as before after the block: to enter another control group changes it."""
    before = dict(_masks())
    own = os.sched_getaffinity(0)
    try:
        yield
    finally:
        for thread in _threads():
            with suppress(OSError):
                _bind(thread, before.get(thread, own))


def _masks() -> Iterator[tuple[int, set[int]]]:
    """Of all threads that are still there."""
    for thread in _threads():
        with suppress(ProcessLookupError):
            yield thread, os.sched_getaffinity(thread)


def _threads() -> list[int]:
    return [int(one.name) for one in _OWN.iterdir()]


def _bind(thread: int, cpus: frozenset[int] | set[int]) -> None:
    with suppress(ProcessLookupError):
        os.sched_setaffinity(thread, cpus)
