"""TERM and HUP end every command soon, also one that waits for somebody who never comes; what it leaves is taken back by the next.

The bound is 2 s (`limits.TERM_END_S`); a busy machine gets some more here, since what fails hangs without an end.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import command
from plimsoll import _core
from plimsoll.base import folders
from plimsoll.base.limits import TERM_END_S

ENDS_WITHIN_S = TERM_END_S + 8.0
SEED = 14


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "targets"
    made.mkdir()
    return made


def ended(child: subprocess.Popen[str], *numbers: int) -> tuple[int, str]:
    """Sends these signals, or TERM; the exit status, and what was said."""
    for number in numbers or (signal.SIGTERM,):
        child.send_signal(number)
    begun_s = time.monotonic()
    _, said = child.communicate(timeout=60)
    assert time.monotonic() - begun_s < ENDS_WITHIN_S
    return child.returncode, said


def tidied(folder: Path) -> list[str]:
    """What is left of a command after the next one has begun."""
    assert command.here("store", "list").returncode == 0
    left = [str(path) for path in folder.iterdir() if path.name.startswith("plimsoll-")]
    return left + [str(path) for path in (folders.state_folder() / "scratch").rglob("*.journal")]


@pytest.mark.parametrize(
    "words",
    [
        ("io", "{}", "--size", "64m", "--runtime", "60s"),
        ("io", "{}/new", "--size", "4g", "--prefill", "--runtime", "60s"),
        ("line", "{}", "--size", "64m"),
        ("calibrate", "{}", "--size", "64m"),
        ("shapes", "{}", "--size", "64m"),
        ("line", "sim:mean=100us", "--trial", "100000s"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_measurements(folder: Path, words: Sequence[str]) -> None:
    """Each at a moment that is drawn: in the making of files, in a trial, between trials."""
    child = command.started(*(word.format(folder) for word in words), "--events", "-")
    assert child.stderr is not None
    child.stderr.readline()
    time.sleep(random.Random(SEED + len(words[0])).uniform(0.0, 1.5))
    status, _ = ended(child)
    assert status == 130
    assert tidied(folder) == []


def measuring(*words: str, before: Sequence[str] = ()) -> subprocess.Popen[str]:
    """A command on its way that has begun to measure, and tells events on standard error."""
    child = subprocess.Popen(
        [*before, *command.command(*words, "--events", "-")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert child.stderr is not None
    while '"kind":"live"' not in child.stderr.readline():
        assert child.poll() is None
    return child


@pytest.mark.parametrize("numbers", [(signal.SIGHUP,), (signal.SIGHUP, signal.SIGHUP, signal.SIGTERM)])
def test_a_lost_connection_is_a_request_to_end_however_often_it_is_told(
    folder: Path, numbers: Sequence[int]
) -> None:
    """Kernel and shell both tell it, and TERM may follow: none of them is the second Ctrl-C, which would leave the file."""
    child = measuring("io", str(folder), "--size", "16m", "--rw", "randwrite", "--runtime", "60s", "--json")
    status, _ = ended(child, *numbers)
    assert status == 130
    assert list(folder.iterdir()) == []


def test_a_server_is_left_without_a_scratch_file_when_the_connection_is_lost() -> None:
    served = _core.serve_nfs()
    try:
        child = measuring(
            "io", served.url("/export"), "--size", "16m", "--rw", "randwrite", "--runtime", "60s"
        )
        assert len(served.names()) == 1
        status, _ = ended(child, signal.SIGHUP)
        assert (status, served.names()) == (130, [])
    finally:
        served.stop()


def test_a_terminal_that_is_closed_ends_the_command_in_order(folder: Path, tmp_path: Path) -> None:
    """What is said then nobody hears, and to say it must not end the command before it has tidied up and stored its result."""
    end, terminal = os.openpty()
    events = tmp_path / "events"
    words = (
        "io",
        str(folder),
        "--size",
        "16m",
        "--rw",
        "randwrite",
        "--runtime",
        "60s",
        "--events",
        str(events),
    )
    child = subprocess.Popen(
        ["setsid", "--ctty", *command.command(*words)], stdin=terminal, stdout=terminal, stderr=terminal
    )
    os.close(terminal)
    while not (events.exists() and '"kind":"live"' in events.read_text()):
        assert child.poll() is None
        time.sleep(0.02)
    os.close(end)
    assert child.wait(timeout=ENDS_WITHIN_S) == 130
    assert list(folder.iterdir()) == []
    assert "(interrupted)" in command.here("store", "list").stdout


def test_under_nohup_a_command_goes_on(folder: Path) -> None:
    words = ("io", str(folder), "--size", "16m", "--rw", "randwrite", "--runtime", "2s", "--json")
    child = measuring(*words, before=["nohup"])
    child.send_signal(signal.SIGHUP)
    said, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    assert json.loads(said)["data"]["runtime_s"] > 1.9


@pytest.mark.parametrize(
    "words", [("demand",), ("prove", "slob", "--scale", "8M"), ("prove", "order-entry")], ids=" ".join
)
def test_a_database_of_our_own_goes_with_the_command(folder: Path, words: Sequence[str], wheel: Path) -> None:
    place = Path("/var/tmp") if os.geteuid() == 0 else folder
    before = set(place.glob("plimsoll-postgres-*"))
    child = command.started(*words, "--database", "embedded", "--events", "-", PLIMSOLL_SCRATCH=str(place))
    assert child.stderr is not None
    for line in child.stderr:
        if "making an embedded postgresql" in line:
            break
    (home,) = set(place.glob("plimsoll-postgres-*")) - before
    time.sleep(random.Random(SEED + len(words)).uniform(0.5, 2.0))
    status, _ = ended(child)
    assert status == 130
    assert tidied(folder) == []
    assert not home.exists()


def test_a_reader_who_does_not_read(tmp_path: Path) -> None:
    """The output is longer than a pipe holds, and nobody takes it."""
    child = command.started("read", "--schema", "--json")
    assert child.stdout is not None
    child.stdout.read(1)
    time.sleep(0.5)
    assert child.poll() is None, "the output fitted into the pipe"
    child.send_signal(signal.SIGTERM)
    assert child.wait(timeout=ENDS_WITHIN_S) == 130
    child.stdout.close()
    assert child.stderr is not None
    child.stderr.close()


def test_a_server_that_accepts_and_says_nothing() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        child = command.started("demand", "--database", f"postgresql://me@127.0.0.1:{port}/none")
        connection, _ = silent.accept()
        with connection:
            connection.recv(8)
            assert child.poll() is None
            status, _ = ended(child)
    assert status == 130


_AT_WORK_AFTER_A_WISH = """
import time
from plimsoll.cli.ending import watched
from plimsoll.context import Cancel

cancel = Cancel()
cancel.set()
with watched(cancel, lambda: None):
    told = False
    while True:
        try:
            if not told:
                told = True
                print("there", flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            pass
"""
"""As an agent whose client has parted, and that hangs in what it does at its end."""


def test_term_ends_by_force_what_was_wished_to_end_before() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", _AT_WORK_AFTER_A_WISH],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "there\n"
    status, said = ended(child)
    assert status == 130
    assert "was ended" in said
