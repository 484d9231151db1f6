"""Questions to the person at the terminal: asked there and nowhere else, and not at all where there is none."""

from __future__ import annotations

import io
import os
import pty
import sys

import pytest

from plimsoll.cli.ask import ask_line


def test_the_answer_is_the_line_that_was_typed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal, inside = pty.openpty()
    with open(terminal, "r+b", buffering=0) as outside, open(inside) as keyboard:
        monkeypatch.setattr(sys, "stdin", keyboard)
        outside.write(b" loop0 \n")
        assert ask_line("Type loop0: ") == "loop0"
        # The terminal's echo may come in a piece of its own.
        shown = b""
        while b"Type loop0: " not in shown:
            shown += outside.read(1024)
    assert capsys.readouterr() == ("", ""), "neither data nor talk, which may go to files"


def test_who_closes_the_terminal_has_not_agreed(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, inside = pty.openpty()
    with open(terminal, "r+b", buffering=0) as outside, open(inside) as keyboard:
        monkeypatch.setattr(sys, "stdin", keyboard)
        outside.write(b"\x04")
        assert ask_line("Type loop0: ") == ""


def test_nobody_is_asked_where_nobody_can_type(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open(os.devnull) as nothing:
        for source in (io.StringIO("loop0\n"), nothing):
            monkeypatch.setattr(sys, "stdin", source)
            assert ask_line("Type loop0: ") is None
    assert capsys.readouterr() == ("", "")
