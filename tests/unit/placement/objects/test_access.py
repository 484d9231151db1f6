"""What is said of an object's reads: bounds that hold, a guess within them, and whether memory answers it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.facts import CountBound
from plimsoll.placement.objects.access import UNKNOWN, Between, by_blocks, by_requests, in_cache

MIB = 1 << 20


def test_reads_of_single_blocks_alone_are_exact() -> None:
    reads = by_requests(blocks=500, requests=500, large_blocks=None, large_blocks_max=128)
    assert (reads.small.value, reads.large.value) == (500, 0)
    assert reads.small.bound("small_reads") == ()


def test_blocks_and_requests_leave_little_room() -> None:
    reads = by_requests(blocks=1000 + 10 * 100, requests=1010, large_blocks=100, large_blocks_max=128)
    assert reads.large.guess == pytest.approx(10)
    assert reads.small.guess == pytest.approx(1000)
    assert reads.large.low <= 10 <= reads.large.high
    assert reads.large_blocks_mean == pytest.approx(100)


def test_an_unknown_size_of_large_reads_leaves_bounds_alone() -> None:
    reads = by_requests(blocks=2000, requests=1010, large_blocks=None, large_blocks_max=128)
    assert reads.small.value is None
    assert reads.small.bound("small_reads") == (
        CountBound(count="small_reads", low=20, high=1010 - 990 / 127),
    )


@given(
    small=st.integers(0, 10**6),
    large=st.integers(0, 10**5),
    blocks=st.floats(2, 128),
    guessed=st.one_of(st.none(), st.floats(1, 128)),
)
def test_the_truth_lies_within_the_bounds(
    small: int, large: int, blocks: float, guessed: float | None
) -> None:
    reads = by_requests(small + large * blocks, small + large, guessed, 128)
    near = 1e-6 * (1 + small + large * blocks)
    assert reads.small.low - near <= small <= reads.small.high + near
    assert reads.large.low - near <= large <= reads.large.high + near
    for one in (reads.small, reads.large):
        assert one.guess is None or one.low - near <= one.guess <= one.high + near


def test_blocks_alone_may_be_anything() -> None:
    reads = by_blocks(800, 16)
    assert (reads.small.low, reads.small.high, reads.large.high) == (0, 800, 50)


def test_what_nothing_bounds_has_no_upper_end() -> None:
    assert UNKNOWN.value is None
    assert UNKNOWN.bound("small_reads") == (CountBound(count="small_reads", low=0, high=None),)


def test_a_guess_stays_within_its_ends() -> None:
    assert Between(2, 4).at(7).guess == 4
    assert Between(2, 4).at(-1).guess == 2
    assert Between(2, 4, 3).taken_from(10) == Between(6, 8, 7)


@pytest.mark.parametrize(
    ("size_mib", "blocks_read", "hits", "lives"),
    [
        (4, 100, 0, True),
        (4, 512, 5_000, True),
        (4, 5_000, 5_000, False),
        (4, None, None, True),
        (60, None, None, None),
        (60, 1_000, 20_000, True),
        (60, 1_000, 5_000, False),
        (60, 20_000, 900_000, False),
        (120, 0, 0, False),
    ],
)
def test_small_beside_the_cache_unless_its_own_history_says_otherwise(
    size_mib: int, blocks_read: int | None, hits: int | None, lives: bool | None
) -> None:
    found = in_cache(size_mib * MIB, 100 * MIB, 8192, blocks_read, hits)
    assert found.lives is lives
    if lives:
        assert "buffer cache" in found.reason


def test_what_is_small_and_read_again_and_again_is_said_to_want_a_pool() -> None:
    found = in_cache(4 * MIB, 100 * MIB, 8192, 5120, 0)
    assert found.reason == (
        "it is 4 % of the buffer cache, and yet was read 10.0 times over: a pool that keeps it would spare these reads"
    )


def test_without_a_size_or_a_cache_nothing_is_said() -> None:
    assert in_cache(None, 100 * MIB, 8192, 5, 5).lives is None
    assert in_cache(MIB, None, 8192, 5, 5).lives is None
