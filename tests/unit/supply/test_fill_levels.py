"""Levels of fill: how they are typed, how much is written, and what they say."""

from __future__ import annotations

import pytest

import facts_builder
from plimsoll.base.errors import UsageError
from plimsoll.facts import Check, FillLevel
from plimsoll.supply.fill_levels import in_words, parse_levels, part_of

MIB = 1 << 20


def test_levels_are_percent_that_rise() -> None:
    assert parse_levels("50,80,95") == (0.5, 0.8, 0.95)
    assert parse_levels("100") == (1.0,)


@pytest.mark.parametrize(
    "text", ["", "50,", "0,50", "50,101", "80,50", "50,50", "half", "-5", "nan", "inf", "50%"]
)
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_levels(text)
    assert caught.value.id == "fill-unreadable"


@pytest.mark.parametrize(
    ("span", "level", "mib"), [(100 * MIB, 0.5, 50), (100 * MIB + 5, 1.0, 100), (10 * MIB, 0.95, 9)]
)
def test_a_part_is_whole_megabytes_and_never_more_than_there_is(span: int, level: float, mib: int) -> None:
    assert part_of(span, level) == mib * MIB


def level(share: float, iops: float, steady: bool | None = True) -> FillLevel:
    checks = (Check(name="steady", passed=steady, reason="so"),)
    cell = facts_builder.cell(None).model_copy(update={"iops": iops, "checks": checks})
    return FillLevel(level_share=share, filled_bytes=MIB, cell=cell)


def test_the_highest_level_beside_the_lowest() -> None:
    words = in_words([level(0.5, 40_000.0), level(0.8, 30_000.0), level(0.95, 10_000.0, steady=False)])
    assert words == (
        "From 50 % to 95 % full the rate goes from 40,000 to 10,000 I/Os per second, 0.25 times that. Not steady at 95 %."
    )
    assert "nothing to compare" in in_words([level(0.5, 1.0)])
    assert "nothing to compare" in in_words([])
