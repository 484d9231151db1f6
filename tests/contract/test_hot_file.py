"""One file that all hosts read, against a file each: on a server that locks files, and on one that does not."""

from __future__ import annotations

import json
import os
import shlex
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agents_here import Way
from command import PROGRAM, here, started
from losing_agents import losing
from plimsoll import _core

AGENT = ("--launcher", "env HOST={host}", "--agent", f"{shlex.quote(PROGRAM)} agent")
_TAKES_S = 0.01
"""Of each answer: far longer than what a busy machine adds."""
_PATIENCE_S = 60.0


@pytest.fixture
def server() -> Iterator[_core.NfsServer]:
    served = _core.serve_nfs()
    yield served
    served.stop()


def _hot(
    server: _core.NfsServer, *words: str, hosts: str = "a,b", way: Sequence[str] = AGENT
) -> tuple[int, Any]:
    done = here(
        "io", server.url("/export"), "--hosts", hosts, "--hot-file", "--size", "64m", "--depth", "1", "--warm-up", "0.1",
        "--runtime", "1s", *words, *way, "--json",
    )  # fmt: skip
    return done.returncode, json.loads(done.stdout)["data"]


def test_a_server_that_locks_a_file_is_found(way: Way, server: _core.NfsServer) -> None:
    server.go_wrong("file_lock", 0, seconds=_TAKES_S)
    status, data = _hot(server, hosts="a,b,c", way=way.words)
    assert data["ratio"] == pytest.approx(1 / 3, abs=0.1), "three hosts take turns"
    assert status == 1
    for one in data["rounds"]:
        rates = [part["iops"] for part in one["cell"]["hosts"]]
        assert max(rates) < 1.5 * min(rates), "each has its turn"


def test_without_a_lock_one_file_is_as_good_as_one_each(way: Way, server: _core.NfsServer) -> None:
    server.go_wrong("delay", 0, seconds=_TAKES_S)
    status, data = _hot(server, "--repeats", "2", way=way.words)
    assert data["ratio"] == pytest.approx(1, abs=0.1)
    assert len(data["ratios"]) == 4
    assert [one["of"] for one in data["rounds"]] == ["own", "one", "one", "own"] * 2
    assert status == 0
    assert server.names() == [], "all files are removed"


def test_both_kinds_of_rounds_read_as_much_data(server: _core.NfsServer) -> None:
    _, data = _hot(server)
    blocks = {
        one["of"]: [part["classes"][0]["space_blocks"] for part in one["cell"]["hosts"]]
        for one in data["rounds"]
    }
    assert sum(blocks["own"]) == blocks["one"][0] == blocks["one"][1] == (64 << 20) // 8192


def test_one_file_of_this_host_is_read_by_all(tmp_path: Path) -> None:
    done = here(
        "io", tmp_path, "--hosts", "a,b", "--hot-file", "--size", "64m", "--runtime", "2s", "--engine", "psync",
        "--depth", "2", *AGENT,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    assert "a file each" in done.stdout
    assert "of each pair" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_host_that_is_lost_leaves_the_rounds_until_then(way: Way, server: _core.NfsServer) -> None:
    client = started(
        "io", server.url("/export"), "--hosts", "a,b", "--hot-file", "--size", "64m", "--runtime", "1s",
        *way.words, "--json", "--events", "-",
    )  # fmt: skip
    assert client.stderr is not None
    next(line for line in client.stderr if "round 3 of 4" in line)
    os.kill(way.agent("b"), signal.SIGKILL)
    out, _ = client.communicate(timeout=_PATIENCE_S)
    data = json.loads(out)["data"]
    assert client.returncode == 5
    assert [one["of"] for one in data["rounds"]] == ["own", "one"]
    assert len(data["ratios"]) == 1
    assert data["rounds_asked"] == 4
    assert "b was lost" in data["ended_because"]


def test_rounds_that_were_ended_do_not_count(server: _core.NfsServer) -> None:
    client = started(
        "io", server.url("/export"), "--hosts", "a,b", "--hot-file", "--size", "64m", "--runtime", "2s", *AGENT, "--json",
        "--events", "-",
    )  # fmt: skip
    assert client.stderr is not None
    next(line for line in client.stderr if "round 2 of 4" in line)
    client.send_signal(signal.SIGINT)
    out, _ = client.communicate(timeout=_PATIENCE_S)
    data = json.loads(out)["data"]
    assert client.returncode == 130
    assert [one["of"] for one in data["rounds"]] == ["own"]
    assert data["ratio"] is None
    assert server.names() == []


@pytest.mark.parametrize(
    ("words", "id"),
    [
        (("--rw", "randwrite"), "hot-file-writes"),
        (("--rate", "100"), "option-idle"),
        (("--own-storage",), "option-idle"),
        (("--no-direct",), "hot-file-cached"),
    ],
)
def test_what_does_not_go_with_it_is_refused(words: tuple[str, ...], id: str) -> None:
    done = here("io", "sim:", "--hosts", "a,b", "--hot-file", *words, "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (2, id)


def test_it_takes_a_folder_and_several_hosts(server: _core.NfsServer) -> None:
    server.add("data", os.geteuid(), 0, os.urandom(64 << 20))
    done = here("io", server.url("/export/data"), "--hosts", "a,b", "--hot-file", *AGENT, "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (2, "hot-file-folder")
    done = here("io", "/data", "--hosts", "a", "--hot-file", "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (2, "hot-file-hosts")
    done = here("io", "/data", "--hot-file", "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (2, "option-idle")
    assert (
        json.loads(here("io", "/data", "--hosts", "a", "--repeats", "3", "--json").stdout)["data"]["id"]
        == "option-idle"
    )


def test_a_host_that_is_lost_in_the_first_round_is_one_that_was_lost(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    words = ("--hosts", "a,b", "--hot-file", "--size", "64m", "--runtime", "2s", "--engine", "psync")
    told = here("io", folder, *words, "--launcher", losing(tmp_path, "b", "begin"), *AGENT[2:], "--json")
    data = json.loads(told.stdout)["data"]
    assert told.returncode == 5, told.stderr
    (left,) = folder.iterdir()
    assert (data["rounds"], data["ratio"]) == ([], None)
    assert "b was lost" in data["ended_because"]
    assert any(str(left) in note["message"] for note in data["notes"]), "its file is named"
