"""The bundle that flows take: events reach the listener, cancel is seen, items come back in order."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from plimsoll.base.errors import Interrupted
from plimsoll.base.limits import WORK_AHEAD_PER_THREAD
from plimsoll.context import Cancel, Context, LocalExecutor, Scratch, Store
from plimsoll.facts import Event, Live, Progress, Remark
from plimsoll.ports.clock import VirtualClock


def test_events_reach_the_listener_in_order(tmp_path: Path) -> None:
    heard: list[Event] = []
    ctx = Context(
        clock=VirtualClock(),
        events=heard.append,
        cancel=Cancel(),
        scratch=Scratch(tmp_path),
        executor=LocalExecutor(),
        store=cast(Store, None),
    )
    live = Live(stage="io", elapsed_s=1.0, iops=5.0)
    ctx.progress("prefill", "writing", 0.5, 2.0)
    ctx.live(live)
    ctx.remark("io", "a word", warning=True)
    assert heard == [
        Progress(stage="prefill", message="writing", share=0.5, left_s=2.0),
        live,
        Remark(stage="io", message="a word", warning=True),
    ]


def test_a_wish_to_stop_is_never_taken_back() -> None:
    cancel = Cancel()
    assert not cancel.is_set
    cancel.check()
    cancel.set()
    cancel.set()
    assert cancel.is_set
    with pytest.raises(Interrupted):
        cancel.check()


def test_the_local_executor_keeps_order_and_lets_errors_through() -> None:
    def half(number: int) -> float:
        return 1 / number

    results: Any = LocalExecutor().map(half, [1, 2, 0])
    assert next(results) == 1.0
    assert next(results) == 0.5
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_the_local_executor_works_at_once_and_takes_few_items_ahead() -> None:
    """Two items that wait for each other end only when both are at work; and who asks for one result has not had all taken."""
    together = threading.Barrier(2)
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    def meet(number: int) -> int:
        together.wait(timeout=30)
        return number

    results = LocalExecutor(threads=2).map(meet, items())
    try:
        assert [next(results) for _ in range(4)] == [0, 1, 2, 3]
        assert len(taken) <= 4 + 2 * WORK_AHEAD_PER_THREAD
    finally:
        together.abort()  # for one that waits alone, for which the end of the executor would wait in turn


def test_who_stops_asking_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    results = LocalExecutor(threads=3).map(str, range(100))
    assert next(results) == "0"
    results.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before
