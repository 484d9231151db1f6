"""A wait for what cannot be told to end."""

from __future__ import annotations

import threading

import pytest

from plimsoll.base.errors import Interrupted
from plimsoll.cluster.dask_begin import begun
from plimsoll.context import Cancel

WAIT_S = 60.0


class Slow:
    """Work that ends when it is told, and what was undone of it."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.undone: list[str] = []
        self.is_undone = threading.Event()

    def work(self) -> str:
        assert self.may_end.wait(WAIT_S)
        return "made"

    def undo(self, made: str) -> None:
        self.undone.append(made)
        self.is_undone.set()


def test_what_was_made_is_given() -> None:
    slow = Slow()
    slow.may_end.set()
    assert begun(slow.work, WAIT_S, Cancel(), slow.undo) == "made"
    assert slow.undone == []


def test_what_went_wrong_is_raised() -> None:
    def fails() -> str:
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        begun(fails, WAIT_S, Cancel(), lambda _: None)


def test_what_comes_after_its_time_is_undone() -> None:
    slow = Slow()
    with pytest.raises(TimeoutError):
        begun(slow.work, 0.0, Cancel(), slow.undo)
    slow.may_end.set()
    assert slow.is_undone.wait(WAIT_S)
    assert slow.undone == ["made"]


def test_who_asks_to_end_waits_no_more() -> None:
    slow, cancel = Slow(), Cancel()
    cancel.set()
    with pytest.raises(Interrupted):
        begun(slow.work, WAIT_S, cancel, slow.undo)
    slow.may_end.set()
    assert slow.is_undone.wait(WAIT_S)
