"""How many groups are on their way, by their number and by their bytes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from dask_cluster import until
from plimsoll.cluster import dask_flow
from plimsoll.reports.sources import Source


def taken_for_the_first(groups: Sequence[Any], monkeypatch: pytest.MonkeyPatch, results: int = 1) -> int:
    """How many groups are taken until there are so many results; four threads and ten bytes may be on their way."""
    monkeypatch.setattr(dask_flow, "CLUSTER_BYTES_MAX", 10)
    taken = 0

    def counted() -> Iterator[Any]:
        nonlocal taken
        for group in groups:
            taken += 1
            yield group

    found = dask_flow.in_weighed_groups(lambda some: some, counted(), 4, lambda: None)
    assert [next(found) for _ in range(results)] == groups[:results]
    seen = taken
    assert list(found) == groups[results:]
    return seen


def test_contents_are_bounded_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert taken_for_the_first([[Source("a.zip", "m", content=b"12345678")]] * 20, monkeypatch) == 2
    assert taken_for_the_first([[b"1234", b"1234"]] * 20, monkeypatch) == 2


def test_files_that_workers_open_are_bounded_by_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = [[Source("a", weight_bytes=1 << 30, path="a")]] * 20
    assert taken_for_the_first(groups, monkeypatch) == 9
    assert taken_for_the_first(groups, monkeypatch, results=2) == 9


def test_one_that_weighs_too_much_by_itself_goes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert taken_for_the_first([[b"1" * 100]] * 20, monkeypatch) == 1


def test_who_leaves_stops_what_is_at_work() -> None:
    stopped: list[bool] = []
    found = dask_flow.in_weighed_groups(lambda some: some, [[b"a"]] * 20, 1, lambda: stopped.append(True))
    next(found)
    found.close()  # type: ignore[attr-defined]
    assert stopped == [True]


def tasks(groups: int, threads: int, result: Any, carried: bytes = b"") -> list[int]:
    """How many groups went out at once, task by task."""
    sent: list[int] = []

    def made(some: Sequence[Any]) -> list[Any]:
        sent.append(len(some))
        return [(name, result) for [(name, _)] in some]

    flow = dask_flow.in_weighed_groups(
        made,
        ([(number, carried)] for number in range(groups)),
        threads,
        lambda: None,
        lambda found: dask_flow.content_bytes(found[1]),
    )
    assert [number for number, _ in flow] == list(range(groups))
    assert sum(sent) == groups
    return sent


def test_until_a_result_says_how_large_it_is_none_goes_out_beyond_those_at_work() -> None:
    sent: list[int] = []
    may_end = threading.Event()

    def made(some: Sequence[Any]) -> list[Any]:
        sent.append(len(some))
        may_end.wait(10)
        return list(some)

    flow = dask_flow.in_weighed_groups(made, [[b""]] * 40, 2, lambda: None, lambda _: 1)
    found: list[Any] = []
    reader = threading.Thread(target=lambda: found.extend(flow))
    reader.start()
    until(lambda: len(sent) == 2)
    may_end.set()
    reader.join()
    assert sent[:3] == [1, 1, 8]
    assert len(found) == 40


def test_groups_with_small_results_go_out_together_and_fewer_at_the_end() -> None:
    assert tasks(67, 1, b"small") == [1, 8, 8, 8, 8, 8, 8, 8, 8, 2]
    assert max(tasks(67, 4, b"small")) == 8
    assert tasks(67, 4, b"small")[:5] == [1, 1, 1, 1, 8]
    assert tasks(67, 4, b"small")[-4:] == [1, 1, 1, 1]


def test_as_many_go_out_together_as_have_results_of_some_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_flow, "CLUSTER_ANSWER_BYTES", 10)
    assert max(tasks(40, 1, b"12345")) == 2
    assert set(tasks(40, 1, b"1" * 11)) == {1}


def test_groups_whose_results_have_no_known_size_go_out_alone() -> None:
    assert set(tasks(40, 1, object())) == {1}


def test_groups_that_carry_contents_go_out_alone_and_are_not_looked_for_before_their_turn() -> None:
    seen: list[int] = []

    def groups() -> Iterator[Any]:
        for number in range(10):
            seen.append(number)
            yield [b"carried"]

    flow = dask_flow.in_weighed_groups(lambda some: some, groups(), 1, lambda: None, lambda _: 1)
    ahead = [len(seen) for _ in flow]
    assert ahead == [3, 3, 4, 5, 6, 7, 8, 9, 10, 10]
    assert len(seen) == 10
