"""What leaves a yes open: much of the demand is not known, or not whose it is."""

from __future__ import annotations

from datetime import timedelta

import pytest

import facts_builder
from plimsoll.facts import Demand, Note
from plimsoll.facts.demand import SEVERAL
from plimsoll.predict.doubts import without_bytes_of_ours
from plimsoll.predict.verdict import judge


def with_gaps(count: int) -> Demand:
    """Of sixty seconds, so many after the others are unknown."""
    demand = facts_builder.demand()
    gap = {"gap": "the server was restarted", "classes": {}, "iops": None, "mb_per_s": None}
    some = demand.intervals
    unknown = tuple(one.model_copy(update=gap) for one in some[60 - count :])
    return demand.model_copy(update={"intervals": (*some[: 60 - count], *unknown)})


@pytest.mark.parametrize(("count", "carries"), [(15, True), (16, None)])
def test_a_demand_that_is_unknown_for_a_quarter_of_its_time(count: int, carries: bool | None) -> None:
    verdict = judge(with_gaps(count), 10_000, facts_builder.line())
    assert verdict.carries is carries
    assert carries or "nothing is known of 27 % of the time" in verdict.reason
    assert carries or verdict.reason.endswith("the answer stays open: the server was restarted.")
    assert judge(with_gaps(count), 112_000, facts_builder.line()).carries is False


@pytest.mark.parametrize(("count", "carries"), [(6, True), (7, None)])
def test_a_sum_that_is_unknown_for_a_tenth_of_its_time(count: int, carries: bool | None) -> None:
    """What each is known to ask for may meet there: a nightly batch takes no longer."""
    demand = with_gaps(count)
    several = demand.but(database=demand.database.but(kind=SEVERAL))
    assert judge(several, 10_000, facts_builder.line()).carries is carries
    assert judge(demand, 10_000, facts_builder.line()).carries is True


def moved(by_s: float) -> Demand:
    """The second half of the intervals begins so much earlier."""
    demand = facts_builder.demand()
    half = [
        one.model_copy(
            update={
                "begin_time": one.begin_time - timedelta(seconds=by_s),
                "end_time": one.end_time - timedelta(seconds=by_s),
            }
        )
        for one in demand.intervals[30:]
    ]
    return demand.model_copy(update={"intervals": (*demand.intervals[:30], *half)})


@pytest.mark.parametrize(("by_s", "carries"), [(0.05, True), (0.5, None), (30.0, None)])
def test_intervals_at_the_same_time_are_of_two_servers(by_s: float, carries: bool | None) -> None:
    verdict = judge(moved(by_s), 10_000, facts_builder.line())
    assert verdict.carries is carries
    assert carries or "as if they were of two servers" in verdict.reason
    reports = moved(by_s).model_copy(update={"notes": (Note(code="interval-overlap", message="twice"),)})
    assert judge(reports, 10_000, facts_builder.line()).carries is True, "of one database, counted twice"


def test_what_is_driven_in_pieces_makes_no_yes_and_bytes_that_nobody_counted_no_no() -> None:
    """Requests of 16 MiB at their own moments, each in pieces: the pieces held 50 ms, and whole ones took 142 ms."""
    split = Note(code="requests-split", message="large_read is driven as requests of 4 MiB")
    verdict = judge(facts_builder.demand(), 10_000, facts_builder.line(), notes=(split,))
    assert verdict.carries is None
    assert "stays open: large_read is driven as requests of 4 MiB" in verdict.reason
    more = Note(code="sizes-up", message="in whole blocks the mix moves 16 times the bytes")
    no = judge(facts_builder.demand(), 112_000, facts_builder.line())
    assert no.carries is False
    assert without_bytes_of_ours(no, (split,)) is no
    open_still = without_bytes_of_ours(no, (more,))
    assert open_still.carries is None
    assert "As measured this storage would not carry the database" in open_still.reason
    yes = judge(facts_builder.demand(), 10_000, facts_builder.line())
    assert without_bytes_of_ours(yes, (more,)) is yes


def test_what_no_trial_held_is_no_yes() -> None:
    """Its interval alone says that so much is carried, and that is drawn from the trials below and above."""
    line = facts_builder.line()
    asked = 10_000
    below = tuple(trial for trial in line.trials if not trial.held or trial.rate < asked)
    assert judge(facts_builder.demand(), asked, line).carries is True
    verdict = judge(facts_builder.demand(), asked, line.model_copy(update={"trials": below}))
    assert (verdict.carries, verdict.driven_s) == (None, None)
    assert verdict.reason.endswith("But no trial that asked for so much held, so the answer stays open.")
