"""A placement put together: what moves and why, what limits it, when nothing is to be gained, and what it leaves out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from facts_placement import GIB, curved, inventory, item, tier
from plimsoll.base.errors import UsageError
from plimsoll.facts import CacheSize, CountBound, HitCurve, HitPoint, Inventory, Placement, UnseenShare
from plimsoll.placement.pins import Terms
from plimsoll.placement.plan import overfull, place

DISK, FLASH = tier("disk", 5000.0), tier("flash", 200.0, 10 * GIB)
HOT = item("hot", 1_000_000.0, 4 * GIB)
WARM = item("warm", 400_000.0, 7 * GIB)
COLD = item("cold", 10.0, 500 * GIB)


def planned(
    *objects: object, tiers: object = (DISK, FLASH), terms: Terms | None = None, **more: object
) -> Placement:
    return place([inventory(*objects, **more)], tiers, terms or Terms())  # type: ignore[arg-type]


def where(found: Placement) -> dict[str, str]:
    return {row.object: row.tier for row in found.plan}


def test_the_object_that_gains_most_within_the_capacity_moves() -> None:
    found = planned(HOT, WARM, COLD)
    assert where(found) == {"hot": "flash", "warm": "disk", "cold": "disk"}
    assert found.answer == "move"
    assert found.gain_s == pytest.approx(4800.0)
    assert (found.gap, found.moved_bytes, found.total_bytes) == (0.0, 4 * GIB, 511 * GIB)
    assert found.plan[0].object == "hot"
    assert found.plan[0].reason == "mostly small reads: 5 ms each now, 200 µs there"
    assert found.plan[1].reason.startswith(
        "stays: a move would gain 32 min, and room or budget gains more elsewhere"
    )
    assert found.plan[2].reason.endswith("but it is larger than the capacity of flash")
    assert found.tier_uses[1].bytes_after == 4 * GIB
    assert found.tier_uses[1].ios_per_s_after == pytest.approx(1e6 / 3600)


def test_what_may_not_lie_on_the_faster_tier_says_so() -> None:
    found = planned(HOT, WARM, terms=Terms(must_not=("warm=flash",)))
    assert {row.object: row.reason for row in found.plan}["warm"] == (
        "stays: no tier that it may lie on is faster for it"
    )


def test_what_is_larger_than_the_budget_says_so() -> None:
    found = planned(HOT, WARM, tiers=(DISK, tier("flash", 200.0)), terms=Terms(budget_bytes=5 * GIB))
    assert {row.object: row.reason for row in found.plan}["warm"] == (
        "stays: a move would gain 32 min, but it is larger than the budget"
    )


def test_a_group_that_is_larger_than_the_faster_tier_says_so() -> None:
    found = planned(HOT, WARM, item("other", 500_000.0, 4 * GIB), terms=Terms(together=(("warm", "other"),)))
    assert {row.object: row.reason for row in found.plan}["warm"].endswith(
        "but its group is larger than the capacity of flash"
    )


def test_without_a_capacity_what_gains_nothing_stays() -> None:
    still = item("still", 0.0, GIB)
    found = planned(HOT, COLD, still, tiers=(DISK, tier("flash", 200.0)))
    assert where(found) == {"hot": "flash", "cold": "flash", "still": "disk"}
    assert {row.object: row.reason for row in found.plan}["still"] == "stays: no session waited for I/O of it"


def test_what_was_not_counted_is_not_said_to_be_waited_for_by_nobody() -> None:
    unknown = item("unknown", 0.0, GIB).but(large_reads=None)
    found = planned(HOT, unknown, tiers=(DISK, tier("flash", 200.0)))
    assert {row.object: row.reason for row in found.plan}["unknown"] == "stays: no tier is faster for it"


def test_all_in_memory_gains_nothing_and_says_so() -> None:
    found = planned(item("a", 1e9, cached_share=1.0), item("b", 5e8, cached_share=0.99999), db_time_s=7200.0)
    assert found.answer == "nothing to gain"
    assert "cache hits" in found.reason
    assert "of all reads" in found.reason
    assert set(where(found).values()) == {"disk"}
    assert (found.gain_s, found.moved_bytes) == (0.0, 0)


def test_a_busy_host_gains_nothing_and_says_so() -> None:
    found = planned(HOT, db_time_s=20_000.0, foreground_io_wait_s=5000.0, cpu_busy_share=0.98)
    assert found.answer == "nothing to gain"
    assert "CPUs were 98 % busy" in found.reason
    assert where(found) == {"hot": "disk"}
    assert "room or budget" not in found.plan[0].reason, "it is the CPUs that leave nothing to gain"
    assert found.raw_gain_s == pytest.approx(4800.0)


def test_cpu_headroom_limits_the_gain() -> None:
    found = planned(HOT, db_time_s=10_000.0, foreground_io_wait_s=5000.0, cpu_busy_share=0.6)
    assert found.answer == "move"
    assert found.gain_s == pytest.approx(4000.0)
    assert found.limited_by == "cpu"
    assert found.gain_share == pytest.approx(0.4)


def test_hardly_any_wait_for_io_gains_nothing_and_says_so() -> None:
    found = planned(HOT, db_time_s=10_000.0, foreground_io_wait_s=40.0)
    assert found.answer == "nothing to gain"
    assert "sessions waited 40 s for I/O, 0.4 % of DB time" in found.reason


def test_waits_scale_what_overlaps() -> None:
    found = planned(HOT, db_time_s=10_000.0, foreground_io_wait_s=2500.0)
    assert found.gain_s == pytest.approx(2400.0)
    assert found.limited_by == "waits"
    assert any("I/Os overlap" in one for one in found.reasons)


def test_the_unseen_share_is_said_and_waits_for_itself() -> None:
    unseen = (UnseenShare(count="small_reads", share=0.5), UnseenShare(count="large_reads", share=None))
    found = planned(HOT, foreground_io_wait_s=5000.0, unseen=unseen)
    assert found.unseen_share == pytest.approx(0.5)
    assert found.gain_s == pytest.approx(2400.0)
    assert found.reasons[0].startswith("50 % of all I/Os belong to none of these objects")
    assert planned(HOT).unseen_share is None


def test_what_is_not_known_stays_and_is_named() -> None:
    found = planned(HOT, item("sizeless", 9e9, None), item("homeless", 9e9, on=None), item("uncounted", None))
    assert where(found) == {"hot": "flash", "sizeless": "disk", "homeless": "unknown", "uncounted": "disk"}
    told = " ".join(found.reasons)
    assert "sizeless, homeless stay: size or present tier is not known" in told
    assert "small reads of uncounted are not known, and in no gain" in told
    assert found.gain_s_max is None
    nothing = planned(item("sizeless", 9e9, None))
    assert nothing.answer == "cannot tell"


def test_bounds_are_told_from_low_to_high() -> None:
    bounded = item("a", None, bounds=(CountBound(count="small_reads", low=100_000.0, high=300_000.0),))
    (row,) = planned(bounded).plan
    assert (row.tier, row.gain_s) == ("flash", pytest.approx(480.0))
    assert row.gain_s_max == pytest.approx(1440.0)
    open_ended = item("b", None, bounds=(CountBound(count="small_reads", low=100_000.0, high=None),))
    assert planned(open_ended).plan[0].gain_s_max is None


@pytest.mark.parametrize(
    ("terms", "places"),
    [
        (Terms(must=("hot=disk",)), {"hot": "disk", "warm": "flash", "cold": "disk"}),
        (Terms(must=("*t=disk",)), {"hot": "disk", "warm": "flash", "cold": "disk"}),
        (Terms(must_not=("hot=flash",)), {"hot": "disk", "warm": "flash", "cold": "disk"}),
        (Terms(together=(("hot", "cold"),)), {"hot": "disk", "warm": "flash", "cold": "disk"}),
        (Terms(budget_bytes=5 * GIB), {"hot": "flash", "warm": "disk", "cold": "disk"}),
        (Terms(budget_bytes=0), {"hot": "disk", "warm": "disk", "cold": "disk"}),
        (Terms(gain_s_min=1e9), {"hot": "disk", "warm": "disk", "cold": "disk"}),
        (Terms(hysteresis=0.97), {"hot": "disk", "warm": "disk", "cold": "disk"}),
    ],
)
def test_pins_budgets_and_thresholds(terms: Terms, places: dict[str, str]) -> None:
    assert where(planned(HOT, WARM, COLD, terms=terms)) == places


def test_money_is_a_budget_too() -> None:
    tiers = (tier("disk", 5000.0, price_per_tb_month=20.0), tier("flash", 200.0, price_per_tb_month=1020.0))
    one_gib = GIB / 1e12 * 1000.0
    found = planned(HOT, WARM, tiers=tiers, terms=Terms(budget_per_month=5 * one_gib))
    assert where(found) == {"hot": "flash", "warm": "disk"}
    assert found.curve[-1].price_per_month == pytest.approx(11 * one_gib)


def test_a_pin_that_no_capacity_allows_is_an_error() -> None:
    with pytest.raises(UsageError) as caught:
        planned(COLD, terms=Terms(must=("cold=flash",)))
    assert caught.value.id == "placement-impossible"
    assert "the capacities of the tiers, the pins" in caught.value.message


def test_a_cold_object_makes_room() -> None:
    found = planned(item("idle", 0.0, 9 * GIB, "flash"), HOT)
    assert where(found) == {"idle": "disk", "hot": "flash"}
    assert (
        next(row.reason for row in found.plan if row.object == "idle")
        == "moves: makes room on flash for what gains more"
    )


def test_a_clustered_database_moves_only_to_what_every_host_reaches() -> None:
    assert planned(HOT, clustered=True).answer == "nothing to gain"
    inside = tier("flash", 200.0, shared=False)
    found = planned(HOT, clustered=True, tiers=(DISK, inside))
    assert where(found) == {"hot": "disk"}
    assert any("the database is clustered, and only one host reaches it" in one for one in found.reasons)
    assert where(planned(HOT, clustered=True, tiers=(DISK, tier("flash", 200.0, shared=True)))) == {
        "hot": "flash"
    }


def test_small_objects_live_in_the_cache_unless_their_history_says_otherwise() -> None:
    small, missed = item("small", 1e6, GIB), item("missed", 1e6, GIB, cached_share=0.1)
    found = planned(small, missed, cache_bytes=100 * GIB)
    assert where(found) == {"small": "disk", "missed": "flash"}
    assert found.keep_in_memory == ("small",)


def test_a_tier_gets_slower_as_it_fills_and_the_plan_knows() -> None:
    crowded = tier("flash", curved((0, 100), (200, 100), (400, 20_000)))
    objects = [item(f"o{number}", 360_000.0, GIB) for number in range(8)]
    found = planned(*objects, tiers=(DISK, crowded))
    moved = sum(row.tier == "flash" for row in found.plan)
    assert moved == 2
    assert found.tier_uses[1].small_read_us_after == 100.0
    assert found.bound_s >= found.raw_gain_s


def test_no_plan_loads_a_tier_beyond_what_is_known_of_it() -> None:
    limited = tier("flash", 200.0, iops_max=150.0)
    found = planned(item("a", 360_000.0), item("b", 360_000.0), tiers=(DISK, limited))
    assert sorted(where(found).values()) == ["disk", "flash"]


def test_several_intervals_have_a_mean_a_worst_one_and_a_stability() -> None:
    days = [
        inventory(item("a", 1_000_000.0, 8 * GIB), item("b", 100_000.0, 8 * GIB), source="mon.csv"),
        inventory(item("a", 900_000.0, 8 * GIB), item("b", 100_000.0, 8 * GIB), source="tue.csv"),
        inventory(item("a", 0.0, 8 * GIB), item("b", 1_000_000.0, 8 * GIB), source="sun.csv"),
    ]
    found = place(days, (DISK, FLASH), Terms())
    rows = {row.object: row for row in found.plan}
    assert rows["a"].tier == "flash"
    assert rows["a"].chosen_share == pytest.approx(2 / 3)
    assert rows["a"].gain_s == pytest.approx(1_900_000 * 4.8e-3 / 3)
    assert rows["a"].gain_s_worst == 0.0
    assert (found.worst_interval, found.worst_interval_gain_s, found.interval_count) == ("sun.csv", 0.0, 3)


def test_what_is_missing_from_an_interval_gains_nothing_there() -> None:
    found = place([inventory(HOT, WARM), inventory(WARM)], (DISK, FLASH), Terms())
    assert any("missing from an interval once" in one for one in found.reasons)
    assert {row.object: row.gain_s_worst for row in found.plan}["hot"] == 0.0


def test_a_tier_that_holds_less_than_lies_on_it() -> None:
    full = [inventory(item("a", size_bytes=11 * GIB, on="flash"))]
    assert overfull(full, (DISK, FLASH)) == (1, 11 * GIB)
    assert overfull([inventory(HOT)], (DISK, FLASH)) is None


def _advised(**more: object) -> Inventory:
    sizes = tuple(
        CacheSize(cache_bytes=size * GIB, physical_reads=reads)
        for size, reads in ((10, 2e6), (20, 1e6), (30, 9e5))
    )
    return inventory(HOT, cache_bytes=10 * GIB, cache_sizes=sizes, **more)


def test_memory_for_the_same_money() -> None:
    tiers = (tier("disk", 5000.0, price_per_tb_month=20.0), tier("flash", 200.0, price_per_tb_month=520.0))
    found = place([_advised()], tiers, Terms(memory_price_per_tb_month=400.0)).memory_instead
    assert found is not None
    assert found.memory_bytes == pytest.approx(5 * GIB)
    assert found.reads_saved == pytest.approx(5e5)
    assert found.gain_s == pytest.approx(2500.0)
    beyond = place([_advised()], tiers, Terms(memory_price_per_tb_month=10.0)).memory_instead
    assert beyond is not None
    assert beyond.gain_s is None
    assert place([_advised()], tiers, Terms()).memory_instead is None


def test_memory_for_the_same_money_by_a_stated_curve() -> None:
    """The share of reads that the curve falls by is that of today's reads, whatever the interval of the curve."""
    tiers = (tier("disk", 5000.0, price_per_tb_month=20.0), tier("flash", 200.0, price_per_tb_month=520.0))
    points = tuple(HitPoint(cache_bytes=size * GIB, miss_share=left) for size, left in ((10, 1.0), (20, 0.5)))
    curve = HitCurve(of="buffer cache", points=points, source="advice.csv")
    terms = Terms(memory_price_per_tb_month=400.0, hits=curve)
    found = place([_advised()], tiers, terms).memory_instead
    assert found is not None
    assert found.memory_bytes == pytest.approx(5 * GIB)
    assert found.reads_saved == pytest.approx(0.25 * (HOT.small_reads or 0.0))
    assert found.gain_s == pytest.approx(0.25 * (HOT.small_reads or 0.0) * 0.005)
    beyond = place([_advised()], tiers, replace(terms, memory_price_per_tb_month=100.0)).memory_instead
    assert beyond is not None
    assert beyond.gain_s is None
    assert "advice.csv ends at a cache of 20 GiB" in beyond.reason
    below = place([_advised().but(cache_bytes=GIB)], tiers, terms).memory_instead
    assert below is not None
    assert below.reads_saved is None
    assert "advice.csv begins at a cache of 10 GiB" in below.reason


