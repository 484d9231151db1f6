"""CPUs of threads: of all that are there, of those that begin meanwhile, and as before at the end."""

from __future__ import annotations

import os
import threading

import pytest

from plimsoll.ports.affinity import bind, bound


def test_all_threads_are_bound_until_the_end_of_the_block() -> None:
    before = os.sched_getaffinity(0)
    one = frozenset({min(before)})
    ended, ready = threading.Event(), threading.Event()

    def wait() -> None:
        ready.set()
        ended.wait()

    other = threading.Thread(target=wait)
    other.start()
    ready.wait()
    number = other.native_id or 0
    masks: list[set[int]] = []
    try:
        with bound(one):
            assert (os.sched_getaffinity(0), os.sched_getaffinity(number)) == (one, one)
            new = threading.Thread(target=lambda: masks.append(os.sched_getaffinity(0)))
            new.start()
            new.join()
        assert (os.sched_getaffinity(0), os.sched_getaffinity(number)) == (before, before)
    finally:
        ended.set()
        other.join()
    assert masks == [one]


def test_a_cpu_that_is_not_there_is_refused() -> None:
    before = os.sched_getaffinity(0)
    with pytest.raises(OSError, match="Invalid argument"):
        bind(os.getpid(), frozenset({8_000}))
    with pytest.raises(OSError, match="Invalid argument"), bound(frozenset({8_000})):
        pass
    assert os.sched_getaffinity(0) == before
