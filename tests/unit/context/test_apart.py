"""Work in processes apart: each item has its result, but those that end their process, which are named."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import deadly
from plimsoll.base.errors import Interrupted, UsageError, WorldError
from plimsoll.context import LocalExecutor, wire
from plimsoll.context.apart import START_TRIES, Ended, Worker, pieces
from plimsoll.ports import processes

TESTS = str(Path(deadly.__file__).parent)


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes apart find the functions of the tests."""
    monkeypatch.setenv("PYTHONPATH", TESTS)


def test_results_come_in_order() -> None:
    groups = [[1, 2], [3], [4, 5, 6]]
    found = list(LocalExecutor(2).apart(deadly.squares, groups))
    assert found == [[([1, 2], [1, 4])], [([3], [9])], [([4, 5, 6], [16, 25, 36])]]


def test_it_is_done_elsewhere_by_as_many_processes_as_asked() -> None:
    found = [piece[1] for [piece] in LocalExecutor(2).apart(deadly.own_ids, [[1]] * 12)]
    ids = {number for result in found if not isinstance(result, Ended) for number in result}
    assert os.getpid() not in ids
    assert 1 <= len(ids) <= 2
    assert all(processes.identity(number) is None for number in ids)


def test_an_item_that_ends_its_process_is_named_and_the_others_go_on() -> None:
    [one, two] = LocalExecutor(1).apart(deadly.squares, [[1, -11, 3], [4]])
    assert one == [([1], [1]), ([-11], Ended("signal 11 (SIGSEGV)")), ([3], [9])]
    assert two == [([4], [16])]


def test_short_memory_is_said() -> None:
    [[(_, killed)]] = LocalExecutor(1).apart(deadly.squares, [[-9]])
    assert killed == Ended("signal 9 (SIGKILL, which the kernel sends where memory is short)")
    [[(_, without)]] = LocalExecutor(1).apart(deadly.breathless, [[0]])
    assert without == Ended("itself, with exit status 1")


def test_memory_that_is_short_on_the_way_back_is_said_of_the_item() -> None:
    [found] = LocalExecutor(1).apart(deadly.vast, [[1, 0, 2]])
    assert found == [([1], [1]), ([0], Ended("itself, with exit status 1")), ([2], [2])]


