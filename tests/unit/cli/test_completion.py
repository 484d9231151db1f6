"""What a shell is told when somebody presses Tab, and the same in real shells."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import sqlite3
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from time import monotonic

import pytest

import facts_runs
from plimsoll.cli import main
from plimsoll.cli.completion import answer
from plimsoll.cli.shells import FILES, FOLDERS, SCRIPTS
from plimsoll.store import open_store

WAIT_S = 60.0
_UNSEEN = re.compile(r"\x07|\x1b\[[?0-9;]*[A-Za-z]|\x08 ")
"""Bells, and what moves a terminal's cursor; zsh takes a blank back before it sets the next."""


def words(typed: str) -> list[str]:
    """The words that the last one may become; it is what stands behind the last space."""
    return [word for word, _ in answer(typed.split(" "))]


def test_verbs_and_their_members() -> None:
    assert words("st") == ["store"]
    assert set(words("store ")) >= {"list", "show", "export", "--help"}
    assert set(words("")) >= {"io", "line", "completion", "--version"}
    assert words("help store l") == ["list"]
    assert words("help --") == ["--man", "--json", "--format", "--help"]
    assert words("help --man ") == [FOLDERS]
    assert words("frobnicate ") == []


def test_options_that_were_not_given() -> None:
    assert words("io sim: --runt") == ["--runtime"]
    assert "--runtime" not in words("io sim: --runtime 5s --")
    assert "--destroy" in words("io sim: --destroy a=b --")
    assert words("io sim: --no-") == ["--no-direct"]
    assert words("prove slob --run-") == []  # of an earlier release


def test_values() -> None:
    assert words("io sim: --arrivals ") == ["poisson", "uniform"]
    assert words("io sim: --arrivals=u") == ["--arrivals=uniform"]
    assert words("io sim: --rw rand") == ["randread", "randwrite", "randrw"]
    assert words("io sim: --engine ps") == ["psync"]
    assert words("assess --database po") == ["postgresql://"]
    assert words("prove tpch --database m") == []
    assert words("io sim: --block ") == ["8k"]
    assert words("prove slob ")[:5] == ["run", "sweep", "setup", "status", "drop"]
    assert words("completion z") == ["zsh"]


def test_files_are_the_shells_to_name() -> None:
    assert words("fio ")[0] == FILES
    assert words("import a b ")[0] == FILES
    assert words("demo --folder /var") == [FOLDERS]
    assert words("io /d")[0] == FILES
    assert FILES not in words("io sim: ")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "runs.sqlite"
    monkeypatch.setenv("PLIMSOLL_STORE", str(path))
    return path


def test_runs_of_the_store(store: Path, tmp_path: Path) -> None:
    assert words("report ")[0] == "latest"
    assert not store.exists()
    run = facts_runs.prove_run().model_copy(update={"tags": ("flash", "before")})
    open_store(str(store)).save(run)
    assert words(f"report {run.id[:6]}") == [run.id]
    assert words(f"report --store {tmp_path / 'none'} {run.id[:6]}") == []
    assert words("store prune --kind ") == [run.kind]
    assert words("store list --tag ") == ["before", "flash"]


def test_runs_before_the_newest_and_runs_of_a_tag(store: Path) -> None:
    assert words("compare latest~") == []
    for number, tags in enumerate([("before",), ("before", "raid10"), ()]):
        made = facts_runs.io_run().model_copy(update={"id": f"2026112{number}-120000-abcdef", "tags": tags})
        open_store(str(store)).save(
            made.model_copy(update={"started_at": made.started_at + timedelta(days=number)})
        )
    assert words("compare latest~") == ["latest~1", "latest~2"]
    assert dict(answer(["report", "latest~1"]))["latest~1"].startswith("io: ")
    assert words("compare tag:") == ["tag:before", "tag:raid10"]
    assert words("compare latest tag:r") == ["tag:raid10"]
    assert words("report tag:") == []  # which takes one run


def test_names_of_tables_sections_and_pictures() -> None:
    assert {"load_profile", "report_cells"} <= set(words("read awr --section "))
    assert words("read awr --section load_rat") == ["load_ratios"]
    assert words("compare a b --format csv --table s") == ["settings", "sides"]
    assert words("store list --table ") == ["runs"]
    assert words("demand awr/ --format csv --table ") == ["intervals", "classes", "series"]
    assert "trials" in words("line sim: --format csv --table tri")
    assert words("read awr --format csv --section a --section b --table ") == ["a", "b"]
    assert words("read --schema --format csv --table ") == ["columns"]
    assert words("report latest --figure load") == ["load-by-hour", "load-line"]


