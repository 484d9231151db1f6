"""Names of files that others chose: one name, of a length that file systems take, and no two of them alike."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.filenames import file_name, shortened


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ORCL", "ORCL"),
        ("../../etc/passwd", "-..-etc-passwd"),
        (".hidden", "hidden"),
        ("", "-"),
        ("..", "-"),
        ("a b\n\0c", "a-b-c"),
    ],
)
def test_one_name(text: str, name: str) -> None:
    assert file_name(text) == name


def test_long_ones_are_cut_and_kept_apart(tmp_path: Path) -> None:
    one, other = file_name("x" * 5000), file_name("x" * 5001)
    assert one != other
    for name in (one, other, file_name("ü" * 300), shortened("%C3%BC" * 200)):
        assert len(name.encode()) <= 200
        (tmp_path / f"{name}.json").touch()


@given(st.text())
def test_any_text_is_a_name(text: str) -> None:
    name = file_name(text)
    assert name not in ("", ".", "..")
    assert "/" not in name
    assert not name.startswith(".")
    assert len(os.fsencode(name)) <= 200
