"""What stands in for a launcher, without a cluster: what it says and how it ends by what a worker answers."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Coroutine
from typing import Any, cast

import pytest

from agents_here import when
from command import python
from plimsoll.base.errors import WorldError
from plimsoll.cluster import dask_agent, dask_bridge
from plimsoll.cluster.dask_client import Link

WHO = "the worker a at tcp://127.0.0.1:1"


class Answers:
    """In place of a link: what the worker answers, in its order, and what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[Any, ...]] = []

    def reach(self, address: str, seconds: float) -> bool:
        return True

    def call(self, address: str, function: Any, run: str, *arguments: Any) -> Any:
        self.asked.append((function.__name__, *arguments))
        return self.answers.pop(0)

    waiting_call = call

    def wait(self, work: Callable[[], Coroutine[Any, Any, Any]], seconds: float) -> Any:
        return work()


def worker_of(answers: Answers) -> dask_bridge._Worker:
    return dask_bridge._Worker(cast("Link", answers), "a", "tcp://127.0.0.1:1")


@pytest.mark.parametrize(
    ("answer", "id", "message"),
    [
        (PermissionError(13, "Permission denied"), "host-without-plimsoll", f"{WHO} could not start it: Permission denied"),
        (OSError("Timed out"), "cluster-lost", f"{WHO} is gone, or cannot be reached any more"),
        (KeyError("x"), "cluster-lost", f"{WHO} failed: KeyError: 'x'"),
    ],
)  # fmt: skip
def test_why_no_agent_was_started_is_told(answer: Exception, id: str, message: str) -> None:
    with pytest.raises(WorldError) as caught:
        worker_of(Answers(answer)).begin()
    assert (caught.value.id, caught.value.message) == (id, message)


def test_a_worker_that_forgot_its_agent_is_told() -> None:
    with pytest.raises(WorldError) as caught:
        worker_of(Answers(dask_agent.UnknownRunError("run"))).taken(0)
    assert caught.value.message.startswith(f"{WHO} knows nothing of its agent any more: ")


def test_each_piece_is_handed_in_at_its_place() -> None:
    answers = Answers(None, None)
    worker = worker_of(answers)
    worker.hand_in(b"abc")
    worker.hand_in(b"de")
    assert answers.asked == [("hand_in", 0, b"abc"), ("hand_in", 3, b"de")]


class Slowly(io.BytesIO):
    """Takes three bytes at a time, as a pipe that is almost full."""

    def write(self, content: Any) -> int:
        return super().write(bytes(content[:3]))


def test_all_that_the_agent_prints_is_passed_on_until_it_ends(capfd: pytest.CaptureFixture[str]) -> None:
    taken = dask_agent.Taken
    answers = Answers(
        taken(b"one\n", b"", None), taken(b"", b"why\n", None), taken(b"two and three\n", b"", 3)
    )
    said = Slowly()
    assert dask_bridge._passed_on(worker_of(answers), said) == 3
    assert said.getvalue() == b"one\ntwo and three\n"
    assert [asked[1] for asked in answers.asked] == [0, 4, 4]
    assert capfd.readouterr().err == "why\n"


def test_what_it_says_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    dask_bridge.print_line("one\n two\x1b[1m")
    assert capfd.readouterr().err == "one two\\x1b[1m\n"


def test_an_address_that_is_none_ends_it_as_a_lost_connection(capfd: pytest.CaptureFixture[str]) -> None:
    assert dask_bridge.main(["nowhere", "a"]) == dask_bridge.LOST
    assert capfd.readouterr().err.startswith("'nowhere' is no address of a Dask scheduler: ")


def test_input_is_read_to_its_end() -> None:
    coming = dask_bridge._Coming(io.BytesIO(b"one"))
    assert [coming.pieces.get(timeout=60), coming.pieces.get(timeout=60)] == [b"one", b""]
    assert not coming.gone.is_set, "whoever started this is there"
    coming._parent = os.getpid()
    when(lambda: coming.gone.is_set)


def test_it_ends_by_the_signal_that_ended_the_agent() -> None:
    with python("from plimsoll.ports import processes; processes.end_by(11)") as ended:
        ended.communicate(timeout=60)
    assert ended.returncode == -11
