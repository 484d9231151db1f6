"""The one sentence of a placement: not said where it would be wrong, and never without what changes its meaning."""

from __future__ import annotations

import pytest

import facts_runs
from facts_placement import GIB, inventory, item, tier
from plimsoll import results
from plimsoll.base.errors import ExitStatus
from plimsoll.facts import CountBound, Inventory, Placement, StorageObject, Tier, UnseenShare
from plimsoll.placement.pins import Terms
from plimsoll.placement.plan import place

DISK, FLASH = tier("disk", 5000.0), tier("flash", 200.0, 10 * GIB)
HOT = item("hot", 1_000_000.0, 4 * GIB)
COLD = item("cold", 10.0, 500 * GIB)


def planned(
    *objects: StorageObject,
    tiers: tuple[Tier, ...] = (DISK, FLASH),
    terms: Terms | None = None,
    **more: object,
) -> Placement:
    return place([inventory(*objects, **more)], tiers, terms or Terms())


@pytest.mark.parametrize(
    ("flash", "terms", "limit"),
    [
        (FLASH, Terms(budget_bytes=0), "it has 4 GiB, and the budget is 0 B"),
        (tier("flash", 200.0, 200), Terms(), "it has 4 GiB, and of the 200 B of flash 200 B are free"),
        (FLASH, Terms(gain_s_min=36_000.0), "a move of it must gain 10 h"),
        (FLASH, Terms(hysteresis=0.99), "a move of it must gain 1 h 22 min"),
        (FLASH, Terms(must_not=("hot=flash",)), "a pin keeps it"),
    ],
)
def test_what_is_held_back_does_not_lie_where_it_is_fastest(flash: Tier, terms: Terms, limit: str) -> None:
    found = planned(HOT, tiers=(DISK, flash), terms=terms)
    assert found.answer == "nothing to gain"
    assert found.reason == f"hot would gain 1 h 20 min on flash, and stays: {limit}"


def test_what_lies_on_the_fastest_tier_is_said_to() -> None:
    found = planned(item("hot", 1e6, on="flash"))
    assert found.reason == "every object lies already where it is fastest"


def test_a_pin_is_carried_out_where_it_costs() -> None:
    found = planned(item("hot", 1e6, on="flash"), COLD, terms=Terms(must=("hot=disk",)))
    assert found.answer == "move"
    assert "costs 1 h 20 min of waits for I/O" in found.reason
    assert (found.gain_s, found.moved_bytes) == (pytest.approx(-4800.0), GIB)
    row = next(row for row in found.plan if row.object == "hot")
    assert (row.tier, row.reason) == ("disk", "moves: pinned")


def test_unknown_counts_are_not_an_absence_of_waits() -> None:
    found = planned(item("a", None, large_reads=None), item("b", 0.0))
    assert found.answer == "cannot tell"
    assert found.reason.startswith("how much a was read and written is not known")
    bounded = item("a", None, bounds=(CountBound(count="small_reads", low=0.0, high=1e6),))
    assert planned(bounded).answer == "cannot tell"
    assert planned(bounded, db_time_s=3600.0, foreground_io_wait_s=0.0).answer == "nothing to gain"


def test_nothing_to_gain_names_whose_reads_are_left_out() -> None:
    found = planned(item("a", None), item("b", 10.0))
    assert found.answer == "nothing to gain"
    assert found.reason.endswith("; reads of a are not known, and are left out of this")


@pytest.mark.parametrize("one", [HOT, COLD])
def test_the_larger_part_that_is_unseen_is_in_the_sentence(one: StorageObject) -> None:
    def told(share: float) -> str:
        return planned(one, unseen=(UnseenShare(count="small_reads", share=share),)).reason

    assert told(0.95).endswith(
        "; 95 % of all I/Os belong to none of these objects, and nothing is said of them"
    )
    assert "belong to none" not in told(0.2)


def test_no_more_is_saved_than_db_time() -> None:
    found = planned(HOT, db_time_s=60.0)
    assert found.gain_s == pytest.approx(60.0 * 0.96)
    assert found.limited_by == "waits"
    assert any("more than the DB time" in one for one in found.reasons)


def test_a_tier_that_is_slower_than_it_was_measured_is_told() -> None:
    there = item("there", 100_000.0, on="flash", read_s=2000.0)
    here = item("here", 100_000.0)
    found = planned(there, here, terms=Terms(must=("there=flash",)))
    assert "; but reads on flash took 100.0 × as long as its latencies say" in found.reason
    assert found.reason.endswith("and if all took so the plan costs 25 min")
    shared = planned(there, here, terms=Terms(must=("there=flash",)), has_shared_read_times=True)
    assert "took" not in shared.reason


def test_what_is_measured_to_be_slow_moves_for_what_was_measured() -> None:
    found = planned(item("there", 100_000.0, on="flash", read_s=2000.0))
    assert found.plan[0].reason == "mostly small reads: 20 ms each now, as measured, 5 ms there"


