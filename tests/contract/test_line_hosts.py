"""A line from several hosts: agents are processes of this machine, each started by a launcher as ssh would start it."""

from __future__ import annotations

import json
import math
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents_here import Way
from command import PROGRAM, here, started
from losing_agents import losing
from plimsoll.base.errors import WorldError
from plimsoll.flows import hosts_together

AGENT = f"{shlex.quote(PROGRAM)} agent"
_PATIENCE_S = 60.0
_LIMIT_S = 10e-3
"""Of the objective that is asked for where none is named."""


def _line(*words: str | Path, launcher: str = "env HOST={host}") -> tuple[int, Any, str]:
    """Status, data and what was said to people of `line` over hosts."""
    return _by(Way(("--launcher", launcher, "--agent", AGENT), int), *words)


def _by(way: Way, *words: str | Path) -> tuple[int, Any, str]:
    """The same by that way."""
    done = here("line", *words, *way.words, "--json")
    return done.returncode, json.loads(done.stdout).get("data"), done.stderr + done.stdout


def _theory(mean_s: float) -> float:
    """Of one server with exponential service times (Kleinrock, Queueing Systems, 1975, 3.2)."""
    return 1 / mean_s - math.log(100) / _LIMIT_S


def _changing(folder: Path, before: str, after: str) -> str:
    """A launcher that tells the agent of host b another word."""
    script = folder / "change"
    script.write_text(
        "import os, subprocess, sys\n"
        "agent = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)\n"
        "for line in sys.stdin.buffer:\n"
        f"    if os.environ['HOST'] == 'b': line = line.replace({before.encode()!r}, {after.encode()!r})\n"
        "    agent.stdin.write(line); agent.stdin.flush()\n"
        "agent.stdin.close()\n"
    )
    return f"env HOST={{host}} {shlex.quote(sys.executable)} {shlex.quote(str(script))}"


def _when(is_so: Callable[[], bool]) -> None:
    until_s = time.monotonic() + _PATIENCE_S
    while not is_so():
        assert time.monotonic() < until_s, "it never came"
        time.sleep(0.01)


def test_the_line_of_two_hosts_is_the_sum_of_theirs(way: Way) -> None:
    status, data, _ = _by(way, "sim:mean=100us", "--hosts", "a,b", "--seed", "3")
    assert status == 0
    assert data["line_iops"] == pytest.approx(2 * _theory(100e-6), rel=0.05)
    assert data["limiting_host"] is None, "of equal hosts none is slow"
    assert [host["name"] for host in data["hosts"]] == ["a", "b"]
    for host in data["hosts"]:
        assert host["latency_us"]["p99"] <= 1.5 * _LIMIT_S * 1e6
        assert host["lost_because"] is None
    again = _by(way, "sim:mean=100us", "--hosts", "a,b", "--seed", "3")[1]
    assert again["line_iops"] == data["line_iops"], "the same seeds draw the same I/Os"


def test_a_trial_is_that_of_all_hosts_and_has_each_of_them(way: Way) -> None:
    _, data, _ = _by(way, "sim:mean=100us", "--hosts", "a,b,c", "--trial", "2s", "--budget", "200s")
    for trial in data["trials"]:
        cell = trial["cell"]
        assert [part["name"] for part in cell["hosts"]] == ["a", "b", "c"]
        for figure in ("ios", "iops", "offered_ios", "errors"):
            assert cell[figure] == pytest.approx(sum(part[figure] for part in cell["hosts"]))
        assert cell["latency_us"]["count"] == sum(part["latency_us"]["count"] for part in cell["hosts"])
        assert cell["latency_us"]["max"] == max(part["latency_us"]["max"] for part in cell["hosts"])
        assert cell["arrivals"]["rate_per_s"] == pytest.approx(trial["rate"])


def test_a_slow_host_limits_the_line_and_is_named(tmp_path: Path) -> None:
    launcher = _changing(tmp_path, "sim:mean=100us", "sim:mean=200us")
    status, data, _ = _line("sim:mean=100us", "--hosts", "a,b,c,d", "--seed", "3", launcher=launcher)
    assert status == 0
    assert data["line_iops"] == pytest.approx(4 * _theory(200e-6), rel=0.05), "the others do not hide it"
    assert data["limiting_host"] == "b"
    assert [
        note["message"].partition(" is slower")[0] for note in data["notes"] if note["code"] == "slow-host"
    ] == ["b"]
    assert {trial["limiting_host"] for trial in data["trials"] if trial["held"] is False} == {"b"}


def test_the_answer_names_hosts_and_the_slow_one(tmp_path: Path) -> None:
    launcher = _changing(tmp_path, "sim:mean=100us", "sim:mean=200us")
    words = ("sim:mean=100us", "--hosts", "a,b", "--launcher", launcher, "--agent", AGENT)
    done = here("line", *words)
    assert "Each of 2 hosts got an equal part of the rate" in done.stdout
    assert "late / allowed" in done.stdout
    listed = here("store", "list")
    assert "on 2 hosts, limited by b" in listed.stdout


