"""Runs a command in this process and gives back all that it said and left, for tests that look for what must not be in there."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
import typer

from plimsoll.cli import main, parser

_parser = None


def at_home_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes it the working folder, with everything of a user's in it, and the parser one that is made once.

    What the parser is made of takes longer than all the rest of a command that fails.
    """
    global _parser
    _parser = made = _parser or typer.main.get_command(parser.build_app())
    for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(folder / "home"))
    monkeypatch.chdir(folder)
    monkeypatch.setattr(parser, "build_app", lambda asked: made)


def said(words: Sequence[str], monkeypatch: pytest.MonkeyPatch, expected: Sequence[int]) -> str:
    """What a command prints on either stream, with the variables of ours that stand before its words."""
    rest, heard = list(words), io.BytesIO()
    out = io.TextIOWrapper(heard, encoding="utf-8", write_through=True)
    with monkeypatch.context() as patch:
        while rest[0].startswith("PLIMSOLL_"):
            name, _, value = rest.pop(0).partition("=")
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["plimsoll", *rest])
        with redirect_stdout(out), redirect_stderr(out):
            status = main.run(rest)
    text = heard.getvalue().decode()
    assert status in expected, (words, status, text)
    return text


def everything_in(folder: Path) -> str:
    """Names and contents of all files below a folder."""
    paths = list(folder.rglob("*"))
    texts = [path.read_bytes().decode("utf-8", errors="replace") for path in paths if path.is_file()]
    return "\n".join([*map(str, paths), *texts])
