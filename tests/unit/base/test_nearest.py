"""The word that was meant, or none."""

from __future__ import annotations

import pytest

from plimsoll.base.nearest import nearest

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
