"""Threads for work over many items. Where none can be started, as at a limit of processes or of memory, who asks does the work."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Generic, TypeVar

from plimsoll.base.limits import WORK_THREAD_ROOM_BYTES, WORK_THREADS_MAX
from plimsoll.ports import memory

Result = TypeVar("Result")


class Work(Generic[Result]):
    """One call, made once, by whoever is first."""

    def __init__(self, call: Callable[[], Result]) -> None:
        self._calls = [call]
        """Empty once somebody makes it: what it was to be made of, as megabytes of a report, is not held longer."""
        self._made: Future[Result] = Future()
        self.is_handed_over = False
        """Whether a thread will make it for certain."""

    def make(self) -> None:
        """Makes it, if nobody did or does."""
        try:
            call = self._calls.pop()
        except IndexError:
            return
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001  (who asks for the result raises it)
            self._made.set_exception(error)
        else:
            self._made.set_result(result)

    def result(self) -> Result:
        """What came of it, as soon as it is there; made here where no thread could be started for it."""
        if not self.is_handed_over:
            self.make()
        return self._made.result()


class Threads:
    """So many at most; they are started as there is work, and fewer where the system starts no more or memory is bounded."""

    def __init__(self, threads_max: int) -> None:
        threads = min(threads_max, _threads_with_room())
        self._pool = ThreadPoolExecutor(threads, "plimsoll-work") if threads else None

    def hand_over(self, call: Callable[[], Result]) -> Work[Result]:
        """To be made by one of them."""
        work = Work(call)
        if self._pool is not None:
            # Where no thread is started, those that there are may make it before it is asked for.
            with suppress(RuntimeError):
                self._pool.submit(work.make)
                work.is_handed_over = True
        return work

    def close(self) -> None:
        """Waits for what is at work, and leaves the rest."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _threads_with_room() -> int:
    room_bytes = memory.room_bytes()
    return WORK_THREADS_MAX if room_bytes is None else max(0, room_bytes) // WORK_THREAD_ROOM_BYTES