def test_a_plan_beside_what_has_no_size_may_not_fit() -> None:
    found = planned(HOT, item("big", 1.0, None, "flash"))
    assert found.reason.endswith("; whether it fits is not known, as big on flash has no known size")
    assert "fits" not in planned(HOT, item("big", 1.0, None)).reason


def _nights(*reads: float, **more: object) -> list[Inventory]:
    return [
        inventory(item("hot", count, 4 * GIB), source=f"{number}.csv", **more)
        for number, count in enumerate(reads)
    ]


def test_a_gain_over_intervals_is_a_mean_and_has_a_worst() -> None:
    found = place(_nights(1_000_000.0, 0.0), (DISK, FLASH), Terms())
    assert found.reason.endswith(
        "saves 40 min of waits for I/O, in the mean of 2 intervals; in the worst, 1.csv, it saves 0 s"
    )


def test_a_gain_of_one_interval_says_so() -> None:
    assert planned(HOT).reason.endswith("saves 1 h 20 min of waits for I/O, in one interval of 1 h")
    assert planned(HOT, interval_s=None).reason.endswith("in one interval of unknown length")


def test_heat_that_changes_between_intervals_reaches_the_sentence_and_the_status() -> None:
    """Flash holds one of them; each is hot in one interval."""
    flash = tier("flash", 200.0, 5 * GIB)

    def night(one: float, other: float) -> Inventory:
        return inventory(item("one", one, 4 * GIB), item("other", other, 4 * GIB))

    flips = place([night(1e6, 0.0), night(0.0, 0.9e6)], (DISK, flash), Terms())
    assert flips.reason.endswith(
        "; but other objects are hot in other intervals: of the 1 h 16 min that a plan of its own for each would save in the mean,"
        " this one keeps 53 %"
    )
    assert (flips.raw_gain_s, flips.own_plans_gain_s) == (pytest.approx(2400.0), pytest.approx(4560.0))
    run = facts_runs.place_run().model_copy(update={"placement": flips})
    assert results.status(run) is ExitStatus.DONE_IN_PART
    alike = place([night(1e6, 0.0), night(0.9e6, 0.0)], (DISK, flash), Terms())
    assert "other objects are hot" not in alike.reason
    assert alike.own_plans_gain_s == pytest.approx(alike.raw_gain_s)
    assert place([night(1e6, 0.0)], (DISK, flash), Terms()).own_plans_gain_s is None


def test_a_tier_that_is_slower_than_it_was_measured_is_told_where_nothing_moves() -> None:
    there = item("there", 100_000.0, on="flash", read_s=400.0)
    found = planned(there)
    assert found.reason == (
        "every object lies already where it is fastest; but reads on flash took 20.0 × as long as its latencies say, by measured "
        "seconds"
    )
    assert "but reads" not in planned(item("there", 100_000.0, on="flash", read_s=30.0)).reason


def test_reads_that_share_one_mean_speak_of_all_tiers_together() -> None:
    """One of them is measured faster than its tier, since it is the mean of both."""
    objects = (item("there", 100_000.0, on="flash", read_s=400.0), item("here", 1000.0, read_s=4.0))
    found = planned(*objects, has_shared_read_times=True, terms=Terms(must=("here=disk",)))
    assert found.answer == "nothing to gain"
    assert found.reason.endswith(
        "; but all reads together took 16.2 × as long as the latencies of their tiers say, by measured seconds: "
        "measure the tiers again"
    )


def test_each_interval_has_its_own_cpus() -> None:
    busy, idle = (
        inventory(HOT, source=name, db_time_s=10_000.0, foreground_io_wait_s=5000.0, cpu_busy_share=share)
        for name, share in (("busy", 1.0), ("idle", 0.1))
    )
    found = place([busy, idle], (DISK, FLASH), Terms())
    assert found.gain_s == pytest.approx(2400.0)
    assert found.limited_by == "cpu"


def test_what_was_dropped_is_named_before_it_moves() -> None:
    found = place([inventory(HOT, item("pk", 1e6)), inventory(HOT)], (DISK, FLASH), Terms())
    assert any(
        one.startswith("pk would move, and is missing from the last interval") for one in found.reasons
    )
    unknown = place([inventory(HOT, item("pk", None)), inventory(HOT)], (DISK, FLASH), Terms())
    assert "small reads of pk are not known, and in no gain" in unknown.reasons


def test_a_pin_that_cannot_be_carried_out_is_told() -> None:
    sizeless = item("big", 1e6, None)
    found = planned(HOT, sizeless, terms=Terms(must=("big=flash",)))
    assert found.reason.endswith("; pins of big are not carried out: size or present tier is not known")
    assert "pins" not in planned(HOT, sizeless, terms=Terms(must=("big=disk",))).reason
