"""What a worker of a cluster keeps of a command, by the real functions on processes that are none."""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest

from plimsoll.base.errors import Interrupted
from plimsoll.cluster import dask_work
from plimsoll.context import Ended

WAIT_S = 60.0


class Reader:
    """In place of a process; `hooks` are called while it is at work."""

    made = 0
    hooks: ClassVar[list[Callable[[], None]]] = []

    def __init__(self) -> None:
        type(self).made += 1

    def ask(self, function: Callable[[Any], Any], group: Any) -> Any:
        for happens in self.hooks:
            happens()
        return function(group)

    def kill(self) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def _readers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(dask_work, "Worker", Reader)
    monkeypatch.setattr(Reader, "made", 0)
    yield
    for run in list(dask_work._runs):
        dask_work.end(run)


def perform(run: str) -> dask_work.Made:
    return performed(run, len, ["a"])


def performed(run: str, function: Callable[[Any], Any], items: list[str]) -> dask_work.Made:
    """As it comes to who asked."""
    group = dask_work.PackedGroup(len(items), dask_work.packed_items(items))
    made = dask_work.perform(dask_work._PROCESS, run, pickle.dumps(function), [group])
    return pickle.loads(pickle.dumps(made))


class Paused(threading.Condition):
    """Who leaves its block for the first time waits for another one who does."""

    def __init__(self) -> None:
        super().__init__()
        self._both = threading.Barrier(2)
        self._seen: set[int] = set()

    def __exit__(self, *what: Any) -> None:
        super().__exit__(*what)
        if threading.get_ident() not in self._seen:
            self._seen.add(threading.get_ident())
            self._both.wait(WAIT_S)


def test_readers_end_though_the_last_two_groups_end_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    at_work = threading.Barrier(3)

    def during() -> None:
        at_work.wait(WAIT_S)
        at_work.wait(WAIT_S)

    monkeypatch.setattr(Reader, "hooks", [during])
    threads = [threading.Thread(target=perform, args=("two",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    at_work.wait(WAIT_S)
    readers = dask_work._runs["two"]
    readers._changes = Paused()
    at_work.wait(WAIT_S)
    for thread in threads:
        thread.join(WAIT_S)
    readers._changes = threading.Condition()
    assert readers._at_work == 0
    assert readers._rest is not None
    readers._close_idle()
    assert "two" not in dask_work._runs


def test_what_a_scheduler_hands_out_after_the_end_is_not_begun() -> None:
    assert perform("one").pieces == (((1, 1),),)
    dask_work.end("one")
    made = Reader.made
    assert isinstance(perform("one").error, Interrupted)
    assert (Reader.made, "one" in dask_work._runs) == (made, False)


def test_of_ended_runs_the_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_work, "CLUSTER_ENDED_MAX", 2)
    for run in ("x", "y", "z"):
        dask_work.end(run)
    assert list(dask_work._ended) == ["y", "z"]


def test_what_is_at_work_is_found_by_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though those without work are closed meanwhile."""
    seen: list[bool] = []

    def during() -> None:
        dask_work._runs["busy"]._close_idle()
        seen.append("busy" in dask_work._runs)

    monkeypatch.setattr(Reader, "hooks", [during])
    assert perform("busy").error is None
    assert seen == [True]


def test_a_group_crosses_a_worker_as_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """To unpack it there and pack it again took as long as all else that the worker does for it."""
    asked: list[Any] = []
    ask = Reader.ask

    def seen(reader: Reader, function: Callable[[Any], Any], group: Any) -> Any:
        asked.append(group)
        return ask(reader, function, group)

    monkeypatch.setattr(Reader, "ask", seen)
    assert performed("crosses", sorted, ["b", "a"]).pieces == (((2, ["a", "b"]),),)
    assert asked == [(pickle.dumps(sorted), dask_work.packed_items(["b", "a"]))]


def test_a_result_is_as_large_for_dask_as_it_is() -> None:
    content = pickle.dumps("x" * 1_000_000)
    assert sys.getsizeof(dask_work.PackedResult(content)) > len(content)


def test_a_group_whose_process_ended_is_unpacked_and_read_item_by_item(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = Ended("signal 11 (SIGSEGV)")

    def ask(reader: Reader, function: Callable[[Any], Any], group: Any) -> Any:
        return ended if len(pickle.loads(group[1])) > 1 or b"b" in group[1] else function(group)

    monkeypatch.setattr(Reader, "ask", ask)
    found = performed("ends", sorted, ["a", "b", "c"])
    assert found.pieces == (((1, ["a"]), (1, ended), (1, ["c"])),)
