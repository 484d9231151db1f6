"""Scratch files on an NFS server: what happens to them at the end, and what earlier runs left there is named."""

from __future__ import annotations

import json
import secrets
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

import command
from losing_agents import losing
from plimsoll import _core
from plimsoll.base.errors import ExitStatus
from plimsoll.ports.claims import all_claimed, claimed

_WORDS = ("--rw", "randwrite", "--size", "16m", "--runtime", "0.2s", "--warm-up", "0s", "--seed", "1")
_RENAME, _REMOVE = 14, 12


@pytest.fixture
def server() -> Iterator[_core.NfsServer]:
    served = _core.serve_nfs()
    served.add("data", 0, 0, b"somebody's")
    yield served
    served.stop()


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "store.db"))


@pytest.fixture
def left() -> str:
    """A name of which no test beside this one knows: who holds it the whole host sees."""
    return f"plimsoll-scratch-{secrets.token_hex(8)}.dat"


def told(server: _core.NfsServer) -> str:
    """What a run says that writes in the server's folder."""
    ended = command.here("io", server.url("/export"), *_WORDS)
    assert ended.returncode in (ExitStatus.DONE, ExitStatus.ANSWER_IS_NO), ended.stderr
    return ended.stderr


def test_what_earlier_runs_left_is_named_and_left_alone(server: _core.NfsServer, left: str) -> None:
    server.add(left, 0, 0, b"of a run that was killed")
    said = told(server)
    assert said.count(left) == 1
    assert "1 scratch file in nfs://127.0.0.1/export that no run of this host or container holds" in said
    assert server.names() == ["data", left]
    assert server.durable(left) == b"of a run that was killed"


def test_what_a_run_of_this_host_holds_is_not_called_left(server: _core.NfsServer, left: str) -> None:
    about_to_be_removed = left.replace(".dat", "-1234.dat")
    for name in (left, about_to_be_removed):
        server.add(name, 0, 0, b"measured now")
    with claimed(left):
        assert left in all_claimed()
        assert "that no run of this host or container holds" not in told(server)
    assert left not in all_claimed()
    assert "2 scratch files in" in told(server)


def test_of_two_scratch_files_of_one_command_none_is_called_left(server: _core.NfsServer) -> None:
    words = ("--only", "log-writer,scans", "--size", "64m", "--runtime", "0.1s", "--warm-up", "0s")
    ended = command.here("shapes", server.url("/export"), *words)
    assert "that no run of this host or container holds" not in ended.stderr
    assert server.names() == ["data"]


def test_hosts_of_one_measurement_do_not_call_each_others_files_left(
    server: _core.NfsServer, left: str
) -> None:
    server.add(left, 0, 0, b"another host measures it now")
    words = (
        "--hosts",
        "a,b",
        "--launcher",
        "env HOST={host}",
        "--agent",
        f"{shlex.quote(command.PROGRAM)} agent",
    )
    ended = command.here("io", server.url("/export"), *_WORDS, *words)
    assert ended.returncode in (ExitStatus.DONE, ExitStatus.ANSWER_IS_NO), ended.stderr
    assert left not in ended.stdout + ended.stderr
    assert server.names() == ["data", left]


def test_a_file_that_cannot_be_listed_is_told_and_hinders_nothing(server: _core.NfsServer) -> None:
    server.go_wrong("refuse", 16, until=13)
    assert "whether earlier runs left scratch files there is not known" in told(server)
    assert server.names() == ["data"]


def test_another_file_that_gets_the_name_at_the_last_moment_is_not_removed(server: _core.NfsServer) -> None:
    server.go_wrong("swap_before", _RENAME)
    said = told(server)
    assert "was not removed: another file got its name meanwhile, and has it still" in said
    aside, scratch = server.names()
    assert aside == "aside"
    assert server.durable(scratch) == b"somebody's"


def test_what_is_gone_is_not_called_left_where_the_answer_was_lost(server: _core.NfsServer) -> None:
    server.go_wrong("cut_after", _REMOVE)
    assert "warning" not in told(server)
    assert server.names() == ["data"]


def test_what_may_be_left_is_called_so(server: _core.NfsServer) -> None:
    server.go_wrong("refuse", _REMOVE, until=13)
    said = " ".join(told(server).split())
    assert "could not be removed, and may be left there:" in said
    assert next(name for name in server.names() if name != "data") in said


def test_why_a_scratch_file_could_not_be_filled_has_a_way_on(server: _core.NfsServer) -> None:
    server.go_wrong("restart", 1)
    ended = command.here("io", server.url("/export"), *_WORDS)
    assert ended.returncode == ExitStatus.WORLD_FAILED
    assert "its verifier changes each time" in " ".join(ended.stderr.split())
    assert server.names() == ["data"]


def test_the_file_of_a_host_that_was_lost_stays_on_the_server_and_is_told_so(
    server: _core.NfsServer, tmp_path: Path
) -> None:
    launcher, agent = losing(tmp_path, "b", "begin"), f"{shlex.quote(command.PROGRAM)} agent"
    words = ("--hosts", "b", "--launcher", launcher, "--agent", agent, *_WORDS, "--json")
    ended = command.here("io", server.url("/export"), *words)
    left = next(name for name in server.names() if name != "data")
    message = json.loads(ended.stdout)["data"]["message"]
    assert f"/{left}" in message
    assert message.endswith("may be left on the server by b: it stays until somebody removes it by hand")
