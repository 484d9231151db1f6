"""Order entry from several hosts on one server: agents are processes of this machine, each started as ssh would start it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import psycopg
import pytest

from agents_here import AGENT, PATIENCE_S, Way, when
from command import here, started
from demand_snapshots import snapshot
from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases import embedded, open_database
from plimsoll.facts import Proof
from plimsoll.flows.prove_orders import orders_proof, prove_orders
from plimsoll.proof import order_entry
from plimsoll.proof.crew import Track
from plimsoll.proof.order_entry import Options, Scale, far
from plimsoll.proof.order_entry.worker import Seat, ServerWorker
from plimsoll.proof.sessions import Drove, Schedule
from plimsoll.requests.prove_order_entry import ProveOrderEntryRequest
from proof_doubts import our_doubts
from simulated import MemoryStore

SMALL = Scale(warehouses=2, items=200, customers_per_district=30)
_DROVE = Drove((), Schedule(0, 1), 0, snapshot(0), (), edge_clean=True, interrupted=False, failure=None)
_BY_SERVER = """
select
    (select count(*) from plimsoll_orders.orders) as orders,
    (select count(*) from plimsoll_orders.order_line) as order_lines,
    (select xact_commit from pg_stat_database where datname = current_database()) as commits
"""


@pytest.fixture
def url(ctx: Context, server_18: embedded.Server) -> Iterator[str]:
    """A server with two small warehouses, dropped after the test."""
    with open_database(ctx, server_18.url) as connection:
        order_entry.load(ctx, connection, SMALL)
        yield server_18.url
        when(lambda: _sessions(server_18.url) == 0)
        order_entry.drop(connection)


_LAUNCHER = ("--launcher", "env HOST={host}", "--agent", AGENT)


def _words(url: str, *words: str, way: Sequence[str] = _LAUNCHER) -> tuple[str, ...]:
    given = ("--database", url, "--hosts", "a,b", "--warm-up", "1s", *words)
    return ("prove", "order-entry", *given, *way, "--json")


def _proved(url: str, *words: str, way: Sequence[str] = _LAUNCHER) -> tuple[int, Any]:
    done = here(*_words(url, *words, way=way))
    return done.returncode, json.loads(done.stdout)["data"]


def _counted(url: str) -> list[int]:
    with psycopg.connect(url, autocommit=True) as session:
        row = session.execute(_BY_SERVER).fetchone()
    assert row is not None
    return [int(value) for value in row]


def _sessions(url: str) -> int:
    """Sessions of a drive that the server has."""
    with psycopg.connect(url, autocommit=True) as session:
        query = (
            "select count(*) from pg_stat_activity where application_name ~ '^plimsoll order-entry [0-9]+$'"
        )
        row = session.execute(query).fetchone()
    assert row is not None
    return int(row[0])


def _doubts(data: Any) -> list[str]:
    return our_doubts(Proof.model_construct(doubts=tuple(data["doubts"])))


@pytest.mark.parametrize("words", [(), ("--client-commits", "--ledger")])
def test_what_two_hosts_did_is_what_the_server_counted(way: Way, url: str, words: tuple[str, ...]) -> None:
    before = _counted(url)
    _, data = _proved(url, "--sessions", "4", "--runtime", "3s", *words, way=way.words)
    grown = [after - earlier for earlier, after in zip(before, _counted(url), strict=True)]
    commits, orders, lines = data["agreements"]
    assert _doubts(data) == []
    assert (orders["holds"], lines["holds"]) == (True, True)
    assert commits["holds"] is not False
    assert orders["sessions_count"] == grown[0], "by a count of our own"
    assert lines["sessions_count"] == grown[1]
    operations = sum(host["operations"] for host in data["hosts"]["hosts"])
    assert grown[2] >= operations > 0, "each is a transaction, and those of the warm-up are among them"
    assert [one["holds"] for one in data["conditions"]] == [True] * (15 if words else 13)
    if words:
        told = sum(session["acknowledged"] for session in data["sessions"])
        assert (
            data["conditions"][13]["reason"]
            == f"{told:,} commits were acknowledged, {told:,} are in the ledger"
        )


def test_each_host_drives_its_share_and_all_begin_together(url: str) -> None:
    _, data = _proved(url, "--sessions", "3", "--runtime", "2s")
    hosts = data["hosts"]["hosts"]
    assert [(host["host"], host["sessions"]) for host in hosts] == [("a", 1), ("b", 2)]
    names = [session["name"] for session in data["sessions"]]
    assert names == ["a order-entry 1", "b order-entry 2", "b order-entry 3"]
    kinds = [one for one in data["operations"] if one["name"] != "commit"]
    done = sum(one["operations"] for one in kinds)
    assert sum(host["operations"] for host in hosts) == done > 0
    assert sum(host["operations_per_s"] for host in hosts) == pytest.approx(data["operations_per_s"])
    assert sum(host["latency_us"]["count"] for host in hosts) == done, "distributions are added"
    assert data["hosts"]["start_spread_us"] < 1e6, "sessions wait for one instant inside the server"
    assert data["settings"]["hosts"] == "a, b"
    assert all(host["lost_because"] is None for host in hosts)


def test_each_host_may_reach_the_database_by_a_way_of_its_own(url: str, tmp_path: Path) -> None:
    """Here a name of its own for the folder of the server's socket, as elsewhere a service, or a pooler, for each host."""
    socket = Path(unquote(url.partition("?host=")[2].partition("&")[0]))
    for host in ("a", "b"):
        (tmp_path / f"way-{host}").symlink_to(socket)
    ways = url.replace(quote(str(socket), safe=""), quote(str(tmp_path), safe="") + "%2Fway-{host}")
    _, data = _proved(ways, "--sessions", "2", "--runtime", "1s")
    assert _doubts(data) == []
    assert [host["operations"] > 0 for host in data["hosts"]["hosts"]] == [True, True]
    assert "way-a" in data["database"]["location"], "the counters are read by the way of the first"


