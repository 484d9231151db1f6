"""Each way in which a host is lost, against a clock: it ends as it is said within two seconds, a silent link after fifteen, and
nothing of it is left: no process and no file.

Hosts are processes of this machine, started by a script that stands for the way there. It is run when it is named, and some of it
takes root: `.venv/bin/pytest -m system tests/system/test_hosts_losses.py`.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agents_here import AGENT, PATIENCE_S, agent_of, when
from command import here, started
from plimsoll.cluster.limits import AGENT_SILENCE_S

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

ENDS_WITHIN_S = 2.0
_GREETING = '{"say":"hello","plimsoll_agent":1,"plimsoll":"0.0.1"}'
_RELAY = """import os, signal, subprocess, sys, threading
goes_on = True
def halt(*_):
    global goes_on
    goes_on = False
signal.signal(signal.SIGUSR1, halt)
agent = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
open('agent.pid', 'w').write(str(agent.pid))
def there():
    for line in sys.stdin.buffer:
        if goes_on:
            agent.stdin.write(line); agent.stdin.flush()
threading.Thread(target=there, daemon=True).start()
for line in agent.stdout:
    if goes_on:
        sys.stdout.buffer.write(line); sys.stdout.flush()
agent.wait()
open('agent.ended', 'w').close()
signal.pause()
"""
"""A way there that carries nothing any more from a signal on, and does not end."""


class Way:
    """The script that starts agents, with what it does on host b before, and notes of when it did."""

    def __init__(self, folder: Path) -> None:
        self.notes, self.shared = folder / "notes", folder / "shared"
        for made in (self.notes, self.shared):
            made.mkdir()

    def words(self, on_b: str = "") -> tuple[str, ...]:
        script = self.notes / "way"
        script.write_text(
            f"host=$1; shift; cd {shlex.quote(str(self.notes))}; echo $$ >$host.new; mv $host.new $host.pid\n"
            f'if [ $host = b ]; then :; {on_b}\nfi\nexec "$@"\n'
        )
        return ("--hosts", "a,b", "--launcher", f"sh {shlex.quote(str(script))} {{host}}", "--agent", AGENT)

    def io(self, *words: str | Path, on_b: str = "") -> subprocess.Popen[str]:
        shape = ("--size", "64m", "--depth", "1", "--engine", "psync", "--warm-up", "0")
        return started("io", self.shared, *self.words(on_b), *shape, *words, "--json", "--events", "-")

    def noted_s(self) -> float:
        """When it happened, on the clock of the machine."""
        return float((self.notes / "when").read_text())

    def agent(self, host: str) -> int:
        return agent_of(self.notes, host)

    def check_clean(self, *left: str) -> None:
        """No process of any host is there, and no file but those."""
        for host in ("a", "b"):
            assert _is_gone(self.agent(host)), f"the agent of {host} is at work"
        assert [entry.name for entry in self.shared.iterdir()] == list(left)


@pytest.fixture
def way(tmp_path: Path) -> Way:
    return Way(tmp_path)


@pytest.fixture
def mounts() -> None:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("mounts of one host alone are for root, by unshare (package util-linux)")


def _is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _told(client: subprocess.Popen[str], words: str) -> str:
    assert client.stderr is not None
    return next(line for line in client.stderr if words in line)


def _ended(client: subprocess.Popen[str]) -> tuple[Any, float]:
    """What it said, and when it had ended."""
    out, _ = client.communicate(timeout=PATIENCE_S)
    return json.loads(out)["data"], time.time()


_NOTE = "sleep 2; date +%s.%N >when"


@pytest.mark.parametrize(
    ("on_b", "id", "status"),
    [
        (f"{_NOTE}; echo ssh: connect to host b port 22: No route to host >&2; exit 255", "host-unreachable", 4),
        (f"{_NOTE}; echo sh: plimsoll: not found >&2; exit 127", "host-without-plimsoll", 4),
        (f"{_NOTE}; echo '{_GREETING}'; exec cat >/dev/null", "host-version", 2),
        (f"{_NOTE}; kill -KILL $$", "host-unreachable", 4),
    ],
)  # fmt: skip
def test_a_host_that_cannot_take_part_ends_the_whole(way: Way, on_b: str, id: str, status: int) -> None:
    client = way.io("--runtime", "60s", on_b=on_b)
    said, ended_s = _ended(client)
    print(f"{id}: ended after {ended_s - way.noted_s():.2f} s")
    assert (client.returncode, said["id"]) == (status, id)
    assert said["message"].split()[0] == "b" or " b" in said["message"], "it is named"
    assert ended_s - way.noted_s() <= ENDS_WITHIN_S
    way.check_clean()


@pytest.mark.usefixtures("mounts")
def test_a_host_without_room_ends_the_whole(way: Way) -> None:
    mount = f"mount -t tmpfs -o size=16m none {shlex.quote(str(way.shared))}"
    inside = f"""'{mount} && {{ "$@"; date +%s.%N >when; }}' sh "$@"; exit"""
    client = way.io("--runtime", "60s", "--own-storage", on_b=f"unshare --mount sh -c {inside}")
    said, ended_s = _ended(client)
    assert (client.returncode, said["id"]) == (4, "disk-full"), said
    assert said["message"].startswith("b: ")
    print(f"ended {ended_s - way.noted_s():.2f} s after the agent that has no room")
    assert ended_s - way.noted_s() <= ENDS_WITHIN_S
    way.check_clean()


@pytest.mark.usefixtures("mounts")
def test_hosts_that_see_different_files_under_one_name_are_refused(way: Way, tmp_path: Path) -> None:
    target, other = tmp_path / "data", tmp_path / "other"
    for path in (target, other):
        path.write_bytes(os.urandom(64 << 20))
    bind = f"mount --bind {shlex.quote(str(other))} {shlex.quote(str(target))}"
    on_b = f"""exec unshare --mount sh -c '{bind} && exec "$@"' sh "$@" """
    client = started("io", target, *way.words(on_b), "--engine", "psync", "--runtime", "60s", "--json")
    said, _ = _ended(client)
    assert (client.returncode, said["id"]) == (2, "hosts-differ")
    assert "do not see the same thing" in said["message"]
    way.check_clean()
    assert target.stat().st_size == other.stat().st_size == 64 << 20


def test_a_host_that_is_named_twice_is_refused_before_any_is_reached(way: Way) -> None:
    done = here("io", way.shared, *way.words(), "--hosts", "b,a,b", "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (2, "hosts-twice")
    assert [entry.name for entry in way.notes.iterdir()] == ["way"]


def test_an_agent_that_is_killed_is_told_and_its_file_is_taken_back_by_the_next(way: Way) -> None:
    client = way.io("--runtime", "6s")
    _told(client, '"kind":"live"')
    os.kill(way.agent("b"), signal.SIGKILL)
    killed_s = time.time()
    _told(client, "b was lost")
    print(f"told after {time.time() - killed_s:.2f} s")
    assert time.time() - killed_s <= ENDS_WITHIN_S
    said, _ = _ended(client)
    assert client.returncode == 5
    lost = said["hosts"][1]
    assert lost["lost_because"].startswith("b was lost: its agent ended without its result")
    way.check_clean(Path(lost["target"]["path"]).name)
    again = way.io("--runtime", "300ms")
    _ended(again)
    assert again.returncode in (0, 1), "a busy machine may fail checks of noise"
    way.check_clean()


def test_agents_whose_client_is_killed_end(way: Way) -> None:
    client = way.io("--runtime", "60s")
    _told(client, '"kind":"live"')
    agents = [way.agent(host) for host in ("a", "b")]
    client.kill()
    killed_s = time.time()
    when(lambda: all(map(_is_gone, agents)) and not list(way.shared.iterdir()))
    print(f"gone after {time.time() - killed_s:.2f} s")
    assert time.time() - killed_s <= ENDS_WITHIN_S
    client.communicate(timeout=PATIENCE_S)
    way.check_clean()


def test_a_link_that_falls_silent_is_given_up_by_both_sides(way: Way) -> None:
    relay = way.notes / "relay"
    relay.write_text(_RELAY)
    client = way.io(
        "--runtime", "25s", on_b=f'exec {shlex.quote(sys.executable)} {shlex.quote(str(relay))} "$@"'
    )
    _told(client, '"kind":"live"')
    agent = int((way.notes / "agent.pid").read_text())
    os.kill(way.agent("b"), signal.SIGUSR1)
    silent_s = time.time()
    _told(client, "b was lost")
    told_s = time.time() - silent_s
    when((way.notes / "agent.ended").exists)
    gone_s = time.time() - silent_s
    print(f"told after {told_s:.2f} s, the agent behind it gone after {gone_s:.2f} s")
    # Either side had its last word up to a second before, and looks once a second.
    for found_s in (told_s, gone_s):
        assert AGENT_SILENCE_S - ENDS_WITHIN_S <= found_s <= AGENT_SILENCE_S + ENDS_WITHIN_S
    said, _ = _ended(client)
    assert client.returncode == 5
    assert "nothing was heard of it for 14 s" in said["hosts"][1]["lost_because"]
    assert said["hosts"][0]["lost_because"] is None
    assert _is_gone(agent)
    way.check_clean()
