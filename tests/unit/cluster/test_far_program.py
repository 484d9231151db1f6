"""A program on another host, started by a shell that is told by its standard input: words whole, and an end with its input."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from queue import Queue

import pytest

from plimsoll.cluster import far_program as far
from plimsoll.cluster.far_program import far_program, launch_of
from plimsoll.cluster.launch import Launch

HERE = launch_of("sh -c 'shift; exec \"$@\"' x {host}")
LIKE_SSH = launch_of("sh -c 'shift; eval \"$*\"' x {host}")
"""The words of a command are put together and read by another shell."""
_PATIENCE_S = 20.0


def _never() -> bool:
    return False


@pytest.mark.parametrize("launch", [HERE, LIKE_SSH])
def test_words_come_to_it_whole(launch: Launch) -> None:
    with far_program(launch, "db1", ["printf", "%s\n", "a b", "$HOME;", "it's"]) as one:
        assert [line.rstrip("\n") for line in one.lines(_PATIENCE_S, _never)] == ["a b", "$HOME;", "it's"]
    assert one.ended


def test_it_ends_with_its_input(tmp_path: Path) -> None:
    """It says its id first; a sleep of an hour is not waited for."""
    started_s = time.monotonic()
    with far_program(HERE, "db1", ["sh", "-c", "echo $$; exec sleep 3600"]) as one:
        number = next(one.lines(_PATIENCE_S, _never)).strip()
        assert Path(f"/proc/{number}").exists()
    assert not Path(f"/proc/{number}").exists()
    assert time.monotonic() - started_s < _PATIENCE_S


def test_that_it_has_ended_is_known_as_soon_as_its_lines_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that listens may go on for a moment, as on a machine with much to do."""
    let_go = threading.Event()

    class Held(Queue[bytes | None]):
        def put(self, item: bytes | None, block: bool = True, timeout: float | None = None) -> None:
            super().put(item, block, timeout)
            if item is None:
                let_go.wait(_PATIENCE_S)

    monkeypatch.setattr(far, "Queue", Held)
    with far_program(HERE, "db1", ["echo", "x"]) as one:
        assert list(one.lines(_PATIENCE_S, _never)) == ["x\n"]
        assert one.ended
        let_go.set()


def test_what_the_launcher_says_is_known() -> None:
    refusing = launch_of("sh -c 'echo no route >&2; exit 255' x {host}")
    with far_program(refusing, "db1", ["true"]) as one:
        assert list(one.lines(_PATIENCE_S, _never)) == []
        assert (one.ended, one.last_words) == (True, "no route")


def test_somebody_who_wants_it_to_end_does_not_wait() -> None:
    with far_program(HERE, "db1", ["sleep", "3600"]) as one:
        assert list(one.lines(3600.0, lambda: True)) == []
        assert not one.ended


def test_a_program_that_is_silent_is_not_waited_for_longer() -> None:
    with far_program(HERE, "db1", ["sleep", "3600"]) as one:
        assert list(one.lines(0.4, _never)) == []
        assert not one.ended


def test_a_launcher_that_is_none_is_an_error() -> None:
    with pytest.raises(FileNotFoundError), far_program(launch_of("/none/such {host}"), "db1", ["true"]):
        pass
