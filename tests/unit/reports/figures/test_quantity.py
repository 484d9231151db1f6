"""Numbers that remember how exactly they are printed."""

from __future__ import annotations

import pytest

from plimsoll.reports.figures.evidence import rounding
from plimsoll.reports.figures.quantity import Quantity, added, agree, less, ratio


def known(value: float, slack: float = 0.0, source: str = "IO Profile") -> Quantity:
    return Quantity(value, slack, source, ())


@pytest.mark.parametrize(
    ("text", "number", "value", "half"),
    [
        ("1,204.50", 1204.5, 1204.5, 0.005),
        ("12", 12.0, 12.0, 0.5),
        ("1.5G", 1.5, 1.5 * 2**30, 0.05 * 2**30),
        ("7.1E+04", 71_000.0, 71_000.0, 500.0),
        (".013140", 0.01314, 0.01314 * 2**20, 5e-7 * 2**20),
        ("0M", 0.0, 0.0, 0.5 * 2**20),
        ("0.00", 0.0, 0.0, 0.005),
        ("2409.1K", 2409.1, 2_409_100.0, 50.0),
        ("-0.0", 0.0, 0.0, 0.05),
    ],
)
def test_half_of_the_last_digit(text: str, number: float, value: float, half: float) -> None:
    assert rounding(text, number, value) == pytest.approx(half)


def test_a_decimal_comma_is_one() -> None:
    assert rounding("1.204,50", 1204.5, 1204.5, comma=True) == pytest.approx(0.005)


def test_sums_and_differences_grow_looser() -> None:
    total = added([known(10, 0.5), known(5, 0.25, "IOStat by Function")], "sum")
    assert total is not None
    assert (total.value, total.slack, total.source) == (15, 0.75, "IO Profile and IOStat by Function")
    rest = less(total, [known(20, 1)], "rest")
    assert (rest.value, rest.slack) == (-5, 1.75)
    assert added([], "sum") is None


def test_a_quotient_of_zero_is_unknown() -> None:
    assert ratio(known(1), known(0), "") is None
    quotient = ratio(known(10, 0.1), known(4, 0.04), "")
    assert quotient is not None
    assert (quotient.value, quotient.slack) == (2.5, pytest.approx(0.05))


def test_two_prints_agree_within_their_rounding_and_no_further() -> None:
    assert agree(known(100, 0.5), known(100.9, 0.5))
    assert not agree(known(100, 0.5), known(101.1, 0.5))
    assert agree(known(100, 0.5), known(101.1, 0.5), share=0.002)


def test_a_printed_zero_is_as_loose_as_can_be() -> None:
    assert known(0, 0.5).looseness == float("inf")
    assert known(0).looseness == 0.0
    assert known(200, 1).looseness == 0.005
