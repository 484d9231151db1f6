"""Blocks on a terminal: a line of ours is one line, whatever names of others stand in it."""

from __future__ import annotations

import pytest

from plimsoll.cli.blocks import show_blocks
from plimsoll.results import Folded, Pairs, Points, Words

ODD = "a\nb\x1b[2J.html"


@pytest.mark.parametrize(
    "block", [Words(f"of {ODD} and more"), Points(((ODD, f"see {ODD}"),)), Pairs(ODD, (("file", ODD),))]
)
def test_a_name_with_a_new_line_makes_none(block: Words, capsys: pytest.CaptureFixture[str]) -> None:
    show_blocks([block])
    shown = capsys.readouterr().out
    assert shown.count("\n") == 1
    assert r"a\x0ab\x1b[2J.html" in shown


def test_a_text_of_several_lines_stays_one(capsys: pytest.CaptureFixture[str]) -> None:
    show_blocks([Folded("The plan", "Sort\n  -> Scan")])
    assert capsys.readouterr().out.splitlines() == ["The plan", "Sort", "  -> Scan"]
