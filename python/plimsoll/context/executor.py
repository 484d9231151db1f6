"""Work over many items, here or elsewhere: the functions do not change.

Functions, items and results of `apart` pickle, and cross to other processes and back; those of `map` should, and
tests/unit/reports/test_processes.py has them do so.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol, TypeVar

from plimsoll.base.limits import WORK_AHEAD_PER_THREAD, WORK_GROUPS_AHEAD_PER_THREAD, WORK_THREADS_MAX
from plimsoll.context.apart import Pieces
from plimsoll.context.crew import Crew

Item = TypeVar("Item")
Result = TypeVar("Result")


def _leave(_: str = "") -> None:
    """Nothing is to be done."""


class Executor(Protocol):
    """Results come in the order of the items, be it here or there that they are made."""

    @property
    def is_elsewhere(self) -> bool:
        """Whether work apart is done on other hosts, which may not see the files that this one sees."""
        ...

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """`function` of each item. One that ends its process may end this one."""
        ...

    def apart(
        self,
        function: Callable[[Sequence[Item]], Result],
        groups: Iterable[Sequence[Item]],
        warn: Callable[[str], None] = _leave,
    ) -> Iterator[Pieces[Item, Result]]:
        """`function` of each group, in a process that may end without us; an item that ends it is named by `Ended`.

        Groups are taken only a few ahead of the results that were asked for. Who stops asking waits for none.
        Where no process starts, that is said once and all is done in this one; where some do, by those. What was begun in one that
        ended, and that does not start again, is named by `Ended` as well: what may have ended it is not done here.
        """
        ...


def mapped(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    threads: int,
    ahead_per_thread: int,
    stop: Callable[[], None],
) -> Iterator[Result]:
    """`function` of each item by so many threads, or here where none starts; `stop` is called before those at work are waited for,
    where the end has not been reached.
    """
    from plimsoll.context.threads import Threads, Work  # what they need takes its time to load

    waiting: deque[Work[Result]] = deque()
    pool = Threads(threads)
    try:
        for item in items:
            waiting.append(pool.hand_over(partial(function, item)))
            if len(waiting) >= threads * ahead_per_thread:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BaseException:
        stop()
        raise
    finally:
        pool.close()


def in_groups(
    function: Callable[[Item], Result], groups: Iterable[Item], threads: int, stop: Callable[[], None]
) -> Iterator[Result]:
    """The same of groups, which are megabytes each."""
    return mapped(function, groups, threads, WORK_GROUPS_AHEAD_PER_THREAD, stop)


class LocalExecutor:
    """Threads of this process, and for work apart a process beside each: one for each CPU that it may use, up to a limit.

    Items are taken, by the thread that asks for results, only a few ahead of the results that were asked for, so that neither
    pile up. Who stops asking waits for the items at work here, ends those that are apart, and leaves the others.
    """

    is_elsewhere = False

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or min(len(os.sched_getaffinity(0)), WORK_THREADS_MAX)

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        return mapped(function, items, self._threads, WORK_AHEAD_PER_THREAD, _leave)

    def apart(
        self,
        function: Callable[[Sequence[Item]], Result],
        groups: Iterable[Sequence[Item]],
        warn: Callable[[str], None] = _leave,
    ) -> Iterator[Pieces[Item, Result]]:
        crew = Crew()
        try:
            for found in in_groups(
                lambda group: crew.pieces(function, group), groups, self._threads, crew.kill
            ):
                if (why := crew.news()) is not None:
                    warn(why)
                yield found
        finally:
            crew.close()
