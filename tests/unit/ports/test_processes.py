"""Other programs: each is known by its id and its start, and a stranger is never hit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from plimsoll.ports import processes


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[str]]:
    """A real child that does nothing."""
    child = processes.start(["sleep", "60"])
    yield child
    child.kill()
    child.wait()


def test_a_process_has_an_identity_until_it_ends(sleeper: subprocess.Popen[str]) -> None:
    known = processes.identity(sleeper.pid)
    assert known is not None
    assert processes.is_alive(known)
    assert processes.send(known, signal.SIGKILL)
    sleeper.wait()
    assert not processes.is_alive(known)
    assert not processes.send(known)


def test_a_zombie_counts_as_gone(sleeper: subprocess.Popen[str]) -> None:
    known = processes.identity(sleeper.pid)
    assert known is not None
    os.kill(sleeper.pid, signal.SIGKILL)
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert not processes.is_alive(known)


@pytest.mark.parametrize("state", ["Z", "X", "x"])
def test_what_is_only_listed_still_counts_as_gone(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a moment so is one that nobody waits for (proc_pid_stat(5))."""
    known = processes.own_identity()
    told = Path(f"/proc/{known.pid}/stat").read_text(encoding="utf-8").rpartition(")")
    listed = f"{told[0]}) {state} {told[2].split(maxsplit=1)[1]}"
    monkeypatch.setattr(Path, "read_text", lambda self, **_: listed)
    assert not processes.is_alive(known)
    monkeypatch.setattr(Path, "read_text", lambda self, **_: listed.replace(f") {state} ", ") S "))
    assert processes.is_alive(known)


def test_a_stranger_who_got_the_same_id_is_not_hit(sleeper: subprocess.Popen[str]) -> None:
    known = processes.identity(sleeper.pid)
    assert known is not None
    other = replace(known, start_ticks=known.start_ticks - 1)
    assert not processes.send(other, signal.SIGKILL)
    assert sleeper.poll() is None


def test_a_name_of_any_bytes_does_not_confuse() -> None:
    """Every process may name itself, and a longer name is cut between two bytes of a letter."""
    renaming = "import time; open('/proc/self/comm', 'wb').write(b'\\xff\\xc3'); print(1, flush=True); time.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", renaming], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        child.stdout.readline()
        assert processes.identity(child.pid) is not None
    finally:
        child.kill()
        child.communicate()


def test_a_name_with_parentheses_and_spaces_does_not_confuse(tmp_path: Path) -> None:
    program = tmp_path / "odd ) 1 2 (name"
    program.symlink_to("/bin/sleep")
    child = subprocess.Popen([program, "60"])
    try:
        known = processes.identity(child.pid)
        assert known is not None
        assert processes.executable(known) == str(Path("/bin/sleep").resolve())
    finally:
        child.kill()
        child.wait()


def test_an_id_that_nobody_has_is_none() -> None:
    pid_max = int(Path("/proc/sys/kernel/pid_max").read_text())
    assert processes.identity(pid_max + 1) is None


def test_processes_inside_a_folder_are_found(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    child = processes.start(["sleep", "60"], folder=inner)
    try:
        known = processes.identity(child.pid)
        assert processes.inside_folder(tmp_path / "a") == [known]
        assert processes.inside_folder(tmp_path / "a-b") == []
    finally:
        child.kill()
        child.wait()


def test_a_short_program_is_run_to_its_end() -> None:
    done = processes.run([sys.executable, "-c", "import sys; print('out'); sys.exit('err')"])
    assert (done.returncode, done.stdout, done.stderr) == (1, "out\n", "err\n")


def test_started_programs_are_out_of_reach_of_the_terminals_ctrl_c(sleeper: subprocess.Popen[str]) -> None:
    assert os.getsid(sleeper.pid) != os.getsid(0)


def test_unknown_accounts_are_none() -> None:
    assert processes.find_user("no such user") is None
    root = processes.find_user("root")
    assert root is not None
    assert root.user_id == 0


def test_another_user_gets_none_of_our_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs as that user can read them."""
    user = processes.find_user("nobody")
    if not processes.is_root() or user is None:
        pytest.skip("only root can start programs as another user")
    monkeypatch.setenv("PGPASSWORD", "hunter2")
    monkeypatch.setenv("PLIMSOLL_DATABASE", "postgresql://me:hunter2@db/x")
    seen = processes.run(["env"], user=user, folder=Path("/")).stdout
    assert "PATH=" in seen
    assert "hunter2" not in seen
    child = processes.start(
        ["cat", "/proc/self/environ"], user=user, folder=Path("/"), stdout=processes.CAPTURE
    )
    assert "hunter2" not in child.communicate()[0]
    assert "hunter2" in processes.run(["env"]).stdout
    assert (
        processes.run(["/usr/bin/env"], user=user, folder=Path("/"), environment={"A": "b"}).stdout == "A=b\n"
    )


@pytest.mark.parametrize(
    ("returncode", "words"),
    [(0, "status 0"), (3, "status 3"), (-9, "signal 9 (SIGKILL)"), (-99, "signal 99")],
)
def test_how_a_program_ended_in_words(returncode: int, words: str) -> None:
    assert processes.how_ended(returncode) == words
