"""Groups on their way to workers and back: as many as keep those busy, and no more bytes of them than fit into memory here."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from plimsoll.base.limits import WORK_GROUPS_AHEAD_PER_THREAD
from plimsoll.cluster.limits import CLUSTER_BYTES_MAX

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_weighed_groups(
    function: Callable[[Sequence[Item]], Result],
    groups: Iterable[Sequence[Item]],
    threads: int,
    stop: Callable[[], None],
) -> Iterator[Result]:
    """`function` of each group by so many threads, in order; `stop` is called before those at work are waited for, where the end
    has not been reached. A group weighs until its result is taken, which may hold its items.
    """
    from concurrent.futures import Future, ThreadPoolExecutor

    waiting: deque[tuple[int, Future[Result]]] = deque()
    held_bytes = 0
    pool = ThreadPoolExecutor(threads, "plimsoll-cluster")
    try:
        for group in groups:
            weight_bytes = sum(map(_weight, group))
            waiting.append((weight_bytes, pool.submit(function, group)))
            held_bytes += weight_bytes
            del group  # or it would outlive its result
            while waiting and (
                len(waiting) >= threads * WORK_GROUPS_AHEAD_PER_THREAD or held_bytes > CLUSTER_BYTES_MAX
            ):
                weight_bytes, first = waiting.popleft()
                yield first.result()
                held_bytes -= weight_bytes
        while waiting:
            yield waiting.popleft()[1].result()
    except BaseException:
        stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _weight(item: Any) -> int:
    """The content that it carries, in bytes; a file that workers open has none."""
    content = item if isinstance(item, bytes) else getattr(item, "content", b"")
    return len(content) if isinstance(content, bytes) else 0
