"""Roles of processes, by what databases call them."""

from __future__ import annotations

import os

import pytest

from plimsoll.observe.roles import CLIENT_BACKEND, role_of, title_of
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
