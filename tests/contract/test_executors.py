"""Who does work apart, be it processes of this host or workers of a Dask cluster: the same results, and the same ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import deadly
from dask_cluster import READY_S, Cluster, cluster, until
from plimsoll.cluster.dask_address import address_of
from plimsoll.context import Ended, Executor, LocalExecutor
from plimsoll.ports import processes

KINDS = ("local", "cluster")
NO_DASK = "Dask is not installed: it is part of the extra cluster"


@pytest.fixture(scope="module")
def own_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("distributed", reason=NO_DASK)
    with cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture(params=KINDS)
def executor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Executor]:
    if request.param == "local":
        monkeypatch.setenv("PYTHONPATH", str(Path(deadly.__file__).parent))
        yield LocalExecutor(2)
        return
    address = request.getfixturevalue("own_cluster").address
    from plimsoll.cluster.dask_executor import cluster_executor

    with cluster_executor(address_of(address)) as made:
        yield made


def test_results_come_in_order(executor: Executor) -> None:
    groups = [[number, number + 1] for number in range(20, 80, 2)]
    found = list(executor.apart(deadly.squares, groups))
    assert found == [[(group, [number * number for number in group])] for group in groups]


def test_it_is_done_elsewhere_by_two(executor: Executor) -> None:
    found = [piece[1] for [piece] in executor.apart(deadly.own_ids, [[1]] * 12)]
    ids = {number for result in found if not isinstance(result, Ended) for number in result}
    assert os.getpid() not in ids
    assert 1 <= len(ids) <= 2


def test_no_process_is_left(executor: Executor) -> None:
    found = [piece[1] for [piece] in executor.apart(deadly.own_ids, [[1]] * 6)]
    ids = {number for result in found if not isinstance(result, Ended) for number in result}
    assert ids
    assert all(processes.identity(number) is None for number in ids)


def test_an_item_that_ends_its_process_is_named_and_the_others_go_on(executor: Executor) -> None:
    [one, two] = executor.apart(deadly.squares, [[1, -11, 3], [4]])
    assert one == [([1], [1]), ([-11], Ended("signal 11 (SIGSEGV)")), ([3], [9])]
    assert two == [([4], [16])]


def test_what_ended_by_chance_is_done_again(executor: Executor, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    mark.touch()
    [found] = executor.apart(deadly.once, [["a", str(mark), "b"]])
    assert [piece[1] for piece in found] == [["a"], [str(mark)], ["b"]]


def test_what_is_raised_there_is_raised_here(executor: Executor) -> None:
    with pytest.raises(ValueError, match="thirteen"):
        list(executor.apart(deadly.squares, [[1], [13], [2]]))


def test_large_groups_cross_both_ways(executor: Executor) -> None:
    groups = [[bytes([number]) * 3_000_000 for number in range(4)]]
    [[(_, found)]] = executor.apart(deadly.same, groups)
    assert found == groups[0]


def number_in(mark: Path) -> int:
    """What the process that stopped wrote there, when it did."""
    until(mark.exists)
    return int(mark.read_text())


def test_who_stops_asking_waits_for_no_process_that_hangs(executor: Executor, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    found = executor.apart(deadly.stopped, [[""], [str(mark)], [""], [""], [""], [""]])
    assert next(found) == [([""], [""])]
    number = number_in(mark)
    found.close()  # pyright: ignore[reportAttributeAccessIssue]
    assert processes.identity(number) is None


def test_ctrl_c_waits_for_no_process_that_hangs(executor: Executor, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    numbers: list[int] = []

    def interrupt() -> None:
        numbers.append(number_in(mark))
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    presser = threading.Thread(target=interrupt)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        list(executor.apart(deadly.stopped, [[str(mark), ""], [""]]))
    presser.join(READY_S)
    assert processes.identity(numbers[0]) is None


def test_after_one_that_was_left_the_next_is_done(executor: Executor) -> None:
    found = executor.apart(deadly.squares, [[number] for number in range(20, 120)])
    next(found)
    found.close()  # pyright: ignore[reportAttributeAccessIssue]
    assert list(executor.apart(deadly.squares, [[2]])) == [[([2], [4])]]
