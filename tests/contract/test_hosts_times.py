"""Hosts that are not at work as they were to be: what is told of the time in which each was."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from command import PROGRAM, here

WORDS = ("--hosts", "a,b", "--size", "64m", "--warm-up", "0", "--depth", "1", "--engine", "psync")
_HELD_UP = """
import os, signal, subprocess, sys, threading, time
agent = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
for line in sys.stdin.buffer:
    agent.stdin.write(line)
    agent.stdin.flush()
    if b'"say":"begin"' in line and os.environ["HOST"] == "b":
        time.sleep(0.3)
        agent.send_signal(signal.SIGSTOP)
        threading.Timer(2.5, agent.send_signal, (signal.SIGCONT,)).start()
agent.stdin.close()
sys.exit(agent.wait())
"""
_STRANGE = """
import os, subprocess, sys
agent = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
for line in agent.stdout:
    sys.stdout.buffer.write(line)
    if b'"say":"slice"' in line and os.environ["HOST"] == "b":
        sys.stdout.buffer.write(b'{"say":"wall"}' + bytes([10]))
    sys.stdout.buffer.flush()
sys.exit(agent.wait())
"""
_KILLED = """
import os, subprocess, sys
agent = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
left = {"a": 6, "b": 3}[os.environ["HOST"]]
for line in agent.stdout:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
    left -= b'"say":"slice"' in line
    if left == 0:
        agent.kill()
agent.wait()
"""


def _io(folder: Path, script: str, *words: str) -> tuple[int, Any]:
    """Status and data of a run whose agents are started by that program."""
    launcher = folder / "launcher"
    launcher.write_text(script)
    done = here(
        "io", folder, *WORDS, *words, "--agent", f"{shlex.quote(PROGRAM)} agent", "--json",
        "--launcher", f"env HOST={{host}} {shlex.quote(sys.executable)} {shlex.quote(str(launcher))}",
    )  # fmt: skip
    return done.returncode, json.loads(done.stdout)["data"]


def _checks(data: Any) -> dict[str, Any]:
    return {check["name"]: check for check in data["checks"]}


def test_a_host_that_was_ready_and_is_held_up_shortens_the_time_in_common(tmp_path: Path) -> None:
    """It began late, and all were said to have measured together all the time."""
    status, data = _io(tmp_path, _HELD_UP, "--runtime", "3s")
    late_s = data["hosts"][1]["begun_late_us"] / 1e6
    assert late_s > 1
    assert data["steady_s"] == pytest.approx(3 - late_s, abs=0.2)
    assert _checks(data)["together"]["passed"] is False
    assert status == 1


def test_what_a_host_says_after_it_was_given_up_tells_nothing_of_its_time(tmp_path: Path) -> None:
    """It was said to have been there to the end, and its rate spread over all of that."""
    status, data = _io(tmp_path, _STRANGE, "--runtime", "4s")
    assert status == 5
    assert "said something that cannot be understood" in data["hosts"][1]["lost_because"]
    assert data["complete_s"] < 2
    assert _checks(data)["together"]["passed"] is False


def test_hosts_that_are_all_lost_did_what_they_had_told(tmp_path: Path) -> None:
    """The answer was that they had no time in common, above how much that was."""
    status, data = _io(tmp_path, _KILLED, "--runtime", "9s")
    assert status == 5
    assert data["iops"] is None
    assert data["complete_s"] > 0
    at_work = _checks(data)["at_work"]
    assert (at_work["passed"], at_work["reason"]) == (None, "no host was there to the end")
    told = here("store", "show", "latest").stdout
    assert "no measured time in common" not in told
    assert "were there they did" in told
