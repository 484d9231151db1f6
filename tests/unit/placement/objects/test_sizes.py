"""Sizes from a file: by object, and whatever is off in it with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.placement.objects.sizes import read_sizes


def test_sizes_have_units_and_columns_any_order(tmp_path: Path) -> None:
    file = tmp_path / "sizes.csv"
    file.write_text('﻿bytes,owner,object\n12g,SHOP,SHOP.ORDERS\n\n8192,SHOP,"SHOP.A,B"\n', encoding="utf-8")
    assert read_sizes(file) == {"SHOP.ORDERS": 12 << 30, "SHOP.A,B": 8192}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("object\nA\n", "line 1: the column bytes is missing"),
        ("", "line 1: the column object is missing"),
        ("object,bytes\nA\n", "line 2: it has 1 cells, and the first line 2"),
        ("object,bytes\nA,1\nA,2\n", "line 3: 'A' is already on a line before"),
        ("object,bytes\n,1\n", "line 2: the name of the object is missing"),
        ("object,bytes\nA,much\n", "line 2: bytes: cannot read 'much' as a size"),
    ],
)
def test_what_is_off_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "sizes.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_sizes(file)
    assert caught.value.id == "sizes-unreadable"
    assert said in caught.value.message


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(PlimsollError) as caught:
        read_sizes(tmp_path / "none.csv")
    assert caught.value.id == "file-missing"
    file = tmp_path / "sizes.csv"
    file.write_bytes(b"object,bytes\n\xff\xfe,1\n")
    with pytest.raises(UsageError) as caught:
        read_sizes(file)
    assert caught.value.id == "sizes-unreadable"
    assert "not UTF-8 text" in caught.value.message
