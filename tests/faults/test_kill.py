"""Commands are killed by SIGKILL at random moments: the store opens, every confirmed run is whole, the next start tidies up.

A run is confirmed when its id was printed. The moments come from seeds, so a failure can be tried again.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from plimsoll.base import folders
from plimsoll.store import open_store
from zygote import Zygote, zygote

PROGRAM = """
import sys
import plimsoll.flows.io, plimsoll.flows.line, plimsoll.store
from plimsoll.cli.main import run
from plimsoll.cli.verbs import module
module("io"), module("line")
def work(folder):
    while True:
        for words in (
            ["io", "sim:", "--runtime", "1s"],
            ["io", folder, "--size", "64m", "--runtime", "60ms", "--warm-up", "10ms"],
            ["line", folder, "--size", "64m", "--trial", "20ms", "--repeats", "1", "--slo", "p50=1us"],
        ):
            run([*words, "--json"])
            sys.stdout.flush()
"""


@pytest.fixture(scope="module")
def parent() -> Iterator[Zygote]:
    """Of the processes that are killed."""
    with zygote(PROGRAM) as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "targets"
    made.mkdir()
    return made


def killed(parent: Zygote, folder: Path, runs: int, seconds: float) -> list[str]:
    """Runs commands one after the other and kills them so long after so many runs; returns the ids that they had confirmed."""
    child = parent.started(str(folder))
    try:
        printed = "".join(child.stdout.readline() for _ in range(runs))
        time.sleep(seconds)
    finally:
        rest = child.kill()
    printed += rest
    documents = [json.loads(line) for line in printed.splitlines() if line.endswith("}")]
    return [document["data"]["run"] for document in documents if document["kind"] != "error"]


def tidied(folder: Path) -> list[str]:
    """Starts another command, and returns what is left of the killed one after that."""
    done = command.here("store", "list", "--json")
    assert done.returncode == 0, done.stderr
    left = [str(path) for path in folder.iterdir()]
    left += [str(path) for path in (folders.state_folder() / "scratch").rglob("*.journal")]
    return left + processes_of(folder)


def processes_of(folder: Path) -> list[str]:
    """Processes that work in the folder or name it in their words."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            place = os.readlink(entry / "cwd")
        except OSError:
            continue
        if str(folder) in words or place.startswith(str(folder)):
            found.append(words)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_twenty_kills_at_random_moments(parent: Zygote, folder: Path, seed: int) -> None:
    """Four to a store."""
    chance = random.Random(seed)
    confirmed: list[str] = []
    for runs in range(4):
        confirmed += killed(parent, folder, runs, chance.uniform(0.0, 0.6))
        assert tidied(folder) == []
    assert len(confirmed) >= 6
    store = open_store()
    stored = {summary.id for summary in store.summaries()}
    assert set(confirmed) <= stored
    for run_id in stored:
        run = store.load(run_id)
        parts: dict[str, Any] = {"io": run.cell, "line": run.line}
        assert parts[run.kind] is not None
        assert run.ended_at >= run.started_at


def test_a_prefill_that_is_killed_leaves_no_half_file(folder: Path) -> None:
    chance = random.Random(4)
    for number in range(4):
        child = command.started("io", folder / f"kept-{number}", "--prefill", "--size", "4g")
        wait_for_scratch(folder)
        time.sleep(chance.uniform(0.0, 0.3))
        child.kill()
        child.communicate()
        assert tidied(folder) == []


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        (("shapes", "--runtime", "300ms"), "measurement 3 of"),
        (("calibrate", "--runtime", "300ms", "--shape", "simple"), "point 3 of"),
        (("io", "--runtime", "60s", "--rw", "log-write"), '"kind":"live"'),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_a_run_that_is_killed_leaves_nothing(folder: Path, words: tuple[str, ...], moment: str) -> None:
    """Some of them have several scratch files open at the time."""
    child = command.started(words[0], folder, *words[1:], "--size", "64m", "--events", "-")
    wait_for_words(child, moment)
    assert any(folder.iterdir())
    child.kill()
    child.communicate()
    assert tidied(folder) == []
    assert open_store().summaries() == []


def wait_for_scratch(folder: Path) -> None:
    """Until the command has begun to write."""
    deadline = time.monotonic() + 30
    while not any(folder.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "TERM"])
def test_a_wish_to_end_keeps_what_was_measured(folder: Path, number: int) -> None:
    child = command.started("io", folder, "--size", "64m", "--runtime", "60s", "--events", "-", "--json")
    assert child.stderr is not None
    wait_for_words(child, '"kind":"live"')
    child.send_signal(number)
    out, _ = child.communicate(timeout=30)
    assert child.returncode == 130
    data = json.loads(out)["data"]
    assert data["ios"] > 0
    assert data["ended_early"] == "stopped"
    assert data["runtime_s"] < 50
    assert open_store().load(data["run"]).interrupted
    assert tidied(folder) == []


def test_the_second_ctrl_c_ends_at_once(folder: Path) -> None:
    child = command.started("line", folder, "--size", "64m", "--trial", "30s")
    wait_for_words(child, "first look")
    for _ in range(2):
        child.send_signal(signal.SIGINT)
        time.sleep(0.05)
    child.communicate(timeout=20)
    assert child.returncode == 130
    assert tidied(folder) == []


def wait_for_words(child: subprocess.Popen[str], words: str) -> None:
    """Reads standard error up to a line with these words; the test's own time limit ends a wait in vain."""
    assert child.stderr is not None
    for line in child.stderr:
        if words in line:
            return
    raise AssertionError(f"the command ended and never said {words}")


@pytest.mark.system
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("stage", "seed"), [("1 of 3", 1), ("2 of 3", 2), ("2 of 3", 3), ("3 of 3", 4)], ids=str
)
def test_a_demonstration_is_killed_and_tidied_up(stage: str, seed: int, tmp_path: Path) -> None:
    folder = Path("/var/tmp") / f"plimsoll-test-{os.getpid()}-{seed}"
    folder.mkdir()
    child = command.started("demo", "--folder", folder, "-o", tmp_path / "page.html", "--events", "-")
    try:
        wait_for_words(child, stage)
        time.sleep(random.Random(seed).uniform(0.5, 8.0))
        child.kill()
        child.communicate()
        before = processes_of(folder)
        assert tidied(folder) == []
        if stage == "2 of 3":
            assert any(re.search(r"postgres", words) for words in before)
        for summary in open_store().summaries():
            open_store().load(summary.id)
    finally:
        child.kill()
        child.communicate()
        for left in sorted(folder.rglob("*"), reverse=True):
            left.rmdir() if left.is_dir() else left.unlink()
        folder.rmdir()
