"""Runs `plimsoll` as a user does: its output and exit status, in another process or, where that tells the same, in this one."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

from plimsoll.cli import main

PROGRAM = str(Path(sys.executable).with_name("plimsoll"))
NOBODY = 65534

NO_RIGHTS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
"""Takes root's power over other users' files from a command."""


def plimsoll(
    *words: str | Path, timeout_s: float = 60.0, powerless: bool = False, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The finished command. `powerless` runs it without the right to override permissions."""
    return subprocess.run(
        command(*words, powerless=powerless),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
    )


def here(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command, finished in this process: for what it says and does. To start another takes longer than most commands."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    typed = [*map(str, words)]
    with patch.dict(os.environ, environment), redirect_stdout(out), redirect_stderr(err):
        status = main.run(typed)
    said, told = (os.fsdecode(stream.buffer.getvalue()) for stream in (out, err))
    return subprocess.CompletedProcess(typed, status, said, told)


def started(*words: str | Path, **environment: str) -> subprocess.Popen[str]:
    """The command on its way, in a session of its own."""
    return subprocess.Popen(
        command(*words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **environment},
        start_new_session=True,
    )


def python(script: str, *words: str | Path) -> subprocess.Popen[str]:
    """A script of Python on its way, whose output is read."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )


def command(*words: str | Path, powerless: bool = False) -> list[str]:
    """The words that a shell would be given."""
    before: Sequence[str] = NO_RIGHTS if powerless and os.geteuid() == 0 else ()
    return [*before, PROGRAM, *map(str, words)]


def forbid(path: Path) -> None:
    """Makes a file or folder one that a powerless command may not open."""
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
        path.chmod(0o700 if path.is_dir() else 0o600)
    else:
        path.chmod(0)


def document(done: subprocess.CompletedProcess[str]) -> Any:
    """The one JSON document on standard output; fails when there is anything else."""
    lines = done.stdout.splitlines()
    assert len(lines) == 1, done.stdout + done.stderr
    return json.loads(lines[0])