def test_what_ended_by_chance_is_done_again(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    mark.touch()
    [found] = LocalExecutor(1).apart(deadly.once, [["a", str(mark), "b"]])
    assert [piece[1] for piece in found] == [["a"], [str(mark)], ["b"]]
    assert not mark.exists()


def test_a_group_is_asked_for_item_by_item_only_where_its_process_ended() -> None:
    asked: list[Sequence[int]] = []

    def ask(some: Sequence[int]) -> int | Ended:
        asked.append(list(some))
        return Ended("x") if 2 in some else len(some)

    assert pieces(ask, [1, 3]) == [([1, 3], 2)]
    assert pieces(ask, [1, 2]) == [([1], 1), ([2], Ended("x"))]
    assert asked == [[1, 3], [1, 2], [1], [2]]


def test_what_is_raised_there_is_raised_here() -> None:
    with pytest.raises(ValueError, match="thirteen"):
        list(LocalExecutor(1).apart(deadly.squares, [[13]]))


def test_what_does_not_pickle_is_no_fault_of_the_item() -> None:
    with pytest.raises(RuntimeError, match=r"pickle.*; of a function$"):
        list(LocalExecutor(1).apart(deadly.unsendable, [[1]]))


def test_who_stops_asking_leaves_no_process() -> None:
    found = LocalExecutor(2).apart(deadly.own_ids, ([number] for number in range(1000)))
    [[(_, ids)]] = [next(found)]
    assert isinstance(found, Iterator)
    assert not isinstance(ids, Ended)
    assert processes.identity(ids[0]) is not None
    found.close()  # pyright: ignore[reportAttributeAccessIssue]
    assert processes.identity(ids[0]) is None


def number_in(mark: Path) -> int:
    """What the process that stopped wrote there, when it did."""
    while not mark.exists():
        threading.Event().wait(0.01)
    return int(mark.read_text())


def test_ctrl_c_waits_for_no_process_that_hangs(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    numbers: list[int] = []

    def interrupt() -> None:
        numbers.append(number_in(mark))
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    presser = threading.Thread(target=interrupt)
    threads = threading.active_count()
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        list(LocalExecutor(1).apart(deadly.stopped, [[str(mark), "b"], ["c"]]))
    presser.join()
    assert processes.identity(numbers[0]) is None
    assert threading.active_count() == threads


def test_who_stops_asking_waits_for_no_process_that_hangs(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    found = LocalExecutor(1).apart(deadly.stopped, [[""], [str(mark)], [""], [""], [""], [""]])
    assert next(found) == [([""], [""])]
    number = number_in(mark)
    found.close()  # pyright: ignore[reportAttributeAccessIssue]
    assert processes.identity(number) is None


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("/bin/false", "itself, with exit status 1"),
        ("/nowhere/python", "no such file"),
        ("", "does not know"),
    ],
)
def test_where_no_process_starts_it_is_done_here_and_said_once(
    program: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    told: list[str] = []
    found = list(LocalExecutor(2).apart(deadly.own_ids, [[number] for number in range(9)], told.append))
    assert found == [[([number], [os.getpid()])] for number in range(9)]
    [one] = told
    assert one.startswith("could not start a process that reads: ")
    assert why in one
    assert one.endswith("; all is done in this process, and what ends it ends the command")


def test_where_some_start_they_do_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    start, allowed = Worker.start, threading.Semaphore(1)

    def scarce(self: Worker) -> object:
        if not allowed.acquire(blocking=False):
            raise WorldError("worker-unstarted", "no more of them")
        return start(self)

    monkeypatch.setattr(Worker, "start", scarce)
    told: list[str] = []
    found = list(LocalExecutor(3).apart(deadly.own_ids, [[number] for number in range(12)], told.append))
    ids = {result[0] for [(_, result)] in found if not isinstance(result, Ended)}
    assert len(ids) == 1
    assert os.getpid() not in ids
    assert told == []


def test_what_ended_a_process_is_not_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker()
    assert worker.ask(deadly.squares, [3]) == [9]
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert worker.ask(deadly.squares, [-9]) == Ended(
        "signal 9 (SIGKILL, which the kernel sends where memory is short)"
    )
    with pytest.raises(WorldError, match="could not start a process that reads") as raised:
        worker.ask(deadly.squares, [3])
    assert raised.value.id == "worker-unstarted"


def lost_at_start(monkeypatch: pytest.MonkeyPatch, times: int, after: int = 0) -> None:
    """So many processes are killed before they say that they are there, and none of those that were started before."""
    begun, started = Worker._begun, iter(range(after + times))

    def kill(self: Worker) -> Any:
        own = begun(self)
        if next(started, -1) >= after:
            own.process.kill()
            own.process.wait()
        return own

    monkeypatch.setattr(Worker, "_begun", kill)


def test_one_that_is_lost_while_it_starts_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    lost_at_start(monkeypatch, START_TRIES - 1)
    told: list[str] = []
    [[(_, ids)]] = LocalExecutor(1).apart(deadly.own_ids, [[1]], told.append)
    assert not isinstance(ids, Ended)
    assert ids != [os.getpid()]
    assert told == []


def test_where_all_are_lost_while_they_start_it_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    lost_at_start(monkeypatch, 10**6)
    told: list[str] = []
    found = list(LocalExecutor(2).apart(deadly.own_ids, [[number] for number in range(5)], told.append))
    assert found == [[([number], [os.getpid()])] for number in range(5)]
    [one] = told
    assert "it was ended by signal 9" in one


def test_what_was_in_one_that_does_not_start_again_is_named_and_the_rest_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost_at_start(monkeypatch, 10**6, after=1)
    one, two, three = LocalExecutor(1).apart(deadly.squares, [[1], [2, -11, 3], [4]])
    assert one == [([1], [1])]
    [(items, ended)] = two
    assert items == [2, -11, 3]
    assert isinstance(ended, Ended)
    assert ended.why == "signal 11 (SIGSEGV)"
    assert (ended.unstarted or "").startswith(
        "could not start a process that reads: it was ended by signal 9"
    )
    assert three == [([4], [16])]


def test_what_was_done_again_before_no_more_start_has_its_result(monkeypatch: pytest.MonkeyPatch) -> None:
    lost_at_start(monkeypatch, 10**6, after=2)
    [found] = LocalExecutor(1).apart(deadly.squares, [[2, -11, 3]])
    assert found[0] == ([2], [4])
    assert found[1] == ([-11], Ended("signal 11 (SIGSEGV)"))
    [(items, ended)] = found[2:]
    assert items == [3]
    assert isinstance(ended, Ended)
    assert ended.unstarted is not None


def test_the_folder_of_the_command_is_not_where_modules_come_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pickle.py").write_text("raise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    assert list(LocalExecutor(1).apart(deadly.squares, [[2]])) == [[([2], [4])]]


def test_what_is_printed_while_it_starts_is_in_nobodys_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('a word to all who start', flush=True)\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), TESTS)))
    assert list(LocalExecutor(1).apart(deadly.squares, [[2]])) == [[([2], [4])]]


def test_who_says_anything_else_first_is_not_talked_to() -> None:
    said = io.BytesIO()
    wire.send(said, wire.READY)
    wire.expect_ready(io.BytesIO(said.getvalue()))
    for other in (b"", b"a word to all who start", said.getvalue()[:-1]):
        with pytest.raises(EOFError):
            wire.expect_ready(io.BytesIO(other))


@pytest.mark.parametrize("error", [WorldError("a", "b", "c"), UsageError("d", "e"), Interrupted("f", "g")])
def test_errors_cross(error: WorldError | UsageError | Interrupted) -> None:
    import pickle

    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.id, again.message, again.hint) == (
        type(error), error.id, error.message, error.hint,
    )  # fmt: skip


def test_large_groups_cross_both_ways() -> None:
    groups = [[bytes([number]) * 3_000_000 for number in range(4)]]
    [[(_, found)]] = LocalExecutor(1).apart(deadly.same, groups)
    assert found == groups[0]
