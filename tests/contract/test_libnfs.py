"""The engine that calls libnfs, against a server in memory: what the server saw is what was told."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from plimsoll import _core
from plimsoll.base.errors import ExitStatus
from plimsoll.native import engine as native

MIB = 1 << 20
FILE_BYTES = 64 * MIB
BLOCK_BYTES = 8192
_ENGINE = ("--engine", "libnfs")
_SHORT = ("--runtime", "0.3s", "--warm-up", "0s", "--seed", "1")

_installed = pytest.mark.skipif(
    not native.engines()["libnfs"]["available"], reason=f"{native.engines()['libnfs']['reason']}"
)


@pytest.fixture
def server() -> Iterator[_core.NfsServer]:
    """One export with the file `data`, which belongs to this user."""
    served = _core.serve_nfs()
    served.add("data", os.geteuid(), 0, os.urandom(FILE_BYTES))
    yield served
    served.stop()


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "store.db"))


def ended(status: ExitStatus, *words: str) -> dict[str, Any]:
    """The envelope of a command with the engine."""
    done = command.here(*words, *_ENGINE, "--json")
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def refused(status: ExitStatus, *words: str) -> str:
    done = command.here(*words, *_ENGINE)
    assert done.returncode == status, done.stderr
    assert "hint:" in done.stderr
    return done.stderr


@_installed
@pytest.mark.parametrize(("block", "depth", "jobs"), [("8k", 1, 1), ("8k", 32, 2), ("1m", 8, 1)])
def test_what_the_server_was_asked_is_what_is_told(
    server: _core.NfsServer, block: str, depth: int, jobs: int
) -> None:
    words = ("--block", block, "--depth", str(depth), "--jobs", str(jobs), *_SHORT)
    told = ended(ExitStatus.DONE, "io", server.url("/export/data"), *words)
    reads, writes, commits = server.seen()
    data = told["data"]
    assert (data["engine"], data["errors"]) == ("libnfs", 0)
    assert data["ios"] > 0
    samples = 256
    looked = reads - data["ios"]
    assert samples <= looked <= samples + depth * jobs, "what is under way at the end is no I/O of the window"
    assert (writes, commits) == ((0, 0, 0), 0)


@_installed
def test_each_write_is_durable_when_it_is_answered(server: _core.NfsServer) -> None:
    words = ("--rw", "randwrite", "--size", "16m", "--depth", "4", *_SHORT)
    told = ended(ExitStatus.DONE, "io", server.url("/export"), *words)
    _, (_, data, file), _ = server.seen()
    ios = told["data"]["ios"]
    assert ios > 0
    assert (data, told["data"]["stable"]) == (0, "file")
    assert ios <= file <= ios + 4
    assert server.names() == ["data"], "the scratch file is gone"


@_installed
def test_a_line_is_searched(server: _core.NfsServer) -> None:
    words = ("--slo", "p99=1s", "--trial", "0.1s", "--repeats", "1", "--budget", "2s", "--seed", "1")
    done = command.here("line", server.url("/export/data"), *words, *_ENGINE, "--json")
    assert done.returncode in (ExitStatus.DONE, ExitStatus.ANSWER_IS_NO), done.stderr
    engines = [
        trial["cell"]["engine"] for trial in json.loads(done.stdout)["data"]["trials"] if "cell" in trial
    ]
    assert engines
    assert set(engines) == {"libnfs"}


@_installed
def test_a_connection_that_is_lost_ends_the_run_and_what_was_measured_is_kept(
    server: _core.NfsServer,
) -> None:
    server.go_wrong("cut", 2000)
    words = ("--depth", "4", "--runtime", "60s", "--warm-up", "0s")
    told = ended(ExitStatus.WORLD_FAILED, "io", server.url("/export/data"), *words)
    assert told["data"]["ios"] > 0
    assert told["data"]["errors"] > 0
    assert "storage-lost" in {warning["code"] for warning in told["warnings"]}


@_installed
def test_an_answer_that_does_not_come_has_failed_after_its_time(server: _core.NfsServer) -> None:
    server.go_wrong("silent", 300)
    words = ("--depth", "4", "--runtime", "2s", "--warm-up", "0s", "--path-timeout", "1s")
    told = ended(ExitStatus.WORLD_FAILED, "io", server.url("/export/data"), *words)
    assert told["data"]["errors"] >= 4
    said = {warning["code"]: warning["message"] for warning in told["warnings"]}
    assert "timed out" in said["io-error"]
    assert "command timed out" in said["libnfs-failed"]


@_installed
@pytest.mark.parametrize(
    ("option", "words", "said"),
    [
        ("&paths=127.0.0.1", (), "does not take paths="),
        ("&balance=round-robin", (), "does not take balance="),
        ("", ("--rw", "randwrite", "--stable", "none", "--size", "16m"), "--stable"),
        ("&version=5", (), "version=5 is neither 3 nor 4"),
    ],
)
def test_what_it_cannot_do_is_refused_by_name(
    server: _core.NfsServer, option: str, words: tuple[str, ...], said: str
) -> None:
    target = server.url("/export" if words else "/export/data") + option
    assert said in refused(ExitStatus.USAGE, "io", target, *words, *_SHORT)
    assert server.seen() == (0, (0, 0, 0), 0), "before anything is asked or filled"


@_installed
@pytest.mark.parametrize("option", ["mount_port=2050", "privileged=no", "privileged=yes", "paths=127.0.0.1"])
def test_over_version_4_options_that_would_change_nothing_are_refused(option: str) -> None:
    said = refused(ExitStatus.USAGE, "io", f"nfs://127.0.0.1/export/data?version=4&{option}", *_SHORT)
    assert f"does not take {option.partition('=')[0]}= of 127.0.0.1 over version 4" in said
    assert "Leave it out: it would change nothing." in said


@pytest.mark.parametrize("words", [(), ("--rw", "randwrite", *_ENGINE)])
def test_version_4_is_read_by_the_other_client_alone(server: _core.NfsServer, words: tuple[str, ...]) -> None:
    done = command.here("io", server.url("/export") + "&version=4", *words, *_SHORT)
    assert done.returncode == ExitStatus.WORLD_FAILED
    assert "engine libnfs alone" in done.stderr
    assert "mount -t nfs4" in done.stderr


def test_a_server_that_speaks_version_4_alone_is_refused_with_the_ways_there_are(
    server: _core.NfsServer,
) -> None:
    server.go_wrong("only_version_4", 0)
    done = command.here("io", server.url("/export/data"), *_SHORT)
    assert done.returncode == ExitStatus.WORLD_FAILED
    assert "mount -t nfs4" in done.stderr
    assert "--engine libnfs" in done.stderr


def test_a_library_that_is_not_there_is_named_with_its_package(
    server: _core.NfsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    reason = "no libnfs is installed"
    without = {
        **native.engines(),
        "libnfs": {**native.engines()["libnfs"], "available": False, "reason": reason},
    }
    monkeypatch.setattr(native, "engines", lambda: without)
    said = refused(ExitStatus.WORLD_FAILED, "io", server.url("/export/data"), *_SHORT)
    assert f"engine libnfs cannot run here: {reason}" in said
    assert "psync" not in said
