"""What an agent tells of its sessions, and when it closes them."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from types import SimpleNamespace
from typing import Any, BinaryIO, cast

import pytest

import fake_oracledb
from plimsoll.cluster import agent, link
from plimsoll.cluster.agent import AgentEnd
from plimsoll.cluster.wire import encoded
from plimsoll.context import Context
from plimsoll.databases import _queries
from plimsoll.flows import agent_sessions
from plimsoll.flows.agent_sessions import serve_sessions
from plimsoll.proof import crew
from plimsoll.proof.slices import Counted, Slice, slice_of, text_of

ASKED = {
    "database": "postgresql://me@db1/bench", "password": None, "slices": 3,
    "workers": [{"workload": "slob", "name": "1.1"}],
}  # fmt: skip
_PATIENCE_S = 60.0


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


@contextmanager
def _at_work(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[_Session, BinaryIO, threading.Thread]]:
    """A session at work until a wish to end: what it is, what the client writes to, and the agent's thread."""
    begun = threading.Event()

    def work() -> Slice:
        begun.set()
        assert ctx.cancel.wait(_PATIENCE_S)
        return Slice(1, 2, {})

    session = _served(monkeypatch, work=work)
    ours, theirs = os.pipe()
    with os.fdopen(ours, "rb") as heard, os.fdopen(theirs, "wb", buffering=0) as client:
        end = AgentEnd(heard, BytesIO(), ctx.clock, ctx.cancel, list, ctx.cancel.set)
        end.begin("1")
        thread = threading.Thread(target=serve_sessions, args=(ctx, end, ASKED), daemon=True)
        thread.start()
        client.write(encoded("begin", start_us=1))
        assert begun.wait(_PATIENCE_S)
        try:
            yield session, cast("BinaryIO", client), thread
        finally:
            client.close()
            thread.join(_PATIENCE_S)


@pytest.mark.parametrize("last", ["finish", "bye", "the end of the stream"])
def test_sessions_that_were_stopped_stay_open_until_the_client_has_read_the_counters(
    ctx: Context, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    with _at_work(ctx, monkeypatch) as (session, client, thread):
        client.write(encoded("stop"))
        assert ctx.cancel.wait(_PATIENCE_S)
        assert not session.closed.wait(0.3), "the last reading looks at its process"
        if " " in last:
            client.close()
        else:
            client.write(encoded(last))
        assert session.closed.wait(_PATIENCE_S)
        thread.join(_PATIENCE_S)
        assert not thread.is_alive()


def test_sessions_are_closed_at_once_where_the_agent_is_ended_on_its_host(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _at_work(ctx, monkeypatch) as (session, _, thread):
        ctx.cancel.set()
        assert session.closed.wait(_PATIENCE_S)
        thread.join(_PATIENCE_S)
        assert not thread.is_alive()


def test_an_agent_that_is_there_still_long_after_a_farewell_leaves(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where it hangs in a call of a server that does not answer."""
    monkeypatch.setattr(agent, "AGENT_STOP_S", 0.01)
    left = threading.Event()
    end = AgentEnd(
        BytesIO(encoded("work") + encoded("bye")), BytesIO(), ctx.clock, ctx.cancel, list, left.set
    )
    end.begin("1")
    assert left.wait(_PATIENCE_S)


def test_statements_that_last_are_cancelled_before_the_client_ends_the_agent_by_force(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 1.0 < agent_sessions._PATIENCE_S < link._END_S
    monkeypatch.setattr(agent_sessions, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(crew, "_PATIENCE_S", 1e9)
    cancelled = threading.Event()

    def work() -> Slice:
        ctx.cancel.set()
        assert cancelled.wait(_PATIENCE_S)
        return Slice(1, 2, {})

    session = _served(monkeypatch, work=work)
    monkeypatch.setattr(session, "cancel", cancelled.set)
    serve_sessions(ctx, cast("AgentEnd", _End()), ASKED)
    assert session.closed.is_set()


def _instance(number: int, operate: Callable[[list[Any]], Any]) -> fake_oracledb.Server:
    """One of a cluster, whose procedures of both schemas answer so."""
    views = _queries.for_version("oracle", 19)
    made = fake_oracledb.Server()
    login = {**fake_oracledb.LOGIN, "system_identifier": f"4711/{number}", "is_cluster": "YES"}
    made.answers = {
        views["login"]: [login],
        views["settings"]: [{"name": name, "value": value} for name, value in fake_oracledb.SETTINGS.items()],
        views["process"]: [{"spid": "4242"}],
        "plimsoll_slob.operate_": operate,
    }
    return made


def test_an_agent_drives_sessions_of_an_instance_of_a_cluster_of_oracle(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for the driver: each call is bound as its manual says, and what it answers is told slice by slice."""
    calls: list[list[Any]] = []

    def operate(binds: list[Any]) -> Any:
        if not binds:
            return []  # Getting ready: its procedure is compiled.
        calls.append(binds)
        piece = Slice(
            binds[1] - 900_000, binds[1], {"select": Counted(3, 48, 0, {9: 3})}, state='{"serial": 5}'
        )
        return [{"answer": text_of(piece)}]

    server = _instance(2, operate)
    monkeypatch.setattr(fake_oracledb, "SERVER", server)
    monkeypatch.setitem(sys.modules, "oracledb", fake_oracledb)
    workers = [
        {"workload": "slob", "name": f"{schema}.1", "schema": schema, "seed": 0.5, "warms": False}
        for schema in (1, 2)
    ]
    asked = {
        "database": "oracle://scott@scan:1521/shop",
        "password": "tiger",
        "slices": 2,
        "workers": workers,
    }
    end = _End()
    serve_sessions(ctx, cast("AgentEnd", end), asked)
    told = dict(end.said)
    assert told["opened"] == {"system_identifier": "4711/2", "name": "SHOPDB/SHOP"}
    assert told["ready"] == {"processes": [4242, 4242]}
    handed = [members for word, members in end.said if word == "handed"]
    assert sorted((one["session"], one["at"]) for one in handed) == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert all(slice_of(one["slice"]).counted["select"].blocks == 48 for one in handed)
    assert [members["error"] for word, members in end.said if word == "ended"] == [None, None]
    assert [binds for binds in calls if binds[0]] == [[1, 1_000_001, "{}"]] * 2, (
        "both begin at the instant that was told"
    )
    assert [binds for binds in calls if not binds[0]] == [[0, 2_000_001, '{"serial": 5}']] * 2
    assert server.open == 0, "all sessions are closed"
