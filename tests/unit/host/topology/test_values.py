"""Lists and masks as the kernel writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.host.topology.values import CPUS_MAX, in_short, parse_list, parse_mask, parse_size

NUMBERS = st.frozensets(st.integers(0, 2_000), max_size=60)


@given(NUMBERS)
def test_a_list_is_read_as_it_was_written(numbers: frozenset[int]) -> None:
    assert parse_list(in_short(numbers)) == numbers


@given(NUMBERS)
def test_a_mask_is_read_as_it_was_written(numbers: frozenset[int]) -> None:
    digits = f"{sum(1 << number for number in numbers):x}"
    padded = digits.zfill(-(-len(digits) // 8) * 8)
    groups = [padded[at : at + 8] for at in range(0, len(padded), 8)]
    assert parse_mask(",".join(groups)) == numbers


@given(st.text(max_size=40))
def test_whatever_stands_there_is_read_or_refused(text: str) -> None:
    for parse in (parse_list, parse_mask):
        try:
            found = parse(text)
        except ValueError:
            continue
        assert all(0 <= number < CPUS_MAX for number in found)


@pytest.mark.parametrize("text", ["3-1", "0-", "a", "0-70000", "1;2", "-1", "0--3"])
def test_a_damaged_list_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_list(text)


@pytest.mark.parametrize(
    ("text", "numbers"), [("0000,00000000,00000003", {0, 1}), ("ff", set(range(8))), ("1,00000000", {32})]
)
def test_masks_of_several_groups(text: str, numbers: set[int]) -> None:
    assert parse_mask(text) == numbers


def test_a_mask_that_would_take_all_memory_is_refused() -> None:
    with pytest.raises(ValueError, match="f"):
        parse_mask("f" * CPUS_MAX)


def test_sizes() -> None:
    assert [parse_size(text) for text in ("32K", "30M", "512", "1G")] == [32 << 10, 30 << 20, 512, 1 << 30]