@pytest.mark.parametrize(
    ("cache", "prices", "why"),
    [
        (None, (20.0, 520.0), "--cache states it"),
        (10 * GIB, (20.0, None), "a tier has no price_per_tb_month"),
        (10 * GIB, (20.0, 20.0), "the plan costs no more in a month than today's layout"),
    ],
)
def test_why_a_stated_curve_says_nothing_of_memory(
    cache: int | None, prices: tuple[float, float | None], why: str
) -> None:
    tiers = (
        tier("disk", 5000.0, price_per_tb_month=prices[0]),
        tier("flash", 200.0, price_per_tb_month=prices[1]),
    )
    points = (HitPoint(cache_bytes=GIB, miss_share=1.0), HitPoint(cache_bytes=99 * GIB, miss_share=0.5))
    curve = HitCurve(of="buffer cache", points=points, source="advice.csv")
    found = place(
        [inventory(HOT, cache_bytes=cache)], tiers, Terms(memory_price_per_tb_month=4.0, hits=curve)
    )
    assert found.memory_instead is None
    assert [one for one in found.reasons if one.startswith("what memory instead")] == [
        f"what memory instead of the plan would save is not known: {why}"
        if cache
        else f"what memory instead of the plan would save is not known: the present size of the buffer cache is not known: {why}"
    ]


