"""A text that a spreadsheet would run gets a quote, by Python and by Arrow alike; a number does not."""

from __future__ import annotations

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import compute

from plimsoll.base.errors import UsageError
from plimsoll.base.spreadsheets import FORMULA, QUOTE, as_text, check_formulas

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


def by_arrow(texts: list[str]) -> list[str]:
    options = compute.ReplaceSubstringOptions(FORMULA, rf"{QUOTE}\1")
    return compute.call_function(
        "replace_substring_regex", [pyarrow.array(texts, pyarrow.string())], options
    ).to_pylist()


def test_formulas_become_texts_and_nothing_else_changes() -> None:
    assert [as_text(text) for text in RUN] == [f"'{text}" for text in RUN]
    assert [as_text(text) for text in NOT_RUN] == NOT_RUN
    assert [as_text(value) for value in (None, 5, -5.0, True)] == [None, 5, -5.0, True]


@given(st.lists(st.text(st.sampled_from("=+-@\t\r1a .,%(\n\uff1d"))))
def test_both_ways_agree(texts: list[str]) -> None:
    assert by_arrow(texts) == [as_text(text) for text in texts]


def test_other_formats_have_no_cells_to_run() -> None:
    check_formulas("csv")
    with pytest.raises(UsageError) as caught:
        check_formulas("parquet")
    assert caught.value.id == "format-no-formulas"
