"""SLOB's method from several hosts on one server: agents are processes of this machine, each started as ssh would start it."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agents_here import AGENT, PATIENCE_S, Way, by_launcher, when
from command import here, started
from plimsoll.context import Context
from plimsoll.databases import embedded, open_database
from plimsoll.facts import Proof
from plimsoll.flows.prove_slob import prove_slob, slob_proof
from plimsoll.proof.slob import tables
from plimsoll.proof.slob.parameters import parameters
from plimsoll.requests.prove_slob import ProveSlobRequest
from proof_doubts import our_doubts
from simulated import MemoryStore
from slob_tables import dropped

BRIEF = ("--threads", "2", "--warm-up", "1s", "--work-unit", "16", "--update-pct", "20")
_BY_SERVER = """
select sum(idx_tup_fetch), sum(n_tup_upd), (select xact_commit from pg_stat_database where datname = current_database())
from pg_stat_user_tables where schemaname = 'plimsoll_slob' and relname like 'cf1%'
"""


@pytest.fixture
def url(ctx: Context, server_18: embedded.Server) -> Iterator[str]:
    """A server with two schemas of 512 blocks, dropped after the test."""
    with open_database(ctx, server_18.url) as connection:
        tables.setup(ctx, connection, parameters(schemas=2, scale=512, scan_table=32))
        yield server_18.url
        dropped(connection)


_LAUNCHER = ("--launcher", "env HOST={host}", "--agent", AGENT)


def _words(url: str, *words: str, way: Sequence[str] = _LAUNCHER) -> tuple[str, ...]:
    given = ("--database", url, "--schemas", "2", "--hosts", "a,b", *BRIEF, *words)
    return ("prove", "slob", *given, *way, "--json")


def _proved(url: str, *words: str, way: Sequence[str] = _LAUNCHER) -> tuple[int, Any, str]:
    """Status, data and what was said to people."""
    done = here(*_words(url, *words, way=way))
    return done.returncode, json.loads(done.stdout).get("data"), done.stderr + done.stdout


def _counted(url: str) -> list[int]:
    with psycopg.connect(url, autocommit=True) as session:
        row = session.execute(_BY_SERVER).fetchone()
    assert row is not None
    return [int(value) for value in row]


def _doubts(data: Any) -> list[str]:
    return _ours(data["doubts"])


def _ours(doubts: Sequence[str]) -> list[str]:
    """Those that a busy machine alone does not bring about."""
    return our_doubts(Proof.model_construct(doubts=tuple(doubts)))


def test_what_two_hosts_did_is_what_the_server_counted(way: Way, url: str) -> None:
    before = _counted(url)
    _, data, _ = _proved(url, "--runtime", "3s", way=way.words)
    blurred = any(note["code"] == "edge-blurred" for note in data["notes"])
    grown = [after - earlier for earlier, after in zip(before, _counted(url), strict=True)]
    assert _doubts(data) == []
    assert {one["what"]: one["holds"] for one in data["agreements"]} == {
        "rows and blocks of the tables": True,
        "blocks read by key, with warm-up": True,
        "blocks updated, with warm-up": True,
        "commits in the window": None if blurred else True,
    }
    by_key, updated, _ = data["agreements"][1:]
    assert [by_key["sessions_count"], updated["sessions_count"]] == grown[:2], "by counts of our own"
    operations = sum(host["operations"] for host in data["hosts"]["hosts"])
    assert grown[2] >= operations, "each is a transaction, and those of the warm-up are among them"


def test_each_host_drives_its_share_and_all_begin_together(url: str) -> None:
    _, data, _ = _proved(url, "--runtime", "2s")
    hosts = data["hosts"]["hosts"]
    assert [(host["host"], host["sessions"]) for host in hosts] == [("a", 2), ("b", 2)]
    names = [session["name"] for session in data["sessions"]]
    assert names == ["a 1.1", "a 2.1", "b 1.2", "b 2.2"], "each host drives all schemas"
    kinds = {one["name"]: one for one in data["operations"]}
    done = sum(one["operations"] for name, one in kinds.items() if name != "commit")
    assert sum(host["operations"] for host in hosts) == done > 0
    assert sum(host["operations_per_s"] for host in hosts) == pytest.approx(data["operations_per_s"])
    assert sum(host["latency_us"]["count"] for host in hosts) == done, "distributions are added"
    assert data["hosts"]["start_spread_us"] < 1e6, "sessions wait for one instant inside the server"
    assert data["settings"]["hosts"] == "a, b"
    assert all(host["lost_because"] is None for host in hosts)
    assert data["hosts"]["complete_s"] is None


def test_a_host_that_is_killed_keeps_what_it_had_told_and_the_other_goes_on(way: Way, url: str) -> None:
    client = started(*_words(url, "--runtime", "6s", way=way.words), "--events", "-")
    assert client.stderr is not None
    measuring = (line for line in client.stderr if "measuring" in line)
    next(measuring)
    agent = way.agent("b")
    for place in ("cmdline", "environ"):
        assert _password(url).encode() not in Path(f"/proc/{agent}/{place}").read_bytes(), (
            "it came on standard input"
        )
    os.kill(agent, signal.SIGKILL)
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
    assert data["hosts"]["complete_operations_per_s"] > 0
    reasons = {session["name"]: session["reason"] for session in data["sessions"]}
    assert reasons["b 1.2"] == f"it ended with: {lost['lost_because']}"
    assert _ours([reasons["a 1.1"]]) in ([], [""])
    assert not data["holds"]
    assert data["doubts"][0] == lost["lost_because"]
    assert sum(lost["lost_because"] in doubt for doubt in data["doubts"]) == 1, (
        "said once, not for each session"
    )
    assert [one["message"] for one in told["warnings"] if one["code"] == "host-lost"] == [
        f"{lost['lost_because']}; nothing was run again elsewhere"
    ]
    slack = [one["slack"] for one in data["agreements"] if "warm-up" in one["what"]]
    assert all(value > 0 for value in slack), "nobody knows the last of what it did"


def test_ctrl_c_ends_all_hosts_and_keeps_what_was_measured(url: str, tmp_path: Path) -> None:
    client = started(*_words(url, "--runtime", "60s", way=by_launcher(tmp_path).words), "--events", "-")
    assert client.stderr is not None
    measuring = (line for line in client.stderr if "measuring" in line)
    next(measuring)
    client.send_signal(signal.SIGINT)
    out, _ = client.communicate(timeout=PATIENCE_S)
    data = json.loads(out)["data"]
    assert client.returncode == 130
    assert all(host["operations"] > 0 for host in data["hosts"]["hosts"])
    when(lambda: _sessions(url) == 0)


def test_agents_whose_client_is_killed_end_their_sessions(way: Way, url: str) -> None:
    client = started(*_words(url, "--runtime", "60s", way=way.words), "--events", "-")
    assert client.stderr is not None
    measuring = (line for line in client.stderr if "measuring" in line)
    next(measuring)
    assert _sessions(url) == 4
    client.kill()
    client.communicate(timeout=PATIENCE_S)
    when(lambda: _sessions(url) == 0)


def test_agents_are_told_a_password_that_was_typed(url: str, ctx: Context) -> None:
    asked: list[str] = []

    def ask(location: str) -> str:
        asked.append(location)
        return _password(url)

    bare = url.replace(f":{_password(url)}@", "@")
    request = ProveSlobRequest(
        database=bare,
        schemas=2,
        hosts=("a", "b"),
        launcher="env HOST={host}",
        agent=AGENT,
        run_time_s=1.0,
        warm_up_s=0.0,
    )
    run = prove_slob(replace(ctx, store=MemoryStore()), slob_proof(request), ask)
    assert len(asked) == 1, "agents have nobody to ask"
    assert run.proof is not None
    assert run.proof.hosts is not None
    assert all(host.operations for host in run.proof.hosts.hosts)
    assert _password(url) not in run.model_dump_json()


def test_without_a_password_an_agent_says_where_it_looked(url: str, tmp_path: Path) -> None:
    """The calling host has it from its environment, where agents do not look."""
    bare = url.replace(f":{_password(url)}@", "@")
    launcher = "env -u PGPASSWORD HOST={host}"
    done = here(
        *_words(bare, "--runtime", "1s", way=("--launcher", launcher, "--agent", AGENT)),
        PGPASSWORD=_password(url),
    )
    assert done.returncode == 4
    assert "database-password-missing" in done.stdout + done.stderr
    assert _password(url) not in done.stdout + done.stderr


def test_a_host_that_reaches_another_database_is_refused(url: str) -> None:
    """As where localhost leads elsewhere on each host: here an agent is told another database of the same server."""
    done = here(
        *_words(
            url,
            "--runtime",
            "1s",
            way=("--launcher", _changing("/postgres?", "/template1?"), "--agent", AGENT),
        )
    )
    assert done.returncode == 2
    assert "hosts-differ" in done.stdout
    assert "b reaches another database" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--database", "embedded"), "proof-embedded"),
        (("--against", "/tmp"), "option-idle"),
        (("--threads", "1", "--schemas", "1"), "slob-parameter"),
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


@pytest.mark.parametrize("action", ["sweep", "setup", "status", "drop"])
def test_only_a_run_is_driven_from_hosts(action: str) -> None:
    done = here(
        "prove",
        "slob",
        action,
        "--database",
        "postgresql://nobody@127.0.0.1:1/none",
        "--hosts",
        "a,b",
        "--json",
    )
    assert done.returncode == 2
    assert json.loads(done.stdout)["data"]["id"] == "option-idle"


def _password(url: str) -> str:
    return url.split(":")[2].split("@")[0]


def _changing(before: str, after: str) -> str:
    """A launcher that tells the agent of host b another word."""
    change = "\n".join(
        (
            "import os, sys",
            "for line in sys.stdin.buffer:",
            f"    if os.environ['HOST'] == 'b': line = line.replace({before.encode()!r}, {after.encode()!r})",
            "    sys.stdout.buffer.write(line); sys.stdout.flush()",
        )
    )
    script = f'{shlex.quote(sys.executable)} -c {shlex.quote(change)} | "$0" "$@"'
    return f"env HOST={{host}} sh -c {shlex.quote(script)}"


def _sessions(url: str) -> int:
    """Sessions of a drive that the server has."""
    with psycopg.connect(url, autocommit=True) as session:
        query = "select count(*) from pg_stat_activity where application_name ~ '^plimsoll [0-9]+[.][0-9]+$'"
        row = session.execute(query).fetchone()
    assert row is not None
    return int(row[0])
