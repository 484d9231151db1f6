"""What a second cache answers: an LRU that was really run, the bounds of what the curve does not reach, and what it cannot tell."""

from __future__ import annotations

import random
from collections import OrderedDict

import pytest

from facts_placement import inventory, item
from plimsoll.facts import CacheSize, HitCurve, HitPoint
from plimsoll.facts.flash import CurveOf
from plimsoll.placement.flash.hits import advised, below, larger
from plimsoll.placement.miss_curve import Range, misses


def curve(*points: tuple[int, float], of: CurveOf = "buffer cache") -> HitCurve:
    return HitCurve(
        of=of,
        points=tuple(HitPoint(cache_bytes=size, miss_share=left) for size, left in points),
        source="made",
    )


FALLING = curve((10, 1.0), (20, 0.6), (40, 0.2))


class Lru:
    """A cache of so many blocks; `use` says whether it held the block, and which one it threw out."""

    def __init__(self, blocks: int) -> None:
        self.blocks, self.held = blocks, OrderedDict[int, None]()

    def use(self, block: int) -> tuple[bool, int | None]:
        hit = self.held.pop(block, 0) is None
        self.held[block] = None
        thrown = self.held.popitem(last=False)[0] if len(self.held) > self.blocks else None
        return hit, thrown


def trace() -> list[int]:
    """Blocks of which some are asked for much more often than others."""
    draw = random.Random(20)
    return [int(400 * draw.random() ** 3) for _ in range(30_000)]


def missed(blocks: int) -> int:
    cache = Lru(blocks)
    return sum(not cache.use(block)[0] for block in trace())


def test_a_victim_cache_answers_what_the_curve_of_one_lru_says() -> None:
    """The two caches exclude each other: what leaves the first enters the second, what the second answers leaves it."""
    first, second, reads = Lru(40), Lru(60), 0
    for block in trace():
        hit, thrown = first.use(block)
        if not hit and second.held.pop(block, 0) is not None:
            reads += 1
        if thrown is not None:
            second.use(thrown)
    found = below(curve((40, missed(40)), (60, missed(60)), (100, missed(100))), 40, 60)
    assert found is not None
    assert found.most.home * missed(40) == pytest.approx(reads)
    assert found.most.flash + found.most.home == pytest.approx(1.0)


def test_a_cache_that_holds_what_memory_holds_as_well_is_about_the_low_end() -> None:
    """It sees only what the first one misses, and so forgets what the first one still answers: no curve bounds that."""
    first, second, reads = Lru(40), Lru(60), 0
    for block in trace():
        if not first.use(block)[0]:
            reads += not second.use(block)[0]
    found = below(curve((40, missed(40)), (60, missed(60)), (100, missed(100))), 40, 60)
    assert found is not None
    assert reads / missed(40) == pytest.approx(found.least.home, rel=0.02)
    assert found.most.home < reads / missed(40)


def test_between_two_points_misses_lie_on_the_line() -> None:
    assert misses(FALLING, 15) == Range(0.8, 0.8)
    assert misses(FALLING, 40) == Range(0.2, 0.2)


def test_beyond_the_end_it_is_bounded_and_before_the_start_not_known() -> None:
    assert misses(FALLING, 41) == Range(0.0, 0.2)
    assert misses(FALLING, 9) is None


def test_flash_beyond_the_end_answers_at_least_what_the_end_says_and_at_most_all() -> None:
    found = below(FALLING, 10, 500)
    assert found is not None
    assert (found.least.flash, found.most.flash) == pytest.approx((0.8, 1.0))


def test_flash_smaller_than_the_buffer_cache_may_answer_nothing() -> None:
    found = below(FALLING, 20, 10)
    assert found is not None
    assert found.least.flash == 0.0
    assert found.most.flash == pytest.approx((0.6 - 0.4) / 0.6)


def test_a_directory_takes_from_the_buffer_cache() -> None:
    found = below(FALLING, 20, 20, taken_bytes=5)
    assert found is not None
    # 15 bytes of cache are left, which miss 0.8 where 20 missed 0.6, and with flash 0.3 of that go to disk.
    assert found.most.home == pytest.approx(0.3 / 0.6)
    assert found.most.flash == pytest.approx((0.8 - 0.3) / 0.6)


@pytest.mark.parametrize(
    ("cache_bytes", "taken_bytes"),
    [(None, 0), (5, 0), (50, 0), (12, 5)],
    ids=["size", "before", "beyond", "directory"],
)
def test_what_the_curve_does_not_tell_is_not_known(cache_bytes: int | None, taken_bytes: int) -> None:
    assert below(FALLING, cache_bytes, 10, taken_bytes) is None


def test_a_cache_of_which_nothing_is_missed_has_no_shares() -> None:
    assert below(curve((10, 1.0), (20, 0.0)), 20, 10) is None


def test_a_curve_of_flash_itself_needs_no_buffer_cache() -> None:
    found = below(curve((0, 1.0), (10, 0.4), of="flash"), None, 5)
    assert found is not None
    assert found.least == found.most
    assert (found.least.flash, found.least.home) == pytest.approx((0.3, 0.7))
    assert larger(curve((0, 1.0), (10, 0.4), of="flash"), 5, 5) is None


def test_more_memory_leaves_fewer_reads() -> None:
    found = larger(FALLING, 10, 10)
    assert found is not None
    assert found.least.home == found.most.home == pytest.approx(0.6)
    assert found.least.flash == 0.0
    beyond = larger(FALLING, 20, 100)
    assert beyond is not None
    assert (beyond.least.home, beyond.most.home) == pytest.approx((0.2 / 0.6, 0.0))


def test_the_advisory_of_a_report_is_a_curve() -> None:
    sizes = (
        CacheSize(cache_bytes=20, physical_reads=600.0),
        CacheSize(cache_bytes=10, physical_reads=1000.0),
    )
    found = advised(inventory(item("a"), cache_sizes=sizes))
    assert found is not None
    assert [(one.cache_bytes, one.miss_share) for one in found.points] == [(10, 1.0), (20, 0.6)]
    assert advised(inventory(item("a"))) is None
