"""Work over many items. One member, this process; a process pool or a cluster would be another, and the functions would not change.

Functions and items pickle, and so do results: tests/unit/reports/test_processes.py reads a folder over a pool of processes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from plimsoll.base.limits import WORK_AHEAD_PER_THREAD, WORK_THREADS_MAX

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Results come in the order of the items."""

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """`function` of each item."""
        ...


class LocalExecutor:
    """Threads of this process, one for each CPU that it may use, up to a limit.

    Items are taken, by the thread that asks for results, only a few ahead of the results that were asked for, so that neither
    pile up. Who stops asking waits for the items at work and leaves the others.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or min(len(os.sched_getaffinity(0)), WORK_THREADS_MAX)

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        from concurrent.futures import Future, ThreadPoolExecutor

        waiting: deque[Future[Result]] = deque()
        pool = ThreadPoolExecutor(self._threads, "plimsoll-work")
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) >= self._threads * WORK_AHEAD_PER_THREAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
