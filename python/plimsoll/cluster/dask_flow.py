"""Groups on their way to workers and back: as many as keep those busy, and no more bytes of them than fit into memory here.

What a scheduler, a worker and this command do for a task costs them some milliseconds each, whatever is in it. So several groups
go out as one where their results turn out to be small, and fewer towards the end, so that no worker waits for the last. Until the
first result says how large they are, none goes out beyond those that are at work.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from plimsoll.base.limits import WORK_GROUPS_AHEAD_PER_THREAD
from plimsoll.cluster.limits import CLUSTER_ANSWER_BYTES, CLUSTER_BYTES_MAX, CLUSTER_TASK_GROUPS_MAX

Item = TypeVar("Item")
Result = TypeVar("Result")
_Function = Callable[[Sequence[Sequence[Item]]], Sequence[Result]]


def in_weighed_groups(
    function: _Function[Item, Result],
    groups: Iterable[Sequence[Item]],
    threads: int,
    stop: Callable[[], None],
    size: Callable[[Result], int | None] = lambda _: None,
) -> Iterator[Result]:
    """`function` of some groups at a time, by so many threads: the result of each group, in order. `stop` is called before those
    at work are waited for, where the end has not been reached. A group weighs until its result is taken, which may hold its items.

    `size` says how many bytes a result has; where it does not know, each group goes out alone.
    """
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads, "plimsoll-cluster")
    way = _Way(function, _Found(groups, threads), threads, pool.submit)
    try:
        while way.send():
            while way.is_full:
                yield from way.taken(size)
        while way.waiting:
            yield from way.taken(size)
    except BaseException:
        stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


class _Found(Generic[Item]):
    """Groups in order, some of them looked for before they are sent, to see the end come."""

    def __init__(self, groups: Iterable[Sequence[Item]], threads: int) -> None:
        self._groups = iter(groups)
        self._threads = threads
        self._ahead: deque[Sequence[Item]] = deque()

    def some(self, number: int) -> list[Sequence[Item]]:
        """So many at most; fewer where few are left for all threads, and one alone that carries contents; none at the end."""
        wanted = number * self._threads * WORK_GROUPS_AHEAD_PER_THREAD if number > 1 else 1
        # Contents stay where they are until their turn comes.
        while len(self._ahead) < wanted and not (self._ahead and _weight_of(self._ahead[-1])):
            group = next(self._groups, None)
            if group is None:
                break
            self._ahead.append(group)
        # One thread has no other that could take the last of them meanwhile.
        shares = self._threads * WORK_GROUPS_AHEAD_PER_THREAD if self._threads > 1 else 1
        share = -(-len(self._ahead) // shares)
        found: list[Sequence[Item]] = []
        while self._ahead and len(found) < max(1, min(number, share)):
            if found and _weight_of(self._ahead[0]):
                break
            found.append(self._ahead.popleft())
        return found


@dataclass(frozen=True)
class _Sent(Generic[Result]):
    weight_bytes: int
    results: Future[Sequence[Result]]


class _Way(Generic[Item, Result]):
    """What is sent, and what its results tell of the next."""

    def __init__(
        self, function: _Function[Item, Result], found: _Found[Item], threads: int, submit: Callable[..., Any]
    ) -> None:
        self._function, self._found, self._threads, self._submit = function, found, threads, submit
        self.waiting: deque[_Sent[Result]] = deque()
        self._held_bytes = 0
        self._at_once = 1
        self._begins = True
        """Until there is a result."""
        self._taken = self._taken_bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether the first result is to be taken before anything more is sent."""
        number = self._threads * (1 if self._begins else WORK_GROUPS_AHEAD_PER_THREAD)
        return bool(self.waiting) and (len(self.waiting) >= number or self._held_bytes > CLUSTER_BYTES_MAX)

    def send(self) -> bool:
        """The next groups; False where there is none."""
        some = self._found.some(self._at_once)
        if not some:
            return False
        weight_bytes = sum(map(_weight_of, some))
        self._held_bytes += weight_bytes
        self.waiting.append(_Sent(weight_bytes, self._submit(self._function, some)))
        return True

    def taken(self, size: Callable[[Result], int | None]) -> Iterator[Result]:
        """The results that are first. Once the very first say how large they are, what waited for that goes out before these do."""
        sent = self.waiting.popleft()
        results = deque(sent.results.result())
        sizes = [size(result) for result in results]
        weight_bytes = sent.weight_bytes
        del sent  # or the results would outlive who takes them
        self._learn(sizes)
        if self._begins:
            self._begins = False
            while self._held_bytes <= CLUSTER_BYTES_MAX and not self.is_full and self.send():
                pass
        while results:
            yield results.popleft()
        self._held_bytes -= weight_bytes

    def _learn(self, sizes: Sequence[int | None]) -> None:
        """How many groups go at once, by the mean size of all results up to now."""
        known = [one for one in sizes if one is not None]
        if len(known) < len(sizes):
            self._at_once = 1
            return
        self._taken, self._taken_bytes = self._taken + len(known), self._taken_bytes + sum(known)
        number = CLUSTER_ANSWER_BYTES * self._taken // max(1, self._taken_bytes)
        self._at_once = max(1, min(number, CLUSTER_TASK_GROUPS_MAX))


def content_bytes(item: Any) -> int | None:
    """The content that it carries, in bytes; None where it is not known to carry any."""
    content = item if isinstance(item, bytes) else getattr(item, "content", None)
    return len(content) if isinstance(content, bytes) else None


def _weight_of(group: Iterable[Any]) -> int:
    """A file that workers open has no content."""
    return sum(content_bytes(item) or 0 for item in group)