@pytest.mark.parametrize(
    ("terms", "error", "what"),
    [
        (Terms(must=("hot",)), "pin-unreadable", "'hot' is not a pin"),
        (Terms(must=("hot=flsh",)), "pin-unknown", "there is no tier flsh"),
        (Terms(must=("hat=flash",)), "pin-unknown", "no object is called 'hat'"),
        (Terms(must=("hot=flash", "hot=disk")), "pins-contradict", "hot must lie on flash and on disk"),
        (
            Terms(must=("hot=flash",), must_not=("hot=flash",)),
            "pins-contradict",
            "pins leave no tier for hot",
        ),
        (
            Terms(must=("hot=flash", "warm=disk"), together=(("hot", "warm"),)),
            "pins-contradict",
            "and what lies together",
        ),
        (Terms(must_not=("hot=flash", "hot=disk")), "pins-contradict", "pins leave no tier for hot"),
        (Terms(together=(("hot", "nobody"),)), "pin-unknown", "no object is called 'nobody'"),
    ],
)
def test_pins_that_cannot_be(terms: Terms, error: str, what: str) -> None:
    with pytest.raises(UsageError, match=what) as caught:
        planned(HOT, WARM, terms=terms)
    assert caught.value.id == error
    assert caught.value.hint


def test_the_curve_rises_and_its_knee_is_where_bytes_gain_as_on_average() -> None:
    objects = [item(f"o{number}", 1_000_000.0 / 2**number, GIB) for number in range(9)]
    found = planned(*objects, tiers=(DISK, tier("flash", 200.0)))
    gains = [point.gain_s for point in found.curve]
    assert gains == sorted(gains)
    assert [point.bytes for point in found.curve] == [count * GIB for count in range(10)]
    assert gains[-1] == pytest.approx(found.gain_s)
    assert found.knee_bytes == 3 * GIB
    assert found.curve[1].object == "o0"


def test_a_budget_keeps_the_plan_and_not_the_curve_short() -> None:
    objects = [item(f"o{number}", 1000.0 * (number + 1), GIB) for number in range(6)]
    found = planned(
        *objects, tiers=(DISK, tier("flash", 200.0)), terms=Terms(budget_bytes=2 * GIB), interval_s=1.0
    )
    assert found.moved_bytes == 2 * GIB
    assert found.curve[-1].bytes == 6 * GIB
