"""How a command is asked to end: what is said of it, once, and what a second signal does."""

from __future__ import annotations

import signal
import threading

import pytest

from plimsoll.cli import ending
from plimsoll.cli.ending import watched
from plimsoll.context import Cancel

ONCE_MORE = "(once more to end at once)"
INTERRUPTED_S_MAX = 60.0


def nothing() -> None:
    """Nothing is taken back."""


def told(capsys: pytest.CaptureFixture[str], *numbers: int) -> list[str]:
    """The lines that these signals make, one after the other."""
    cancel = Cancel()
    with watched(cancel, nothing):
        for number in numbers:
            signal.raise_signal(number)
    assert cancel.is_set
    return [line for line in capsys.readouterr().err.splitlines() if line]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_of_a_hang_up_it_is_told_once_and_not_what_it_never_does(
    count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, *[signal.SIGHUP] * count) == ["ending; what was measured, if anything was, is kept"]


def test_a_hang_up_after_another_signal_tells_nothing_more(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = told(capsys, signal.SIGTERM, signal.SIGHUP)
    assert line.endswith(ONCE_MORE)


def test_what_comes_after_a_hang_up_tells_that_it_ends_at_once_the_next_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, second = told(capsys, signal.SIGHUP, signal.SIGINT)
    assert (ONCE_MORE in first, ONCE_MORE in second) == (False, True)


def ask_and_wait(number: int) -> None:
    """For what never comes."""
    signal.raise_signal(number)
    threading.Event().wait(INTERRUPTED_S_MAX / 2)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_who_has_not_ended_by_then_is_interrupted(
    number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ending, "TERM_INTERRUPT_S", 0.01)
    monkeypatch.setattr(ending, "TERM_END_S", INTERRUPTED_S_MAX)
    with watched(Cancel(), nothing), pytest.raises(KeyboardInterrupt):
        ask_and_wait(number)
    assert capsys.readouterr().err.count("ending;") == 1
