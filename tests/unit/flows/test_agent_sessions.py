"""What an agent tells of its sessions, and when it closes them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from plimsoll.cluster.agent import AgentEnd
from plimsoll.context import Context
from plimsoll.flows import agent_sessions
from plimsoll.flows.agent_sessions import serve_sessions
from plimsoll.proof.slices import Slice

ASKED = {"database": "postgresql://me@db1/bench", "password": None, "slices": 3, "workers": [{"name": "1.1"}]}


class _Session:
    server_process = 7

    def __init__(self) -> None:
        self.closed = threading.Event()

    def cancel(self) -> None: ...

    def close(self) -> None:
        self.closed.set()


class _Worker:
    """A session's work, of which a part may be a defect."""

    name = "1.1"

    def __init__(self, prepare: Callable[[], None], work: Callable[[], Slice]) -> None:
        self._prepare, self._work = prepare, work

    def prepare(self, session: Any) -> None:
        self._prepare()

    def work(self, session: Any, from_us: int, until_us: int, state: str) -> Slice:
        return self._work()


class _End:
    """A client that has the sessions begin and then finish."""

    def __init__(self) -> None:
        self.said: list[tuple[str, dict[str, Any]]] = []

    def say(self, word: str, **members: Any) -> None:
        self.said.append((word, members))

    def order(self, *words: str) -> dict[str, Any]:
        return {"say": words[0], "start_us": 1}

    def until_finished(self) -> None: ...


def _served(
    monkeypatch: pytest.MonkeyPatch,
    prepare: Callable[[], None] = lambda: None,
    work: Callable[[], Slice] = lambda: Slice(1, 2, {}),
) -> _Session:
    """The session that agents connect from now on."""
    session = _Session()
    database = SimpleNamespace(system_identifier="7", name="bench")
    connection = SimpleNamespace(database=database, session=lambda name: session)

    @contextmanager
    def opened(*given: Any) -> Iterator[Any]:
        yield connection

    monkeypatch.setattr(agent_sessions, "open_database", opened)
    worker = SimpleNamespace(of=lambda told, connection: _Worker(prepare, work))
    monkeypatch.setattr(agent_sessions, "SlobWorker", worker)
    return session


def _broken() -> Any:
    raise ZeroDivisionError


def test_a_defect_at_work_is_told_as_why_the_sessions_ended(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    _served(monkeypatch, work=_broken)
    end = _End()
    with pytest.raises(ZeroDivisionError):
        serve_sessions(ctx, cast("AgentEnd", end), ASKED)
    (ended,) = [members for word, members in end.said if word == "ended"]
    assert ended["error"]["id"] == "internal"
    assert "ZeroDivisionError" in ended["error"]["message"]


def test_a_defect_while_sessions_get_ready_is_raised_and_none_is_said_to_be_ready(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    _served(monkeypatch, prepare=_broken)
    end = _End()
    with pytest.raises(ZeroDivisionError):
        serve_sessions(ctx, cast("AgentEnd", end), ASKED)
    assert "ready" not in [word for word, _ in end.said]
