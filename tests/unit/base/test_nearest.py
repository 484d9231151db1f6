"""The word that was meant, or none."""

from __future__ import annotations

import pytest

from plimsoll.base.nearest import did_you_mean, nearest

KNOWN = ["again", "assess", "calibrate", "demand", "demo", "io", "line", "read", "report", "shapes", "store"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("calibarte", "calibrate"),
        ("asess", "assess"),
        ("repotr", "report"),
        ("cal", "calibrate"),
        ("lines", "line"),
        ("oi", "io"),
        ("de", None),  # two begin with it
        ("frobnicate", None),
        ("x", None),
        ("seed", None),
        ("", None),
    ],
)
def test_few_slips_lead_to_it(word: str, meant: str | None) -> None:
    assert nearest(word, KNOWN) == meant


def test_two_that_are_as_near_are_none() -> None:
    assert nearest("--bloc", ["--block", "--blocs"]) is None
    assert nearest("read", ["lead", "road"]) is None


def test_a_question_names_all_that_are_as_near() -> None:
    assert did_you_mean("bsh", ["bash", "zsh", "fish"]) == "Did you mean bash or zsh? "
    assert did_you_mean("asess", KNOWN, "plimsoll ") == "Did you mean plimsoll assess? "
    assert did_you_mean("frobnicate", KNOWN) == ""
    assert did_you_mean("x", []) == ""
