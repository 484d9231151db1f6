"""Work over many items where the system starts fewer threads than were asked for, or none."""

from __future__ import annotations

import os
import threading
import weakref
from functools import partial
from pathlib import Path

import pytest

import deadly
from plimsoll.context import Ended, LocalExecutor
from plimsoll.context.threads import Threads
from plimsoll.ports import memory


def no_more_than(monkeypatch: pytest.MonkeyPatch, allowed: int) -> None:
    """As at a limit of threads, or of a process's memory."""
    start, left = threading.Thread.start, threading.Semaphore(allowed)

    def scarce(self: threading.Thread) -> None:
        if not left.acquire(blocking=False):
            raise RuntimeError("can't start new thread")
        start(self)

    monkeypatch.setattr(threading.Thread, "start", scarce)


@pytest.mark.parametrize("allowed", [0, 1])
def test_with_fewer_threads_all_is_done_once_and_in_order(
    monkeypatch: pytest.MonkeyPatch, allowed: int
) -> None:
    no_more_than(monkeypatch, allowed)
    done: list[int] = []

    def squared(number: int) -> int:
        done.append(number)
        return number * number

    assert list(LocalExecutor(3).map(squared, range(50))) == [number * number for number in range(50)]
    assert sorted(done) == list(range(50))


def test_where_no_thread_starts_the_one_that_asks_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    no_more_than(monkeypatch, 0)
    found = LocalExecutor(3).map(lambda _: threading.current_thread(), range(5))
    assert set(found) == {threading.main_thread()}


@pytest.mark.parametrize(
    ("room_bytes", "threads"), [(None, 2), (10 << 30, 2), (300 << 20, 1), (200 << 20, 0), (-5, 0)]
)
def test_threads_are_started_as_bounded_memory_has_room(
    monkeypatch: pytest.MonkeyPatch, room_bytes: int | None, threads: int
) -> None:
    monkeypatch.setattr(memory, "room_bytes", lambda: room_bytes)
    met = threading.Barrier(max(threads, 1))

    def who(_: int) -> threading.Thread:
        met.wait()
        return threading.current_thread()

    found = set(LocalExecutor(2).map(who, range(8)))
    assert len(found) == max(threads, 1)
    assert (threading.main_thread() in found) == (threads == 0)


def test_what_is_raised_there_is_raised_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    no_more_than(monkeypatch, 0)
    found = LocalExecutor(2).map(lambda number: 1 // number, [1, 0])
    assert next(found) == 1
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_processes_apart_need_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(deadly.__file__).parent))
    no_more_than(monkeypatch, 0)
    found = list(LocalExecutor(2).apart(deadly.own_ids, [[number] for number in range(9)]))
    ids = [result for [(_, result)] in found]
    assert not any(isinstance(result, Ended) for result in ids)
    assert [os.getpid()] not in ids


def test_what_a_thread_has_begun_is_not_begun_again() -> None:
    threads, begun, done = Threads(1), threading.Event(), threading.Event()
    calls: list[int] = []

    def call() -> str:
        calls.append(1)
        begun.set()
        done.wait()
        return "made"

    work = threads.hand_over(call)
    begun.wait()
    work.is_handed_over = False
    work.make()
    done.set()
    assert work.result() == "made"
    assert calls == [1]
    threads.close()


def test_what_it_is_made_of_is_let_go_when_it_is_made() -> None:
    class Large(list[int]):
        """Of which there may be a weak reference."""

    threads, large = Threads(1), Large()
    held = weakref.ref(large)
    work = threads.hand_over(partial(len, large))
    del large
    threads.close()
    assert work.result() == 0
    assert held() is None