def test_a_host_that_is_killed_keeps_what_it_had_told_and_the_data_stays_sound(way: Way, url: str) -> None:
    words = ("--sessions", "4", "--runtime", "6s", "--ledger")
    client = started(*_words(url, *words, way=way.words), "--events", "-")
    assert client.stderr is not None
    next(line for line in client.stderr if "measuring" in line)
    os.kill(way.agent("b"), signal.SIGKILL)
    out, _ = client.communicate(timeout=PATIENCE_S)
    told = json.loads(out)
    data = told["data"]
    assert client.returncode == 5
    whole, lost = data["hosts"]["hosts"]
    assert whole["lost_because"] is None
    assert "its agent ended without its result" in lost["lost_because"]
    assert 0 < lost["operations"] < whole["operations"]
    assert data["operations_per_s"] == pytest.approx(whole["operations_per_s"]), "the lost one is in no sum"
    assert 1 <= data["hosts"]["complete_s"] < 6
    assert _doubts(data) == [lost["lost_because"]], "said once, and nothing else is wrong"
    assert [one["message"] for one in told["warnings"] if one["code"] == "host-lost"] == [
        f"{lost['lost_because']}; nothing was run again elsewhere"
    ]
    assert all(one["slack"] > 0 for one in data["agreements"]), "nobody knows the last of what it did"
    assert [one["holds"] for one in data["agreements"][1:]] == [True, True]
    assert [one["holds"] for one in data["conditions"]] == [True] * 15, (
        "its sessions were ended before the data was looked at"
    )
    assert _sessions(url) == 0


def test_lost_sessions_are_ended_by_their_names_where_a_pooler_gives_ids_of_its_own(
    url: str, ctx: Context
) -> None:
    lost = WorldError("host-lost", "b was lost")
    tracks = (
        Track("a order-entry 1", server_process=1),
        Track("b order-entry 2", server_process=2, error=lost),
    )
    drove = replace(_DROVE, tracks=tracks)
    workers = [ServerWorker(Seat.at(SMALL, Options(), number)) for number in range(2)]
    mine, gone, other = (
        psycopg.connect(url, autocommit=True, application_name=f"plimsoll order-entry {name}")
        for name in ("1", "2", "20")
    )
    with mine, gone, other, open_database(ctx, url) as connection:
        session = connection.session("plimsoll order-entry run")
        assert far.end_lost(ctx, session, drove, workers)
        with pytest.raises(psycopg.OperationalError):
            gone.execute("select 1")
        assert mine.execute("select 1").fetchone() == other.execute("select 1").fetchone() == (1,)
        session.close()


def test_agents_whose_client_is_killed_end_their_sessions(way: Way, url: str) -> None:
    words = ("--sessions", "4", "--runtime", "60s")
    client = started(*_words(url, *words, way=way.words), "--events", "-")
    assert client.stderr is not None
    next(line for line in client.stderr if "measuring" in line)
    assert _sessions(url) == 4
    client.kill()
    client.communicate(timeout=PATIENCE_S)
    when(lambda: _sessions(url) == 0)


def test_a_typed_password_is_told_to_agents_and_kept_nowhere(url: str, ctx: Context) -> None:
    secret, asked = url.split(":")[2].split("@")[0], list[str]()

    def ask(location: str) -> str:
        asked.append(location)
        return secret

    request = ProveOrderEntryRequest(
        database=url.replace(f":{secret}@", "@"), hosts=("a", "b"), launcher="env HOST={host}", agent=AGENT, run_time_s=1.0,
        warm_up_s=0.0, sessions=2,
    )  # fmt: skip
    run = prove_orders(replace(ctx, store=MemoryStore()), orders_proof(request), ask)
    assert len(asked) == 1, "agents have nobody to ask"
    assert run.title.startswith("order entry on ")
    assert run.title.endswith(" from 2 hosts")
    assert run.proof is not None
    assert run.proof.hosts is not None
    assert all(host.operations for host in run.proof.hosts.hosts)
    assert secret not in run.model_dump_json()


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--database", "embedded"), "proof-embedded"),
        (("--against", "/tmp"), "option-idle"),
        (("--sessions", "1"), "proof-options"),
        (("--hosts", "a,a"), "hosts-twice"),
        (("--launcher", "env"), "launcher-no-host"),
    ],
)
def test_what_makes_no_sense_over_hosts_is_refused_before_anything_is_opened(
    words: tuple[str, ...], error: str
) -> None:
    done = here(*_words("postgresql://nobody@127.0.0.1:1/none"), *words)
    assert done.returncode == 2
    assert json.loads(done.stdout)["data"]["id"] == error


@pytest.mark.parametrize("action", ["setup", "verify", "status", "drop"])
def test_only_a_run_is_driven_from_hosts(action: str) -> None:
    words = ("--database", "postgresql://nobody@127.0.0.1:1/none", "--hosts", "a,b", "--json")
    done = here("prove", "order-entry", action, *words)
    assert done.returncode == 2
    assert json.loads(done.stdout)["data"]["id"] == "option-idle"
