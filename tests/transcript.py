"""Transcripts of the command line: what a command printed and how it ended, with all that differs from run to run filtered.

`GOLDEN_UPDATE=1 .venv/bin/pytest tests/golden` writes the files anew; look at the difference before it is committed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from plimsoll.cli import main

_UPDATE = "GOLDEN_UPDATE" in os.environ
_FILTERS = (
    (re.compile(r"\b\d{8}-\d{6}-[a-z0-9]{6}\b"), "[RUN]"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z|\+00:00)?"), "[TIME]"),
    (re.compile(r"CPU time [\d.]+ µs per I/O.*"), "CPU time [COST] per I/O"),
    (re.compile(r"plimsoll-(\w+)-[0-9a-f]{16}"), r"plimsoll-\1-[TOKEN]"),
    (re.compile(r"has [\d.,]+ [KMGT]iB free"), "has [FREE] free"),
    (re.compile(r"plimsoll \d+\.\d+\.\d+\S*"), "plimsoll [VERSION]"),
    (re.compile(r"python \d+\.\d+\.\d+\S*"), "python [VERSION]"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
)


def transcribe(
    words: Sequence[str], capsys: pytest.CaptureFixture[str], folder: Path | None = None, talk: bool = True
) -> str:
    """Runs the command in this process and returns what a user saw; `folder` is shown as [FOLDER].

    Without `talk` standard error is left out: how often progress is told depends on the speed of the machine.
    """
    capsys.readouterr()
    status = main.run(list(words))
    seen = capsys.readouterr()
    parts = [f"$ plimsoll {' '.join(words)}"]
    for name, text in (("stdout", seen.out), ("stderr", seen.err if talk else "")):
        if text:
            parts += [f"[{name}]", text.rstrip("\n")]
    parts.append(f"[exit {status}]")
    return filtered("\n".join(parts) + "\n", folder)


def filtered(text: str, folder: Path | None = None) -> str:
    """The text without times, tokens and places of this run."""
    if folder is not None:
        text = text.replace(str(folder), "[FOLDER]")
    text = text.replace(os.environ["HOME"], "[HOME]")
    for pattern, shown in _FILTERS:
        text = pattern.sub(shown, text)
    return text


def assert_golden(path: Path, text: str) -> None:
    """That the text is the one kept at `path`; writes it there when asked to."""
    if _UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), f"there is no transcript {path.name}; see tests/transcript.py"
    assert text == path.read_text(encoding="utf-8")
