"""One workload from several hosts: agents are processes of this machine, each started by a launcher as ssh would start it.

What takes a `way` holds as well of agents that workers of a Dask cluster start.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any

import pytest

from agents_here import PATIENCE_S, Way, is_gone, when
from command import PROGRAM, here, started
from losing_agents import losing
from plimsoll import __version__
from plimsoll.cluster import conduct
from plimsoll.supply.workloads import workload

AGENT = f"{shlex.quote(PROGRAM)} agent"


def _io(*words: str | Path, launcher: str = "env HOST={host}", agent: str = AGENT) -> tuple[int, Any, str]:
    """Status, data and what was said to people of `io` over hosts."""
    return _by(Way(("--launcher", launcher, "--agent", agent), int), *words)


def _by(way: Way, *words: str | Path) -> tuple[int, Any, str]:
    """The same by that way."""
    done = here("io", *words, *way.words, "--json")
    return done.returncode, json.loads(done.stdout).get("data"), done.stderr + done.stdout


def test_four_hosts_are_summed_up_in_the_time_that_they_have_in_common(way: Way) -> None:
    status, data, _ = _by(
        way, "sim:mean=100us", "--hosts", "a,b,c,d", "--depth", "1", "--runtime", "2s", "--seed", "3"
    )
    assert status == 0
    assert [one["host"] for one in data["hosts"]] == ["a", "b", "c", "d"]
    assert data["iops"] == pytest.approx(sum(one["iops"] for one in data["hosts"]))
    assert data["iops"] == pytest.approx(40_000, rel=0.05)
    assert data["latency_us"]["count"] == sum(one["latency_us"]["count"] for one in data["hosts"])
    assert {check["name"]: check["passed"] for check in data["checks"]} == {
        "together": True, "at_work": True, "stragglers": True, "clocks": True,
    }  # fmt: skip
    assert len({one["cell"]["seed"] for one in data["hosts"]}) == 4, "each draws offsets of its own"
    assert data["one_storage"] is None


def test_hosts_with_one_folder_begin_together_on_files_of_their_own(way: Way, tmp_path: Path) -> None:
    words = ("--size", "64m", "--runtime", "1s", "--warm-up", "0.1", "--depth", "2", "--engine", "psync")
    status, data, _ = _by(way, tmp_path, "--hosts", "a,b", *words, "--rw", "randwrite")
    assert status in (0, 1), "a busy machine may fail checks of noise"
    assert data["one_storage"] is True
    for one in data["hosts"]:
        assert one["begun_late_us"] >= 0, "nobody begins before the moment"
        assert one["clock_error_us"] >= abs(one["clock_offset_us"]), (
            "there is one clock, and the bound covers that"
        )
        assert sum(window["iops"] * window["duration_s"] for window in one["windows"]) == pytest.approx(
            one["cell"]["completed_ios"]
        )
    assert data["start_spread_us"] == pytest.approx(
        abs(data["hosts"][0]["begun_late_us"] - data["hosts"][1]["begun_late_us"]), abs=0.5
    )
    assert list(tmp_path.iterdir()) == [], "scratch files are gone"


def test_what_ends_after_the_measured_time_is_in_no_rate(way: Way) -> None:
    """Two devices of 50 I/Os per second each that took 100 a second were said to do 211."""
    words = ("--hosts", "a,b", "--rate", "200", "--runtime", "3s", "--warm-up", "0s", "--seed", "1")
    status, data, _ = _by(way, "sim:mean=20ms", *words)
    assert status == 1
    assert data["iops"] == pytest.approx(sum(one["cell"]["iops"] for one in data["hosts"]), rel=0.02)
    assert data["iops"] < 130


def test_a_rate_is_that_of_all_hosts_together(way: Way) -> None:
    _, data, _ = _by(
        way, "sim:mean=100us", "--hosts", "a,b", "--rate", "1000", "--runtime", "4s", "--arrivals", "uniform"
    )
    assert [one["cell"]["offered_ios"] for one in data["hosts"]] == [2000, 2000]


def test_one_file_is_read_by_all_and_written_by_none(way: Way, tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(os.urandom(64 << 20))
    words = ("--hosts", "a,b", "--runtime", "2s", "--warm-up", "0", "--no-direct")
    status, data, _ = _by(way, path, *words)
    assert status in (0, 1)
    assert data["one_storage"] is True
    here("io", tmp_path / "own", "--prefill", "--size", "64m", "--runtime", "100ms")
    status, _, said = _by(way, tmp_path / "own", *words, "--rw", "randwrite")
    assert status == 3
    assert "2 hosts would write to" in said


def test_a_host_that_is_killed_keeps_what_it_had_told(way: Way, tmp_path: Path) -> None:
    client = started(
        "io", tmp_path, "--size", "64m", "--hosts", "a,b", "--runtime", "40s", "--depth", "1", "--engine", "psync",
        *way.words, "--json", "--events", "-",
    )  # fmt: skip
    assert client.stderr is not None
    lives = (line for line in client.stderr if '"kind":"live"' in line)
    next(lives)
    os.kill(way.agent("b"), signal.SIGKILL)
    next(lives)
    client.send_signal(signal.SIGINT)
    out, _ = client.communicate(timeout=PATIENCE_S)
    data = json.loads(out)["data"]
    whole, lost = data["hosts"]
    assert client.returncode == 130
    assert whole["lost_because"] is None
    assert whole["clock_drift_us"] is not None, "it answers until the client parts"
    assert "its agent ended without its result" in lost["lost_because"]
    assert lost["windows"]
    assert lost["cell"] is None
    assert data["iops"] == pytest.approx(whole["iops"])
    assert data["complete_s"] < data["steady_s"]
    assert data["checks"][0]["reason"].startswith("both hosts measured at the same time for ")
    assert data["complete_iops"] > 0
    assert lost["iops"] > 0
    assert any(lost["target"]["path"] in note["message"] for note in data["notes"]), (
        "its file is left, and told"
    )
    assert {entry.name for entry in tmp_path.iterdir()} <= {Path(lost["target"]["path"]).name}


def test_without_its_client_an_agent_ends(way: Way, tmp_path: Path) -> None:
    client = started(
        "io", tmp_path, "--size", "64m", "--hosts", "a,b", "--runtime", "60s", "--depth", "1", "--engine", "psync",
        *way.words, "--json", "--events", "-",
    )  # fmt: skip
    assert client.stderr is not None
    next(line for line in client.stderr if '"kind":"live"' in line)
    agents = [way.agent(host) for host in ("a", "b")]
    client.kill()
    client.communicate(timeout=PATIENCE_S)
    when(lambda: all(map(is_gone, agents)))
    assert list(tmp_path.iterdir()) == [], "they took their files back"


def test_ctrl_c_after_all_was_measured_interrupts_nothing(tmp_path: Path) -> None:
    """The word that b is done is held back until the client has told it to stop."""
    late = tmp_path / "late"
    late.write_text(
        "import os, signal, subprocess, sys, threading\n"
        "agent = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "stopped = threading.Event()\n"
        "def pass_on():\n"
        "    for line in sys.stdin.buffer:\n"
        "        agent.stdin.write(line); agent.stdin.flush()\n"
        '        if b\'"say":"stop"\' in line: stopped.set()\n'
        "    agent.stdin.close()\n"
        "threading.Thread(target=pass_on, daemon=True).start()\n"
        "for line in agent.stdout:\n"
        "    if b'\"say\":\"done\"' in line and os.environ['HOST'] == 'b':\n"
        "        os.kill(os.getppid(), signal.SIGINT); stopped.wait()\n"
        "    sys.stdout.buffer.write(line); sys.stdout.buffer.flush()\n"
        "os._exit(agent.wait())\n"
    )
    launcher = f"env HOST={{host}} {shlex.quote(sys.executable)} {shlex.quote(str(late))}"
    client = started(
        "io", tmp_path, "--size", "64m", "--hosts", "a,b", "--runtime", "2s", "--warm-up", "0", "--engine", "psync",
        "--launcher", launcher, "--agent", AGENT, "--json",
    )  # fmt: skip
    out, _ = client.communicate(timeout=PATIENCE_S)
    data = json.loads(out)["data"]
    assert client.returncode in (0, 1), "its answer"
    assert data["interrupted"] is False
    assert [part["cell"]["ended_early"] for part in data["hosts"]] == ["", ""]


def test_a_link_that_says_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conduct, "AGENT_SILENCE_S", 3.0)
    halt = tmp_path / "halt"
    halt.write_text(
        "import os, signal, subprocess, sys\n"
        "agent = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)\n"
        "for line in agent.stdout:\n"
        "    sys.stdout.buffer.write(line); sys.stdout.flush()\n"
        "    if b'\"say\":\"slice\"' in line and os.environ['HOST'] == 'b':\n"
        "        agent.send_signal(signal.SIGSTOP)\n"
        "        try: sys.stdin.read()\n"
        "        finally: agent.kill()\n"
    )
    launcher = f"env HOST={{host}} {shlex.quote(sys.executable)} {shlex.quote(str(halt))}"
    words = ("--hosts", "a,b", "--size", "64m", "--runtime", "6s", "--depth", "1", "--engine", "psync")
    status, data, _ = _io(tmp_path, *words, launcher=launcher)
    assert status == 5
    assert "nothing was heard of it for 3 s" in data["hosts"][1]["lost_because"]
    assert data["hosts"][0]["lost_because"] is None
    assert "b was lost" in json.dumps(data["notes"])


@pytest.mark.parametrize(
    ("agent", "id", "status"),
    [
        ("/nowhere/plimsoll agent", "host-without-plimsoll", 4),
        ("sh -c 'echo no route to host >&2; exit 255'", "host-unreachable", 4),
        ("sh -c 'exit 3'", "host-unreachable", 4),
        ("""printf '{"say":"hello","plimsoll_agent":2,"plimsoll":"0.0.1"}\\n'""", "host-version", 2),
        (
            f"""printf '{{"say":"hello","plimsoll_agent":2,"plimsoll":"{__version__}"}}\\n'""",
            "host-version",
            2,
        ),
        ("""printf '{"say":"hello","plimsoll_agent":2,\\n'""", "host-unreachable", 4),
        ("yes", "host-unreachable", 4),
    ],
)
def test_hosts_that_cannot_take_part_are_told_before_anything_is_measured(
    agent: str, id: str, status: int
) -> None:
    done = here("io", "sim:", "--hosts", "a,b", "--launcher", "env HOST={host}", "--agent", agent, "--json")
    assert done.returncode == status
    assert json.loads(done.stdout)["data"]["id"] == id


def test_another_build_of_the_same_release_is_told_as_such() -> None:
    agent = f"""printf '{{"say":"hello","plimsoll_agent":2,"plimsoll":"{__version__}"}}\\n'"""
    _, data, _ = _io("sim:", "--hosts", "a", agent=agent)
    assert data["id"] == "host-version"
    assert data["message"].startswith(
        f"a has another build of plimsoll {__version__}, which talks otherwise: 2, and this "
    )


def test_an_agent_that_does_not_greet_is_waited_for_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conduct, "AGENT_GREETING_S", 1.5)
    done = here(
        "io", "sim:", "--hosts", "a,b", "--launcher", "env HOST={host}", "--agent", "sleep 100", "--events", "-"
    )  # fmt: skip
    assert done.returncode == 4
    assert "0 of 2 agents there; waiting for a, b" in done.stderr
    assert "nothing was heard of it for 1.5 s" in done.stderr
    assert (
        "Start its agent by hand, which greets with a line of JSON and ends: env HOST=a sleep 100 </dev/null"
        in done.stderr
    )


@pytest.mark.parametrize("hosts", ["a,,b", "a,", "a;id,b"])
def test_names_that_are_none_are_refused(way: Way, hosts: str) -> None:
    status, _, said = _by(way, "sim:", "--hosts", hosts)
    assert status == 2
    assert "host-name" in said


def test_one_host_is_one(way: Way) -> None:
    status, data, _ = _by(way, "sim:mean=100us", "--hosts", "a", "--runtime", "2s")
    assert status == 0
    assert [check["reason"] for check in data["checks"]][:3] == [
        "the host measured for 2 s of 2 s",
        "each host was at work all the time",
        "with 1 host nobody can tell which one is odd; it takes 4",
    ]
    assert "one_storage" not in [check["name"] for check in data["checks"]]


def test_an_agent_without_a_client_says_so() -> None:
    with Popen([PROGRAM, "agent"], stdin=DEVNULL, stdout=PIPE, stderr=PIPE, text=True) as agent:
        _, said = agent.communicate(timeout=PATIENCE_S)
    assert agent.returncode == 4
    assert "before it said what to measure" in said, "client-gone"


def test_an_agent_that_is_ended_asks_nobody_whether_to_end_at_once() -> None:
    with Popen([PROGRAM, "agent"], stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True) as agent:
        assert agent.stdout is not None
        assert "plimsoll_agent" in agent.stdout.readline()
        agent.send_signal(signal.SIGTERM)
        _, said = agent.communicate(timeout=PATIENCE_S)
    assert "once more to end at once" not in said


def test_one_file_that_agents_of_one_machine_would_write_to_is_refused_as_such(tmp_path: Path) -> None:
    file = tmp_path / "one"
    file.write_bytes(b"x" * (1 << 20))
    status, data, _ = _io(file, "--hosts", "a,b", "--rw", "randwrite", "--runtime", "300ms")
    assert (status, data["id"]) == (3, "hosts-write-one-file")
    assert file.read_bytes() == b"x" * (1 << 20)


def test_an_agent_at_a_terminal_says_who_starts_it() -> None:
    _, terminal = os.openpty()
    with Popen([PROGRAM, "agent"], stdin=terminal, stdout=PIPE, stderr=PIPE, text=True) as agent:
        _, said = agent.communicate(timeout=PATIENCE_S)
    assert agent.returncode == 2
    assert "this is a terminal" in said, "agent-at-terminal"


def test_a_login_script_may_print() -> None:
    launcher = """sh -c 'echo Welcome to {host}; echo; exec "$0" "$@"'"""
    status, data, _ = _io("sim:mean=100us", "--hosts", "a,b", "--runtime", "300ms", launcher=launcher)
    assert status == 0
    assert len(data["hosts"]) == 2


def test_a_host_that_is_not_ready_in_time_ends_the_whole(tmp_path: Path) -> None:
    late = tmp_path / "late"
    late.write_text(
        "import os, subprocess, sys, time\n"
        "agent = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)\n"
        "for line in sys.stdin.buffer:\n"
        "    if b'\"say\":\"begin\"' in line and os.environ['HOST'] == 'b': time.sleep(1)\n"
        "    agent.stdin.write(line); agent.stdin.flush()\n"
        "agent.stdin.close()\n"
    )
    launcher = f"env HOST={{host}} {shlex.quote(sys.executable)} {shlex.quote(str(late))}"
    words = ("--hosts", "a,b", "--size", "64m", "--runtime", "20s", "--depth", "1", "--engine", "psync")
    status, data, _ = _io(tmp_path, *words, launcher=launcher)
    assert (status, data["id"]) == (4, "begin-missed")
    assert data["message"].startswith("b: it was ready")
    assert [entry.name for entry in tmp_path.iterdir()] == ["late"]


def test_what_hosts_do_before_they_begin_is_told(way: Way, tmp_path: Path) -> None:
    words = ("--hosts", "a,b", "--size", "64m", "--runtime", "2s", "--warm-up", "0")
    _, _, said = _by(way, tmp_path, *words, "--events", "-")
    told = [json.loads(line) for line in said.splitlines() if '"kind":"progress"' in line]
    for host in ("a", "b"):
        assert any(one["message"].startswith(f"{host}: ") and one["share"] is not None for one in told)


def test_what_a_host_refuses_is_said_with_its_name(way: Way) -> None:
    status, _, said = _by(way, "/nowhere", "--hosts", "a,b")
    assert status == 2
    assert "a: there is no /nowhere" in said or "b: there is no /nowhere" in said


def test_an_agent_that_refuses_ends_as_it_should_while_its_client_is_there() -> None:
    mix = workload("randread", 8192, None).model_dump(mode="json")
    order = {"say": "work", "words": {"target": "/nowhere"}, "mix": mix, "sharing": 2}
    with Popen([PROGRAM, "agent"], stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        agent.stdin.write(json.dumps(order) + "\n")
        agent.stdin.flush()
        said = [json.loads(line) for line in agent.stdout]
        assert agent.wait(PATIENCE_S) == 2, "it neither aborts nor waits for more"
    assert said[-1]["id"] == "target-missing"


def test_files_of_two_fills_have_nothing_in_common(tmp_path: Path) -> None:
    for name in ("a", "b"):
        here("io", tmp_path / name, "--prefill", "--size", "64m", "--runtime", "50ms", "--warm-up", "0")
    blocks = [
        {data[at : at + 8192] for at in range(0, len(data), 8192)}
        for data in map(Path.read_bytes, sorted(tmp_path.iterdir()))
    ]
    assert len(blocks[0]) == 8192, "nor has any with itself"
    assert not blocks[0] & blocks[1]


def test_an_agent_that_was_only_told_that_somebody_is_there_was_asked_for_nothing() -> None:
    with Popen([PROGRAM, "agent"], stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True) as agent:
        _, said = agent.communicate('{"say":"alive"}\n{"say":"alive"}\n', timeout=PATIENCE_S)
    assert agent.returncode == 4, "client-gone"
    assert "before it said what to measure" in said


def test_a_file_of_a_host_that_was_lost_before_the_begin_is_named(tmp_path: Path) -> None:
    """All are ready, and the files of the others are looked at; nothing was measured."""
    folder = tmp_path / "shared"
    folder.mkdir()
    words = ("--hosts", "a,b", "--size", "16m", "--runtime", "1s", "--engine", "psync")
    status, data, said = _io(folder, *words, launcher=losing(tmp_path, "b", "look"))
    (left,) = folder.iterdir()
    assert (status, data["id"]) == (4, "host-lost"), said
    named = f"the scratch file {left} may be left on b: the next measurement there takes it back"
    assert data["message"].endswith(named)


def test_files_are_named_where_all_hosts_were_lost(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    words = ("--hosts", "b", "--size", "16m", "--runtime", "1s", "--engine", "psync")
    status, data, said = _io(folder, *words, launcher=losing(tmp_path, "b", "begin"))
    (left,) = folder.iterdir()
    assert (status, data["id"]) == (4, "hosts-lost"), said
    assert f"the scratch file {left} may be left on b" in data["message"]


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("sh -c 'kill -KILL $$'", "with signal 9 (SIGKILL) it ended"),
        (shlex.quote(PROGRAM), "with status 2 it ended; in place of a greeting it printed '"),
        ("printf '\\n \\033[1mHello\\nmore\\n'", "with status 0 it ended; in place of a greeting it printed '\\x1b[1mHello'"),
    ],
)  # fmt: skip
def test_what_came_in_place_of_a_greeting_is_told_with_what_to_try(agent: str, told: str) -> None:
    status, data, _ = _io("sim:", "--hosts", "a", agent=agent)
    assert (status, data["id"]) == (4, "host-unreachable")
    assert told in data["message"]
    by_hand = shlex.join(["env", "HOST=a", *shlex.split(agent)])
    assert data["hint"].endswith(f"by hand, which greets with a line of JSON and ends: {by_hand} </dev/null")


def test_an_agent_by_hand_greets_and_ends() -> None:
    done = Popen(["sh", "-c", f"{AGENT} </dev/null"], stdout=PIPE, stderr=DEVNULL, text=True)
    out, _ = done.communicate(timeout=PATIENCE_S)
    assert "plimsoll_agent" in json.loads(out)


def test_a_line_in_place_of_a_greeting_is_shown_within_bounds() -> None:
    agent = "sh -c 'head -c 1000000 /dev/zero | tr \\\\0 x'"
    _, data, _ = _io("sim:", "--hosts", "a", agent=agent)
    assert data["message"].endswith(f"it printed '{'x' * 120}'")


def test_how_a_lost_agent_ended_is_told(tmp_path: Path) -> None:
    words = ("--hosts", "a", "--runtime", "1s")
    status, data, _ = _io("sim:mean=1ms", *words, launcher=losing(tmp_path, "a", "begin"))
    assert (status, data["id"]) == (4, "hosts-lost")
    assert "a was lost: the launcher (env) was ended by signal 9 (SIGKILL)" in data["message"]


def test_a_file_of_a_host_that_was_lost_after_it_had_measured_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    words = ("--hosts", "a,b", "--size", "64m", "--runtime", "2s", "--engine", "psync")
    status, data, said = _io(folder, *words, launcher=losing(tmp_path, "b", "finish"))
    (left,) = folder.iterdir()
    assert status in (0, 1), "what it measured is whole"
    told = f"b did not say that it took back what it made. Its scratch file {left} may be left there"
    assert told in " ".join(said.split())
    assert [one["message"].startswith(told) for one in data["notes"] if one["code"] == "host-remark"] == [
        True
    ]


def test_hosts_that_took_back_what_they_made_are_not_told_of(way: Way, tmp_path: Path) -> None:
    _, data, _ = _by(way, tmp_path, "--hosts", "a,b", "--size", "64m", "--runtime", "2s", "--engine", "psync")
    assert [one for one in data["notes"] if one["code"] == "host-remark"] == []
