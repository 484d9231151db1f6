"""Four hosts in a network of their own, each reached by a login over its own link: how closely they begin and end
together, and what is left of them where a link is cut or the client dies.

It takes root and is run when it is named: `.venv/bin/pytest -m system tests/system/test_hosts_namespaces.py`.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bare_starts import bare_start_spread_us
from command import PROGRAM, command
from shaped_links import Links, links
from ssh_server import PORT_OF_NAMESPACE, ssh_server

pytestmark = [pytest.mark.system, pytest.mark.timeout(900)]
HOSTS = ("db1", "db2", "db3", "db4")
ROUNDS = 20
START_SPREAD_US, END_SPREAD_US = 1000.0, 20_000.0
SILENCE_S = 15.0
_PATIENCE_S = 60.0


class Site:
    """Client and hosts, as the client reaches them."""

    def __init__(self, made: Links, launcher: str, folder: Path) -> None:
        self.made, self.folder = made, folder
        self._launcher, self._store = launcher, folder.with_name("store.sqlite")
        self.folder.mkdir()

    def start(self, *words: str | Path) -> subprocess.Popen[str]:
        there = (
            "--hosts",
            ",".join(HOSTS),
            "--launcher",
            self._launcher,
            "--agent",
            f"{shlex.quote(PROGRAM)} agent",
        )
        shape = ("--size", "64m", "--depth", "1", "--engine", "psync", "--warm-up", "0", *words)
        return subprocess.Popen(
            [*self.made.at_client, *command("io", self.folder, *there, *shape, "--json", "--events", "-")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PLIMSOLL_STORE": str(self._store)},
        )  # fmt: skip

    def measured(self, *words: str | Path) -> Any:
        with self.start(*words) as client:
            out, err = client.communicate(timeout=_PATIENCE_S)
        assert client.returncode in (0, 1), err
        return json.loads(out)["data"]

    def agents(self) -> list[int]:
        """Processes that work in the folder, on any host: they name it on no command line, and have its files open."""
        own = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and _has_open(entry, self.folder):
                own.append(int(entry.name))
        return own


def _has_open(process: Path, folder: Path) -> bool:
    try:
        return any(os.readlink(fd).startswith(f"{folder}/") for fd in (process / "fd").iterdir())
    except OSError:
        return False


def _when(is_so: Callable[[], bool], within_s: float = _PATIENCE_S) -> float:
    began_s = time.monotonic()
    while not is_so():
        assert time.monotonic() < began_s + within_s, "it never came"
        time.sleep(0.02)
    return time.monotonic() - began_s


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Links, str]]:
    with links(len(HOSTS)) as between:
        addresses: dict[str, str] = dict(zip(HOSTS, between.addresses, strict=True))
        folder = tmp_path_factory.mktemp("login") / "ssh"
        with ssh_server(folder, addresses, PORT_OF_NAMESPACE, between.at_server) as launcher:
            yield between, launcher


@pytest.fixture
def site(made: tuple[Links, str], tmp_path: Path) -> Site:
    return Site(*made, tmp_path / "shared")


def test_four_hosts_begin_and_end_together(site: Site) -> None:
    bare: list[float] = []
    runs: list[Any] = []
    for _ in range(ROUNDS):
        bare.append(bare_start_spread_us(len(HOSTS)))
        runs.append(site.measured("--runtime", "1s"))
    starts, ends = (sorted(one[name] for one in runs) for name in ("start_spread_us", "end_spread_us"))
    alone_us = statistics.median(bare)
    print(
        f"start {statistics.median(starts):.0f} us, most {starts[-1]:.0f}; end {statistics.median(ends):.0f}, {ends[-1]:.0f};"
        f" bare processes {alone_us:.0f}, most {max(bare):.0f}"
    )
    for one in runs:
        for host in one["hosts"]:
            assert abs(host["clock_offset_us"]) <= host["clock_error_us"], "there is one clock"
    assert list(site.folder.iterdir()) == []
    assert site.agents() == []
    if statistics.median(starts) > START_SPREAD_US < alone_us:
        pytest.skip(f"the machine is too busy: processes that do nothing else begin {alone_us:.0f} us apart")
    assert statistics.median(starts) <= START_SPREAD_US
    assert statistics.median(ends) <= END_SPREAD_US


def test_a_link_that_is_cut_loses_its_host_within_the_silence(site: Site) -> None:
    with site.start("--runtime", "40s") as client:
        assert client.stderr is not None
        lives = (line for line in client.stderr if '"kind":"live"' in line)
        next(lives)
        try:
            site.made.cut(1, "client")
            cut_s = time.monotonic()
            assert any("db2 was lost" in line for line in client.stderr), "it is told when it happens"
            print(f"told after {time.monotonic() - cut_s:.1f} s")
            assert time.monotonic() - cut_s < SILENCE_S + 5
            client.send_signal(signal.SIGINT)
            out, _ = client.communicate(timeout=_PATIENCE_S)
            # The agent behind the cut hears nothing either, and ends by itself.
            _when(lambda: not site.agents())
        finally:
            site.made.mend(1, "client")
    data = json.loads(out)["data"]
    assert [one["host"] for one in data["hosts"] if one["lost_because"]] == ["db2"]
    assert client.returncode in (5, 130)
    assert list(site.folder.iterdir()) == []


def test_nothing_is_left_on_any_host_of_a_client_that_is_killed(site: Site) -> None:
    with site.start("--runtime", "40s") as client:
        assert client.stderr is not None
        next(line for line in client.stderr if '"kind":"live"' in line)
        assert len(site.agents()) >= len(HOSTS)
        client.kill()
    print(f"gone after {_when(lambda: not site.agents()):.2f} s")
    _when(lambda: not list(site.folder.iterdir()))
