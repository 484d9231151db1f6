"""What an object costs on a tier: counts × latencies, less what memory answers, held against what was measured."""

from __future__ import annotations

import pytest

from facts_placement import GIB, curved, flat, inventory, item, tier
from plimsoll.facts import CountBound
from plimsoll.placement import tiers as tier_numbers
from plimsoll.placement.gain import (
    Cost,
    cost_of,
    interval_of,
    is_open,
    latencies_at,
    size_of,
    work_of,
)

DISK, FLASH = tier("disk", 5000.0), tier("flash", 200.0)


def seconds(one: Cost, there: object = FLASH, is_home: bool = False) -> float:
    return one.seconds(there, latencies_at(there, 0.0), is_home)  # type: ignore[arg-type]


def cost(**more: object) -> Cost:
    return cost_of(work_of(item("a", **more)), DISK, latencies_at(DISK, 0.0))  # type: ignore[arg-type]


def test_a_read_costs_its_latency_on_each_tier() -> None:
    one = cost(small_reads=1000.0)
    assert seconds(one, DISK, True) == pytest.approx(5.0)
    assert seconds(one) == pytest.approx(0.2)


def test_reads_that_memory_answers_cost_nothing_anywhere() -> None:
    one = cost(small_reads=1000.0, large_reads=100.0, cached_share=1.0)
    assert seconds(one, DISK, True) == 0.0
    assert one.ios == 0.0


def test_background_writes_load_a_tier_and_cost_nobody_anything() -> None:
    one = cost(background_writes=500.0)
    assert one.ios == 500.0
    assert seconds(one, DISK, True) == 0.0


def test_measured_less_than_reckoned_never_reached_storage() -> None:
    one = cost(small_reads=1000.0, read_s=0.5)
    assert seconds(one, DISK, True) == pytest.approx(0.5)
    assert seconds(one) == pytest.approx(0.02)
    assert one.ios == pytest.approx(100.0)


def test_where_the_cached_share_is_known_measured_seconds_are_the_present_tiers_alone() -> None:
    one = cost(small_reads=1000.0, cached_share=0.0, read_s=0.5)
    assert seconds(one, DISK, True) == pytest.approx(0.5)
    assert seconds(one) == pytest.approx(0.2)


def test_a_tier_that_is_slower_than_it_was_said_to_be_says_nothing_of_others() -> None:
    one = cost(small_reads=1000.0, read_s=20.0)
    assert seconds(one, DISK, True) == pytest.approx(20.0)
    assert seconds(one) == pytest.approx(0.2)


@pytest.mark.parametrize(("waited", "there"), [(5.0, 0.2), (8.0, 0.32), (50.0, 0.4)])
def test_a_commit_waits_for_at_most_two_writes_of_the_log_on_any_tier(waited: float, there: float) -> None:
    one = cost(small_reads=0.0, small_writes=1000.0, write_s=waited, kind="wal")
    assert seconds(one, DISK, True) == pytest.approx(waited)
    assert seconds(one) == pytest.approx(there)


def test_bytes_beyond_the_measured_read_take_their_time() -> None:
    scanned = tier(
        "flash", 200.0, large_read_us=flat(1000.0), large_read_bytes=131_072, large_read_mb_per_s=1000.0
    )
    one = cost(large_reads=1000.0, large_read_bytes_mean=1_131_072.0)
    assert seconds(one, scanned) == pytest.approx(2.0)


def test_of_bounds_the_end_that_gains_least_comes_first() -> None:
    bounded = item("a", small_reads=None, bounds=(CountBound(count="small_reads", low=10.0, high=90.0),))
    assert (work_of(bounded).small_reads, work_of(bounded, "high").small_reads) == (10.0, 90.0)
    assert not is_open(bounded)
    cached = item("a", 100.0, bounds=(CountBound(count="cached_share", low=0.2, high=0.9),))
    assert work_of(cached).small_reads == pytest.approx(10.0)
    assert work_of(cached, "high").small_reads == pytest.approx(80.0)
    sized = item("a", size_bytes=None, bounds=(CountBound(count="size_bytes", low=GIB, high=2 * GIB),))
    assert size_of(sized) == 2 * GIB


def test_a_count_without_an_upper_end_has_no_greatest_gain() -> None:
    assert is_open(item("a", small_reads=None))
    assert is_open(item("a", small_reads=None, bounds=(CountBound(count="small_reads", low=1.0, high=None),)))
    assert work_of(item("a", small_reads=None)).unknown == ("small_reads",)


