"""Numbers are read as they are printed, or not at all."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.reports.spool.numbers import number, whole_number


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30, places=6))
def test_what_is_printed_comes_back(value: Decimal) -> None:
    assert number(f"{value:f}", ".") == value
    assert number(f"{value:f}".replace(".", ","), ",") == value


def test_oracle_leaves_the_zero_before_the_sign_out() -> None:
    assert number(".5", ".") == Decimal("0.5")
    assert number("1,5", ",") == Decimal("1.5")
    assert number("", ".") is None


@pytest.mark.parametrize(
    "text", ["1,5", "1.234,5", "abc", "1e5", "--1", "1 2", "NaN", "9" * 200, "1E999", "####", "\u0661"]
)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no number|another decimal sign|larger or smaller"):
        number(text, ".")


@pytest.mark.parametrize("text", ["", "-1", "1.0", "9" * 30])
def test_counts_are_whole(text: str) -> None:
    with pytest.raises(ValueError, match="no whole number"):
        whole_number(text)
