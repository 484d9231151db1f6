"""Several hosts over real ssh: two addresses of the loopback, each reached by a login with a key of the test's own."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from command import PROGRAM, here, started
from ssh_server import free_port, ssh_server

HOSTS = {"db1": "127.0.0.1", "db2": "127.0.0.2"}
_PATIENCE_S = 60.0


@pytest.fixture
def launcher(tmp_path: Path) -> Iterator[str]:
    """The words of ssh with a configuration that knows both hosts, while a server answers for them."""
    with ssh_server(tmp_path / "ssh", HOSTS, free_port()) as words:
        yield words


def _words(folder: Path, launcher: str, *more: str) -> tuple[str | Path, ...]:
    there = ("--hosts", ",".join(HOSTS), "--launcher", launcher, "--agent", f"{shlex.quote(PROGRAM)} agent")
    return (folder, *there, "--size", "64m", "--depth", "1", "--engine", "psync", *more, "--json")


def test_two_logins_measure_together_and_leave_nothing(tmp_path: Path, launcher: str) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    done = here("io", *_words(folder, launcher, "--runtime", "1s"))
    assert done.returncode in (0, 1), done.stderr
    data = json.loads(done.stdout)["data"]
    assert [one["lost_because"] for one in data["hosts"]] == [None, None]
    assert data["one_storage"] is True
    for one in data["hosts"]:
        assert abs(one["clock_offset_us"]) <= one["clock_error_us"], "there is one clock"
        assert one["begun_late_us"] >= 0
    assert list(folder.iterdir()) == []


def test_a_login_that_is_ended_loses_its_host_alone(tmp_path: Path, launcher: str) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    client = started("io", *_words(folder, launcher, "--runtime", "8s", "--events", "-"))
    assert client.stderr is not None
    next(line for line in client.stderr if '"kind":"live"' in line)
    links = [
        int(pid) for pid in subprocess.check_output(["pgrep", "-P", str(client.pid), "-f", "db2"]).split()
    ]
    assert len(links) == 1
    os.kill(links[0], signal.SIGKILL)
    out, _ = client.communicate(timeout=_PATIENCE_S)
    whole, lost = json.loads(out)["data"]["hosts"]
    assert client.returncode == 5
    assert whole["lost_because"] is None
    assert lost["lost_because"].startswith("db2 was lost")
    assert lost["windows"]
    until_s = time.monotonic() + _PATIENCE_S
    while any(folder.iterdir()):
        assert time.monotonic() < until_s, "the agent behind the login took its file along"
        time.sleep(0.05)
