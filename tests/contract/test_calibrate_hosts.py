"""The matrix of small and large loads from several hosts: agents are processes of this machine."""

from __future__ import annotations

import json
import os
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents_here import Way
from command import PROGRAM, here, started
from losing_agents import losing
from plimsoll import _core

AGENT = ("--agent", f"{shlex.quote(PROGRAM)} agent")
LAUNCHER = ("--launcher", "env HOST={host}")
_PATIENCE_S = 60.0


def _calibrate(*words: str | Path) -> tuple[int, Any, str]:
    return _by(Way((*LAUNCHER, *AGENT), int), *words)


def _by(way: Way, *words: str | Path) -> tuple[int, Any, str]:
    """The same by that way."""
    done = here("calibrate", *words, *way.words, "--json")
    return done.returncode, json.loads(done.stdout)["data"], done.stderr


@pytest.fixture
def server() -> Iterator[_core.NfsServer]:
    served = _core.serve_nfs()
    yield served
    served.stop()


def test_rates_are_sums_and_loads_those_of_each_host(way: Way) -> None:
    words = (
        "--matrix",
        "point",
        "--shape",
        "custom",
        "--small-depth",
        "2",
        "--large-depth",
        "1",
        "--runtime",
        "2s",
    )
    status, data, _ = _by(way, "sim:mean=100us,servers=8", "--hosts", "a,b,c", *words)
    assert status == 0
    (point,) = data["cells"]
    assert (point["small_depth"], point["large_depth"]) == (2, 1)
    assert point["small_iops"] == pytest.approx(3 * 20_000, rel=0.05)
    assert data["hosts"] == ["a", "b", "c"]
    assert data["max_small_iops"] == point["small_iops"]


def test_the_knee_of_two_hosts_is_that_of_each_with_twice_the_rate() -> None:
    one = _calibrate("sim:mean=100us,servers=4", "--hosts", "a", "--runtime", "500ms", "--seed", "2")[1]
    two = _calibrate("sim:mean=100us,servers=4", "--hosts", "a,b", "--runtime", "500ms", "--seed", "2")[1]
    assert two["max_small_iops"] == pytest.approx(2 * one["max_small_iops"], rel=0.05)
    assert abs(two["knee"]["small_depth"] - one["knee"]["small_depth"]) <= 2


def test_streams_that_read_and_write_have_parts_of_each_host_s_own_file(server: _core.NfsServer) -> None:
    words = (
        "--matrix",
        "point",
        "--shape",
        "custom",
        "--small-depth",
        "0",
        "--large-depth",
        "4",
        "--write-share",
        "0.5",
    )
    status, data, said = _calibrate(
        server.url("/export"), "--hosts", "a,b", *words, "--size", "64m", "--runtime", "300ms", "--large-pattern", "sequential",
        "--cache-size", "8m",
    )  # fmt: skip
    assert status in (0, 1), said
    assert data["cells"][0]["large_mb_per_s"] > 0
    assert server.names() == [], "files are removed"


def test_what_it_means_is_said(tmp_path: Path) -> None:
    words = (
        "--matrix",
        "point",
        "--shape",
        "custom",
        "--small-depth",
        "1",
        "--large-depth",
        "0",
        "--runtime",
        "200ms",
    )
    done = here("calibrate", "sim:mean=100us", "--hosts", "a,b", *words, *LAUNCHER, *AGENT)
    assert done.returncode == 0, done.stderr
    assert "2 hosts measured at the same time: what is outstanding is that of each of them" in done.stdout


def test_a_host_that_is_lost_leaves_the_points_until_then(way: Way, server: _core.NfsServer) -> None:
    client = started(
        "calibrate", server.url("/export"), "--hosts", "a,b", "--shape", "oltp", "--size", "64m", "--runtime", "1s",
        *way.words, "--json", "--events", "-",
    )  # fmt: skip
    assert client.stderr is not None
    next(line for line in client.stderr if "1 small: " in line)
    os.kill(way.agent("b"), signal.SIGKILL)
    out, _ = client.communicate(timeout=_PATIENCE_S)
    document = json.loads(out)
    assert client.returncode == 5
    assert document["data"]["cells"]
    assert {note["code"] for note in document["warnings"]} >= {"host-lost", "point-failed"}


@pytest.mark.parametrize(
    "words", [("--ladder",), ("--like", "calibrate-io"), ("--check", "cache"), ("--links", "2x8gfc")]
)
def test_what_is_for_one_host_is_refused(words: tuple[str, ...]) -> None:
    done = here("calibrate", "sim:", "--hosts", "a,b", *words, "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (2, "option-idle")


def test_several_hosts_measure_one_target() -> None:
    done = here("calibrate", "sim:mean=1ms", "sim:mean=1ms", "--hosts", "a,b", *LAUNCHER, *AGENT, "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (2, "calibrate-unfit")
    done = here("calibrate", "sim:", "--own-storage", "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (2, "option-idle")


def test_a_host_that_is_lost_at_the_first_point_is_one_that_was_lost(tmp_path: Path) -> None:
    launcher = losing(tmp_path, "b", "begin")
    words = ("--hosts", "a,b", "--shape", "oltp", "--runtime", "200ms", "--launcher", launcher, *AGENT)
    done = here("calibrate", "sim:mean=100us", *words, "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 5, done.stderr
    assert document["data"]["cells"] == []
    assert {note["code"] for note in document["warnings"]} >= {"host-lost", "point-failed"}