@pytest.mark.parametrize(
    ("waited", "unseen", "scale"), [(None, None, 1.0), (2.5, None, 0.5), (10.0, 0.75, 0.5), (50.0, None, 1.0)]
)
def test_waits_bound_what_was_reckoned_less_what_is_unseen(
    waited: float | None, unseen: float | None, scale: float
) -> None:
    found = interval_of(
        inventory(foreground_io_wait_s=waited), [work_of(item("a", 1000.0))], [0], [DISK], unseen
    )
    assert found.reckoned_s == pytest.approx(5.0)
    assert found.scale == pytest.approx(scale)


@pytest.mark.parametrize(
    ("cached", "hot", "cold"),
    [
        (0.5, 1000 * 0.02 / 4.02, 1000 * 4.0 / 4.02),
        (0.25, 500.0, 1000.0),
        (0.0, 1000.0, 1000.0),
        (1.0, 0.0, 0.0),
    ],
)
def test_measured_seconds_say_whose_reads_memory_answers(cached: float, hot: float, cold: float) -> None:
    """On a disk that took twice as long as was said: both have as many reads, and one 200 times the seconds of the other."""
    items = [item("hot", 1000.0, read_s=0.05), item("cold", 1000.0, read_s=10.0)]
    found = interval_of(
        inventory(*items, cached_read_share=cached), [work_of(one) for one in items], [0, 0], [DISK], None
    )
    assert [cost.ios for cost in found.costs] == pytest.approx([hot, cold])
    if cached < 1:
        at_home = [seconds(cost, DISK, is_home=True) for cost in found.costs]
        assert at_home == pytest.approx([0.05, 10.0])
        assert seconds(found.costs[1]) == pytest.approx(cold * 200e-6)


@pytest.mark.parametrize("count", [1, 3, 10])
def test_where_memory_answers_nothing_every_read_reaches_storage(count: int) -> None:
    items = [item(f"o{number}", 1000.0 / 3 + number, read_s=0.1) for number in range(count)]
    found = interval_of(
        inventory(*items, cached_read_share=0.0), [work_of(one) for one in items], [0] * count, [DISK], None
    )
    assert [cost.ios for cost in found.costs] == pytest.approx([one.small_reads for one in items])


def test_what_nobody_waited_for_reached_no_storage() -> None:
    items = [item("silent", 1000.0, read_s=0.0), item("read", 1000.0, read_s=5.0)]
    found = interval_of(
        inventory(*items, cached_read_share=0.1), [work_of(one) for one in items], [0, 0], [DISK], None
    )
    assert [cost.ios for cost in found.costs] == pytest.approx([0.0, 1000.0])


def test_a_share_of_all_leaves_those_alone_that_have_their_own() -> None:
    items = [
        item("own", 1000.0, cached_share=0.9, read_s=1.0),
        item("unmeasured", 1000.0),
        item("rest", 1000.0, read_s=5.0),
    ]
    found = interval_of(
        inventory(*items, cached_read_share=0.4), [work_of(one) for one in items], [0, 0, 0], [DISK], None
    )
    assert [cost.ios for cost in found.costs] == pytest.approx([100.0, 1000.0, 600.0])


def test_latency_lies_on_straight_lines_and_ends_with_its_curve() -> None:
    curve = curved((0, 100), (1000, 200), (2000, 150))
    assert [tier_numbers.latency_us(curve, load) for load in (0, 500, 1000, 5000)] == [100, 150, 200, 150]
    assert tier_numbers.least_us(curve, 900) == 150
    assert tier_numbers.slope_us(curve, 10) == pytest.approx(0.1)
    assert tier_numbers.slope_us(curve, 1500) == 0.0
    assert tier_numbers.load_max_per_s(tier("a", curve)) == 2000
    assert tier_numbers.load_max_per_s(tier("a", curve, iops_max=500.0)) == 500
    assert tier_numbers.load_max_per_s(tier("a", 100.0)) is None


def test_endurance_counts_each_copy_and_is_unknown_without_writes() -> None:
    mirror = tier("a", 100.0, rated_write_bytes=tier_numbers.YEAR_S * 100.0, redundancy=2.0)
    assert tier_numbers.endurance_years(mirror, 10.0 * 3600, 3600.0) == pytest.approx(5.0)
    assert tier_numbers.endurance_years(mirror, None, 3600.0) is None
    assert tier_numbers.endurance_years(mirror, 0.0, 3600.0) is None
    assert tier_numbers.endurance_years(tier("a", 100.0), 10.0, 3600.0) is None
