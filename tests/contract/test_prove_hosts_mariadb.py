"""SLOB's method from several hosts on a real MariaDB: counts agree as from one, and a host that is lost is none of them."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents_here import AGENT, PATIENCE_S, agent_of, noting, when
from command import here, started
from mariadb_server import MariadbServer
from plimsoll.context import Context
from plimsoll.databases import open_database
from plimsoll.facts import Proof
from plimsoll.proof.slob import tables
from plimsoll.proof.slob.parameters import parameters
from proof_doubts import our_doubts
from slob_tables import dropped

_BY_SERVER = "('Handler_update', 'Com_commit', 'Com_call_procedure')"


@pytest.fixture
def loaded(ctx: Context, mariadb_server: MariadbServer) -> Iterator[MariadbServer]:
    """Two schemas of 512 pages, dropped after the test."""
    with open_database(ctx, mariadb_server.url) as connection:
        tables.setup(ctx, connection, parameters(schemas=2, scale=512, scan_table=32))
        yield mariadb_server
        when(lambda: _sessions(mariadb_server) == 0)
        dropped(connection)


def _words(server: MariadbServer, *words: str, launcher: str = "env HOST={host}") -> tuple[str, ...]:
    shape = ("--schemas", "2", "--threads", "2", "--warm-up", "1s", "--work-unit", "16", "--update-pct", "30")
    given = ("--database", server.url, "--hosts", "a,b", *shape, *words)
    return ("prove", "slob", *given, "--launcher", launcher, "--agent", AGENT, "--json")


def _counted(server: MariadbServer) -> dict[str, int]:
    """By the server's own status, which counts all sessions."""
    with server.connect() as session, session.cursor() as cursor:
        cursor.execute(f"show global status where variable_name in {_BY_SERVER}")
        return {str(name).lower(): int(value) for name, value in cursor.fetchall()}


def _sessions(server: MariadbServer) -> int:
    """Sessions at work in a procedure of a drive."""
    with server.connect() as session, session.cursor() as cursor:
        cursor.execute(
            "select count(*) from information_schema.processlist where info like '%plimsoll_slob%' and id <> connection_id()"
        )
        return int(cursor.fetchall()[0][0])


def _doubts(data: Any) -> list[str]:
    return our_doubts(Proof.model_construct(doubts=tuple(data["doubts"])))


def test_what_two_hosts_did_is_what_the_server_counted(loaded: MariadbServer) -> None:
    before = _counted(loaded)
    done = here(*_words(loaded, "--runtime", "2s"))
    data = json.loads(done.stdout)["data"]
    grown = {name: after - before[name] for name, after in _counted(loaded).items()}
    assert _doubts(data) == []
    assert {one["what"]: one["holds"] for one in data["agreements"]} == {
        "rows and blocks of the tables": True,
        "blocks read by key, with warm-up": True,
        "blocks updated, with warm-up": True,
        "commits, with warm-up": True,
    }
    hosts = data["hosts"]["hosts"]
    assert [(host["host"], host["sessions"]) for host in hosts] == [("a", 2), ("b", 2)]
    updated = next(one for one in data["agreements"] if one["what"].startswith("blocks updated"))
    assert updated["sessions_count"] == updated["server_count"]
    assert grown["handler_update"] >= updated["sessions_count"] > 0, "by counts of our own"
    update = next(one for one in data["operations"] if one["name"] == "update")
    commit = next(one for one in data["operations"] if one["name"] == "commit")
    assert grown["com_commit"] >= commit["operations"] == update["operations"] > 0


def test_a_host_that_is_killed_keeps_what_it_had_told(loaded: MariadbServer, tmp_path: Path) -> None:
    client = started(*_words(loaded, "--runtime", "6s", launcher=noting(tmp_path)), "--events", "-")
    assert client.stderr is not None
    next(line for line in client.stderr if "measuring" in line)
    os.kill(agent_of(tmp_path, "b"), signal.SIGKILL)
    out, _ = client.communicate(timeout=PATIENCE_S)
    data = json.loads(out)["data"]
    assert client.returncode == 5
    whole, lost = data["hosts"]["hosts"]
    assert whole["lost_because"] is None
    assert "its agent ended without its result" in lost["lost_because"]
    assert 0 < lost["operations"] < whole["operations"]
    assert data["operations_per_s"] == pytest.approx(whole["operations_per_s"]), "the lost one is in no sum"
    assert _doubts(data)[0] == lost["lost_because"]
    assert all(one["holds"] for one in data["agreements"]), "within what nobody told of"


def test_what_this_database_has_none_of_is_refused_before_any_host_is_reached(
    mariadb_server: MariadbServer, tmp_path: Path
) -> None:
    there = ("--hosts", "a,b", "--launcher", noting(tmp_path), "--agent", AGENT)
    done = here("prove", "order-entry", "--database", mariadb_server.url, *there, "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (2, "proof-unsupported")
    assert list(tmp_path.glob("*.pid")) == []
