"""A text that a spreadsheet would run gets a quote; a number does not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.errors import UsageError
from plimsoll.base.spreadsheets import check_formulas
from plimsoll.native.datasets import as_text, begins_formula

RUN = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "+A1",
    "-A1",
    "- 1",
    "\uff1d1",
    "-5e3",
]
NOT_RUN = ["", "a=b", "5", "-5", "+5", "-1,234.5", "5%", "-5%", "-", "name", " =1"]


def test_formulas_become_texts_and_nothing_else_changes() -> None:
    assert [as_text(text) for text in RUN] == [f"'{text}" for text in RUN]
    assert [as_text(text) for text in NOT_RUN] == NOT_RUN
    assert [as_text(value) for value in (None, 5, -5.0, True)] == [None, 5, -5.0, True]


@given(st.text(st.sampled_from("=+-@\t\r1a .,%(\n\uff1d")))
def test_a_formula_is_what_the_pattern_says(text: str) -> None:
    signs = "\uff1d\uff0b\uff0d\uff20"
    pattern = rf"[=@\t\r{signs}]|[+-](?:[^0-9]|[0-9.,]*[^0-9.,%])"
    assert begins_formula(text) == (re.match(pattern, text) is not None)


def test_other_formats_have_no_cells_to_run() -> None:
    check_formulas("csv")
    with pytest.raises(UsageError) as caught:
        check_formulas("parquet")
    assert caught.value.id == "format-no-formulas"