def test_a_store_that_cannot_be_read_costs_nothing_but_its_runs(store: Path) -> None:
    store.write_bytes(b"no database" * 99)
    assert words("report l") == ["latest"]
    store.unlink()
    sqlite3.connect(store).close()
    assert words("report l") == ["latest"]
    assert words("report --store mongo://x l") == []


def test_tabs_stand_between_a_word_and_what_it_means(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["--complete", "io", "sim:", "--arr"]) == 0
    assert capsys.readouterr().out == "--arrivals\tHow arrivals are spaced at a rate.\n"
    assert main.run(["--complete", ""]) == 0


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_shell_takes_its_script(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    script = tmp_path / "script"
    script.write_text(SCRIPTS[shell])
    done = subprocess.run([shell, "-n", script], capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stderr) == (0, "")


STARTS = {
    "bash": (("bash", "--norc", "--noprofile", "-i"), "PS1='ready> '; source ./script"),
    "zsh": (("zsh", "-f", "-i"), "PS1='ready> '; autoload -U compinit; compinit -u -D; source ./script"),
    "fish": (
        ("fish", "--no-config", "--interactive"),
        "function fish_prompt; echo 'ready> '; end; source ./script",
    ),
}
"""How each shell is started without the user's own settings, and what makes it take its script."""


@pytest.mark.parametrize("shell", STARTS)
def test_keys_in_a_real_shell(shell: str, tmp_path: Path, store: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here (scripts/system-packages.sh)")
    for number in range(3):
        run = facts_runs.io_run().model_copy(update={"id": f"2026112{number}-120000-abcdef"})
        open_store(str(store)).save(run.model_copy(update={"tags": ("flash",) if number else ("before",)}))
    program = tmp_path / "plimsoll"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m plimsoll "$@"\n')
    program.chmod(0o755)
    (tmp_path / "script").write_text(SCRIPTS[shell])
    command, start = STARTS[shell]
    with terminal(command, tmp_path) as keys:
        keys.write(f"{start}\n")
        keys.wait_for("ready> ")
        keys.write("plimsoll assess --database=po\t")
        keys.wait_for("--database=postgresql://")
        keys.write(" --eng\tps\t--js\t")
        keys.wait_for("--engine psync --json")
        keys.write("\x15plimsoll compare tag:be\ttag:fl\t")
        keys.wait_for("compare tag:before tag:flash")
        keys.write("\x15plimsoll read awr --section load_rat\t")
        keys.wait_for("--section load_ratios")
        keys.write("\x15plimsoll store show latest~2\t--js\t")
        keys.wait_for(r"\~2 --json" if shell == "zsh" else "latest~2 --json")


class Keys:
    """A terminal: what is typed, and what is seen."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._ends = monotonic() + WAIT_S
        self.seen = ""

    def write(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def wait_for(self, text: str) -> None:
        """Fails where it is not seen before the time for all of it is over."""
        while text not in self.seen:
            ready, _, _ = select.select([self._descriptor], [], [], max(0.0, self._ends - monotonic()))
            assert ready, f"{text!r} was not seen in {self.seen!r}"
            self.seen = _UNSEEN.sub("", self.seen + os.read(self._descriptor, 4096).decode(errors="replace"))


def _take_terminal() -> None:
    """In the shell's process: makes standard input its controlling terminal, without which fish ends."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@contextmanager
def terminal(command: Sequence[str], folder: Path) -> Iterator[Keys]:
    """A shell on a terminal of its own, which is ended at the end."""
    ours, its = pty.openpty()
    path = f"{folder}:{os.environ['PATH']}"
    shell = subprocess.Popen(
        command, stdin=its, stdout=its, stderr=its, cwd=folder, start_new_session=True, preexec_fn=_take_terminal,
        env={**os.environ, "PATH": path, "TERM": "dumb", "HOME": str(folder)},
    )  # fmt: skip
    os.close(its)
    try:
        yield Keys(ours)
    finally:
        shell.kill()
        shell.wait(timeout=10)
        os.close(ours)
