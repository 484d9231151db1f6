"""A run of the tests comes to an end, and says what failed beside others alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

MADE = """
import ctypes, os, signal
from pathlib import Path

import pytest

def is_first(name):
    try:
        Path(name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True

def test_stumbles_once():
    assert not is_first("stumbled")

@pytest.mark.parametrize("word", ["a b", "x::y[z]"])
def test_kills_its_process_once(word):
    if is_first(word):
        os._exit(1)

@pytest.mark.timeout(0.2)
def test_hangs_once_where_no_signal_reaches_it():
    if is_first("hung"):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        ctypes.PyDLL(None).sleep(50)  # with the interpreter held

def test_passes():
    pass
"""
ALWAYS = """
import pytest

@pytest.mark.parametrize("number", range({number}))
def test_fails(number):
    assert False
"""
SKIPPED_LATER = """
from pathlib import Path

def test_skips_the_second_time():
    if Path("seen").exists():
        pytest.skip("not now")
    Path("seen").touch()
    assert False
"""
SOON = "import backstop\nbackstop.LATER_S = 0.5\n"


def run(folder: Path, made: str) -> subprocess.CompletedProcess[str]:
    """`scripts/run_tests.py` on one made file of tests, with a backstop that comes soon."""
    (folder / "test_made.py").write_text(made)
    (folder / "soon.py").write_text(SOON)
    (folder / "pytest.ini").write_text("[pytest]\ntimeout = 20\n")
    words = ["-p", "backstop", "-p", "soon", "--numprocesses=1", "-q"]
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "run_tests.py", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'tests'}:{folder}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_what_passes_alone_is_named_and_no_failure(tmp_path: Path) -> None:
    done = run(tmp_path, MADE)
    assert done.returncode == 0, done.stdout
    named = [line for line in done.stdout.splitlines() if line.startswith("passed when run alone: ")]
    assert [line.rpartition("test_made.py::")[2] for line in named] == [
        "test_hangs_once_where_no_signal_reaches_it",
        "test_kills_its_process_once[a b]",
        "test_kills_its_process_once[x::y[z]]",
        "test_stumbles_once",
    ]
    assert "in test_hangs_once_where_no_signal_reaches_it" in done.stderr


def test_what_does_not_pass_alone_fails_the_run(tmp_path: Path) -> None:
    done = run(tmp_path, ALWAYS.format(number=1) + SKIPPED_LATER)
    assert done.returncode == 1
    assert done.stdout.count("did not pass when run alone: test_made.py::test_") == 2


def test_after_many_failures_none_is_run_again(tmp_path: Path) -> None:
    done = run(tmp_path, ALWAYS.format(number=13))
    assert done.returncode == 1
    assert "alone" not in done.stdout


def test_a_stage_that_takes_too_long_is_ended_and_named() -> None:
    done = subprocess.run(
        [ROOT / "scripts" / "bounded.sh", "0.2", "a long nap", "sh", "-c", "read word || sleep 50"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 124
    assert done.stderr == "error: a long nap was ended: it was not done after 0.2 s\n"
