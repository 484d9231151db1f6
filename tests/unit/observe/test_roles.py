"""Roles of processes, by what databases call them."""

from __future__ import annotations

import os

import pytest

from plimsoll.observe import roles as module
from plimsoll.observe.roles import CLIENT_BACKEND, Roles, role_of, title_of
from plimsoll.ports import processes

NS_PER_TICK = 10**9 // os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(
    ("command", "title", "role"),
    [
        ("postgres", "postgres: checkpointer ", "checkpointer"),
        ("postgres", "postgres: 18/main: walwriter ", "walwriter"),
        ("postgres", "postgres: io worker 2", "io worker"),
        ("postgres", "postgres: autovacuum worker shop", "autovacuum worker"),
        ("postgres", "postgres: parallel worker for PID 4711 ", "parallel worker"),
        ("postgres", "postgres: walsender replica 10.0.0.7(51234) streaming 0/3000148", "walsender"),
        ("postgres", "postgres: alice shop [local] SELECT", CLIENT_BACKEND),
        ("postgres", "postgres: 18/main: alice shop 10.0.0.7(51234) idle in transaction", CLIENT_BACKEND),
        ("postgres", "postgres: checkpointer_fan shop [local] idle", CLIENT_BACKEND),
        ("postgres", "postgres: pg_cron launcher ", "postgres"),
        ("postgres", "/usr/lib/postgresql/18/bin/postgres -D /data", "postgres"),
        ("postgres", None, "postgres"),
        ("postgres", "postgres: archiver shop [local] idle", CLIENT_BACKEND),
        (
            "postgres",
            "postgres: logical replication worker for subscription 16399 ",
            "logical replication worker",
        ),
        ("ora_dbw0_ORCL", "ora_dbw0_ORCL", "dbw0 ORCL"),
        ("ora_dbw0_ORCLCD", "ora_dbw0_ORCLCDB", "dbw0 ORCLCDB"),
        ("ora_lgwr_db_2", None, "lgwr db_2"),
        ("oracle_ORCL", "oracleORCL (LOCAL=NO)", "oracle_ORCL"),
        ("fio", "fio --name=x", "fio"),
        ("kernel", "./kernel", "command kernel"),
        ("others", None, "command others"),
        ("checkpointer", "checkpointer", "command checkpointer"),
    ],
)
def test_the_role(command: str, title: str | None, role: str) -> None:
    assert role_of(command, title) == role


def test_a_title_is_of_that_very_process() -> None:
    me = processes.own_identity()
    title = title_of(me.pid, me.start_ticks * NS_PER_TICK)
    assert title is not None
    assert "python" in title or "pytest" in title
    assert title_of(me.pid, (me.start_ticks - 1) * NS_PER_TICK) is None


def test_a_process_whose_title_was_read_is_not_one_whose_title_was_not() -> None:
    me = processes.own_identity()
    started_ns = me.start_ticks * NS_PER_TICK
    roles = Roles()
    assert not roles.of(me.pid, started_ns, "postgres").is_untitled, "as a postmaster's"
    assert roles.of(me.pid, NS_PER_TICK, "postgres").is_untitled, "it ended before"
    assert not roles.of(me.pid, NS_PER_TICK * 2, "fio").is_untitled, "its command says all"


def test_what_a_probe_read_of_the_title_tells_what_a_process_was_that_has_ended() -> None:
    me, roles = processes.own_identity(), Roles()
    before = "postgres: alice shop [local] COMMIT"
    assert roles.of(me.pid, NS_PER_TICK, "postgres", before) == module.Role(CLIENT_BACKEND, False)
    running = roles.of(me.pid, me.start_ticks * NS_PER_TICK, "python", before)
    assert running.name == "python", "what it shows now counts more"
    roles.look_again()
    assert roles.of(me.pid, NS_PER_TICK, "postgres").name == CLIENT_BACKEND
    cut = f"postgres: {'x' * 200}"[:127]
    assert roles.of(me.pid, 2 * NS_PER_TICK, "postgres", cut).is_untitled, "who it is may have been behind"


def test_a_process_is_asked_once_for_each_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    titles = iter(["postgres: startup ", "postgres: alice shop [local] idle"])
    monkeypatch.setattr(module, "title_of", lambda pid, started_ns: next(titles))
    roles = Roles()
    assert [roles.of(7, 9, "postgres").name for _ in range(100)] == ["startup"] * 100
    roles.look_again()
    assert roles.of(7, 9, "postgres").name == CLIENT_BACKEND