@pytest.mark.parametrize("writes", [False, True])
def test_a_host_that_is_lost_ends_the_search_and_keeps_its_trials(
    way: Way, tmp_path: Path, writes: bool
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    client = started(
        "line", folder, "--size", "64m", "--hosts", "a,b", "--engine", "psync", "--slo", "p99=5s", "--trial", "1s",
        *(("--rw", "randwrite") if writes else ()),
        *way.words, "--json", "--events", "-",
    )  # fmt: skip
    assert client.stderr is not None
    next(line for line in client.stderr if "held" in line or "missed" in line)
    os.kill(way.agent("b"), signal.SIGKILL)
    out, _ = client.communicate(timeout=_PATIENCE_S)
    data = json.loads(out)["data"]
    assert client.returncode == 5, data["reason"]
    assert data["outcome"] == "host_lost"
    assert data["trials"], "what was measured is kept"
    assert "b was lost: its agent ended without its result" in data["reason"]
    assert [host["lost_because"] is None for host in data["hosts"]] == [True, False]
    left = {entry.name for entry in folder.iterdir()}
    assert left <= {Path(data["hosts"][1]["target"]["path"]).name}, "the other one took its file back"


def test_a_search_that_is_interrupted_keeps_its_trials_and_leaves_no_file(way: Way, tmp_path: Path) -> None:
    client = started(
        "line", tmp_path, "--size", "64m", "--hosts", "a,b", "--engine", "psync", "--slo", "p99=5s", "--trial", "1s",
        *way.words, "--json", "--events", "-",
    )  # fmt: skip
    assert client.stderr is not None
    next(line for line in client.stderr if "held" in line or "missed" in line)
    client.send_signal(signal.SIGINT)
    out, _ = client.communicate(timeout=_PATIENCE_S)
    data = json.loads(out)["data"]
    assert client.returncode == 130
    assert data["outcome"] == "interrupted"
    assert data["trials"]
    assert list(tmp_path.iterdir()) == []
    assert "host-remark" not in {note["code"] for note in data["notes"]}, "and that is known"


def test_hosts_with_one_folder_see_one_storage(tmp_path: Path) -> None:
    words = ("--size", "64m", "--engine", "psync", "--slo", "p99=5s", "--trial", "1s", "--budget", "5s")
    status, data, said = _line(tmp_path, "--hosts", "a,b", *words)
    assert status in (0, 1), said
    assert data["one_storage"] is True
    assert data["start_spread_us"] >= 0
    assert any(note["code"] == "one-machine" for note in data["notes"])
    assert list(tmp_path.iterdir()) == [], "scratch files are gone"


@pytest.mark.parametrize(
    "words",
    [
        ("--hosts", "a,b", "--prefill"),
        ("--hosts", "a,b", "--beside", "backup=10m"),
        ("--hosts", "a,b", "--while-in-use"),
        ("--launcher", "ssh {host}"),
        ("--own-storage",),
    ],
)
def test_options_without_an_effect_are_refused(words: tuple[str, ...]) -> None:
    done = here("line", "sim:", *words)
    assert done.returncode == 2
    assert "would have no effect" in done.stderr, done.stderr


def test_folders_that_are_not_one_make_the_line_invalid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts_together, "each_sees_all", lambda seen: False)
    words = ("--size", "64m", "--engine", "psync", "--slo", "p99=5s", "--trial", "1s", "--budget", "5s")
    status, data, _ = _line(tmp_path, "--hosts", "a,b", *words)
    assert status == 1
    assert [check["name"] for check in data["checks"] if check["name"] == "one_storage"] == ["one_storage"]
    _, data, _ = _line(tmp_path, "--hosts", "a,b", "--own-storage", *words)
    assert "one_storage" not in [check["name"] for check in data["checks"]]


def test_the_first_look_at_a_log_has_one_write_in_flight_on_each_host() -> None:
    words = ("--rw", "log-write", "--seed", "3", "--trial", "1s", "--budget", "100s")
    _, data, _ = _line("sim:mean=100us,servers=4", "--hosts", "a,b", *words)
    assert data["trials"][0]["rate"] == pytest.approx(0.25 * 2 * 10_000, rel=0.1), (
        "a quarter of what it found"
    )


@pytest.mark.parametrize("begins", [1, 2], ids=["first look", "first trial"])
def test_a_host_that_is_lost_before_a_trial_has_ended_ends_the_search_alike(
    tmp_path: Path, begins: int
) -> None:
    folder, page = tmp_path / "shared", tmp_path / "page.html"
    folder.mkdir()
    words = ("--size", "16m", "--engine", "psync", "--slo", "p99=5s", "--trial", "1s")
    launcher = losing(tmp_path, "b", "begin", begins)
    status, data, _ = _line(folder, "--hosts", "a,b", *words, launcher=launcher)
    assert status == 5, data
    assert (data["outcome"], data["trials"]) == ("host_lost", [])
    assert "a host was lost before a trial had ended" in data["reason"]
    assert [host["lost_because"] is None for host in data["hosts"]] == [True, False]
    lost = data["hosts"][1]["target"]["path"]
    assert any(note["code"] == "host-lost" and lost in note["message"] for note in data["notes"]), "its file"
    assert [str(entry) for entry in folder.iterdir()] == [lost], "the other one took its file back"
    here("report", data["run"], "-o", page)
    assert "b was lost" in page.read_text()


@pytest.mark.parametrize("begins", [1, 3], ids=["first look", "second trial"])
def test_a_host_that_is_lost_while_the_user_ends_the_search_leaves_it_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begins: int
) -> None:
    """The user's wish comes while the loss is on its way: neither is told of before the trial is over."""
    measure = hosts_together.HostsTogether.measure

    def ended(self: hosts_together.HostsTogether, *words: Any) -> Any:
        try:
            return measure(self, *words)
        except WorldError:
            self.ctx.cancel.set()
            raise

    monkeypatch.setattr(hosts_together.HostsTogether, "measure", ended)
    launcher = losing(tmp_path, "b", "begin", begins)
    words = ("--hosts", "a,b", "--trial", "1s", "--seed", "3")
    status, data, _ = _line("sim:mean=100us", *words, launcher=launcher)
    assert (status, data["outcome"]) == (130, "interrupted"), data
    assert len(data["trials"]) == max(0, begins - 2)
    assert any(note["code"] == "host-lost" for note in data["notes"]), "it is told beside"
