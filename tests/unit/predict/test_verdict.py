"""Every way in which a verdict can end, and that its words are plain and complete."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import facts_builder
from plimsoll.base.units import format_seconds
from plimsoll.facts import Check, Demand, HeldBack, Line, Note, Objective, Replay, Slo, Verdict
from plimsoll.facts.replay import REPLAY_LEFT_OUT
from plimsoll.predict.verdict import Measured, cannot_tell, judge, judge_mixes


def demand(**changes: Any) -> Demand:
    return facts_builder.demand().model_copy(update=changes)


def line(**changes: Any) -> Line:
    return facts_builder.line().model_copy(update=changes)


def unsteady(outcome: str) -> Line:
    return line(
        line_iops=None, ci95=None, outcome=outcome, reason="the search was interrupted after 3 trials"
    )


@dataclass(frozen=True)
class Case:
    """What is asked, what the storage keeps, and the answer."""

    asked: float
    found: Line
    carries: bool | None
    headroom: float | None
    says: str


# The line of facts_builder lies at 56,000, its interval from 55,400 to 56,800; its lowest trials are at 4,000 and 500.
CASES = {
    "twice over": Case(28_000, line(), True, 2.0, "carries the database, 2.0 times over"),
    "just enough": Case(55_000, line(), True, 56 / 55, "carries the database, 1.02 times over"),
    "too close below": Case(55_900, line(), None, 56_000 / 55_900, "too close to call"),
    "too close above": Case(56_500, line(), None, 56_000 / 56_500, "lies between 55,400 and 56,800"),
    "not enough": Case(
        112_000, line(), False, 0.5, "does not carry the database: it can take 50 % of the load"
    ),
    "hardly not enough": Case(57_000, line(ci95=None), False, 56 / 57, "it can take 98 % of the load"),
    "by a hair": Case(56_100, line(ci95=None), False, 560 / 561, "it can take 99 % of the load"),
    "exactly, and no interval": Case(
        56_000, line(ci95=None), True, 1.0, "carries the database, 1.00 times over"
    ),
    "never held": Case(
        600, facts_builder.line_never_held(), False, None, "does not carry the database. P99 was"
    ),
    "never held, but less is asked": Case(
        400, facts_builder.line_never_held(), None, None, "asks for less than that"
    ),
    "never at its limit": Case(
        16_000, facts_builder.line_not_limited(), True, 2.0, "The headroom is at least 2.0."
    ),
    "never at its limit, but more is asked": Case(
        64_000, facts_builder.line_not_limited(), None, None, "which is below the demand of 64,000"
    ),
    "unsteady": Case(100, unsteady("unsteady"), None, None, "It cannot be told: the search"),
    "failed": Case(100, unsteady("failed"), None, None, "It cannot be told: the search"),
    "interrupted": Case(100, unsteady("interrupted"), None, None, "It cannot be told: the search"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_every_answer(case: Case) -> None:
    verdict = judge(demand(), case.asked, case.found)
    assert verdict.carries is case.carries
    assert verdict.headroom == (None if case.headroom is None else pytest.approx(case.headroom))
    assert case.says in verdict.reason
    assert_plain(verdict)
    assert verdict.demand_iops == case.asked
    assert verdict.line_iops == case.found.line_iops
    assert verdict.slo == case.found.slo.text


def test_coarse_demand_leaves_a_yes_open_until_a_burst_factor_is_given() -> None:
    coarse = demand(resolution_s=600.0)
    open_yes = judge(coarse, 10_000, line())
    assert open_yes.carries is None
    assert "averages over 10 min, which hide bursts" in open_yes.reason
    assert "--burst-factor" in open_yes.reason
    assert_plain(open_yes)
    assert judge(coarse, 112_000, line()).carries is False
    given_factor = judge(coarse.model_copy(update={"burst_factor": 4.0}), 10_000, line())
    assert given_factor.carries is True
    assert (given_factor.demand_iops, given_factor.burst_factor, given_factor.asked_iops) == (
        10_000,
        4.0,
        40_000,
    )
    assert judge(coarse.model_copy(update={"burst_factor": 8.0}), 10_000, line()).carries is False


def test_a_minute_is_fine_enough() -> None:
    assert judge(demand(resolution_s=60.0), 10_000, line()).carries is True


def test_one_long_interval_among_seconds_hides_bursts_too() -> None:
    """The resolution of a demand is the median of its intervals."""
    *some, last = demand().intervals
    mixed = demand(intervals=(*some, last.model_copy(update={"duration_s": 600.0})))
    open_yes = judge(mixed, 10_000, line())
    assert open_yes.carries is None
    assert "a part of the demand is only known as averages over 10 min" in open_yes.reason
    assert judge(mixed.model_copy(update={"burst_factor": 2.0}), 10_000, line()).carries is True


def test_a_class_that_could_not_be_measured_leaves_a_yes_open() -> None:
    left_out = (Note(code="class-unknown", message="the rate of redo_write is not known"),)
    verdict = judge(demand(), 10_000, line(), left_out)
    assert verdict.carries is None
    assert "the rate of redo_write is not known" in verdict.reason
    assert judge(demand(), 112_000, line(), left_out).carries is False
    assert verdict.notes == left_out


def test_the_interval_is_that_of_the_headroom() -> None:
    assert judge(demand(), 28_000, line()).headroom_ci95 == pytest.approx((55.4 / 28, 56.8 / 28))
    assert judge(demand(), 28_000, facts_builder.line_not_limited()).headroom_ci95 is None


def test_classes_show_their_demand_and_what_they_got_near_the_line() -> None:
    """An objective over all I/Os together is no limit of any one class."""
    objectives = (
        Objective(io_class="redo_write", quantile=0.99, limit_us=500.0),
        Objective(quantile=0.99, limit_us=1000.0),
    )
    found = line(slo=Slo(text="redo_write.p99=500us,p99=1ms", objectives=objectives))
    classes = {io.name: io for io in judge(demand(), 10_000, found).classes}
    assert [round(io.demand_iops) for io in classes.values()] == [7800, 1500, 700]
    assert sum(io.share for io in classes.values()) == pytest.approx(1.0)
    assert (classes["small_read"].limit_us, classes["redo_write"].limit_us) == (None, 500.0)
    nearest = next(trial for trial in found.trials if trial.rate == 56_000.0)
    assert classes["small_read"].latency_us_p99 == nearest.cell.classes[0].latency_us.p99


def test_without_a_trial_that_held_their_latency_is_unknown() -> None:
    verdict = judge(demand(), 600, facts_builder.line_never_held())
    assert [io.latency_us_p99 for io in verdict.classes] == [None] * 3


def test_without_demand_nothing_is_said_about_the_storage() -> None:
    verdict = cannot_tell(
        demand(peak=None), "p99=1ms", "the database asked nothing of storage while it was watched"
    )
    assert (verdict.carries, verdict.headroom, verdict.line_iops, verdict.demand_iops) == (
        None,
        None,
        None,
        None,
    )
    assert verdict.reason == "It cannot be told: the database asked nothing of storage while it was watched."
    assert_plain(verdict)


def test_what_was_measured_the_factor_and_the_product_stand_apart() -> None:
    bursts = judge(demand(burst_factor=3.0), 937.0, line(line_iops=5_620.0, ci95=None))
    assert (
        "the database asks for 937 I/Os per second, 2,810 in bursts by the burst factor of 3;"
        in bursts.reason
    )
    assert "asks for 2,810" not in bursts.reason
    assert bursts.headroom == pytest.approx(5_620 / 2_811)
    assert [mix.demand_iops for mix in bursts.mixes] == [937.0]
    assert [mix.asked_iops for mix in bursts.mixes] == [2_811.0]
    assert sum(io.demand_iops for io in bursts.classes) == pytest.approx(937.0)
    assert_plain(bursts)
    plain = judge(demand(), 937.0, line())
    assert (plain.burst_factor, plain.asked_iops) == (None, 937.0)
    assert "burst" not in plain.reason


def mix(second: int = 0, **changes: Any) -> Measured:
    """A mix that asks for 28,000, at the line of facts_builder: headroom 2."""
    base = {"workload": facts_builder.workload(), "iops": 28_000.0, "intervals": 7, "line": line()}
    begun = facts_builder.STARTED_AT + timedelta(seconds=second)
    return Measured(**{**base, "begin_time": begun, **changes})


def test_the_smallest_headroom_decides_and_says_when() -> None:
    roomy, tight = mix(3), mix(5, iops=40_000.0)
    held = mix(7, iops=10_000.0, line=None, held_iops=15_400.0)
    verdict = judge_mixes(demand(), (roomy, tight, held))
    assert (verdict.carries, verdict.headroom, verdict.moment) == (True, 1.4, tight.begin_time)
    assert [found.outcome for found in verdict.mixes] == ["found", "held", "found"]
    assert [found.at_least for found in verdict.mixes] == [False, True, False]
    assert [found.headroom for found in verdict.mixes] == [1.4, pytest.approx(1.54), 2.0]
    assert "At the moment that decides (from 2025-03-14 09:26:58)" in verdict.reason
    assert "the smallest headroom of 3 mixes" in verdict.reason
    assert_plain(verdict)


def test_the_interval_is_that_of_the_smallest_of_several() -> None:
    alone = judge_mixes(demand(), (mix(),)).headroom_ci95
    several = judge_mixes(demand(), (mix(), mix(1), mix(2))).headroom_ci95
    assert alone is not None
    assert several is not None
    assert several[0] < alone[0]
    assert several[1] < alone[1]
    far = judge_mixes(demand(), (mix(), mix(1, iops=14_000.0))).headroom_ci95
    assert far == pytest.approx(alone, rel=1e-6)


def test_a_storage_that_never_held_names_the_moment_as_well() -> None:
    verdict = judge_mixes(demand(), (mix(5, iops=600.0, line=facts_builder.line_never_held()),))
    assert verdict.carries is False
    assert verdict.reason.endswith("The load that was tried is that from 2025-03-14 09:26:58.")
    assert_plain(verdict)


@pytest.mark.parametrize("lost", [mix(1, line=None), mix(1, line=unsteady("unsteady"))])
def test_a_yes_needs_every_mix(lost: Measured) -> None:
    verdict = judge_mixes(demand(), (mix(), lost))
    assert (verdict.carries, verdict.headroom) == (None, None)
    assert "of 2 mixes that stand for the demand 1 could not be judged" in verdict.reason
    assert [found.headroom for found in verdict.mixes] == [2.0, None]
    assert_plain(verdict)
    assert judge_mixes(demand(), (mix(iops=112_000.0), lost)).carries is False


def test_a_no_never_rests_on_slack() -> None:
    """At 60,000 the mix is not carried, and its largest interval asks for as little as 48,000."""
    slack = mix(iops=60_000.0, slack=0.25)
    assert judge_mixes(demand(), (slack,)).carries is None
    carried = replace(slack, largest=mix(iops=50_000.0))
    verdict = judge_mixes(demand(), (carried,))
    assert verdict.carries is None
    assert "asks for 25 % more than its largest one" in verdict.reason
    assert "alone it is carried" in verdict.reason
    assert_plain(verdict)
    refused = judge_mixes(demand(), (replace(slack, largest=mix(iops=58_000.0)),))
    assert (refused.carries, refused.demand_iops) == (False, 58_000.0)
    assert refused.headroom == pytest.approx(56 / 58)
    assert judge_mixes(demand(), (mix(iops=112_000.0, slack=0.25),)).carries is False


def test_a_no_without_slack_goes_before_one_that_rests_on_it() -> None:
    loose, plain = mix(iops=60_000.0, slack=0.25), mix(4, iops=58_000.0)
    verdict = judge_mixes(demand(), (loose, plain))
    assert (verdict.carries, verdict.moment) == (False, plain.begin_time)
    assert [found.slack for found in verdict.mixes] == [0.0, 0.25]


def test_much_slack_is_said() -> None:
    loose = judge_mixes(demand(), (mix(slack=0.3),))
    assert loose.carries is True
    assert "The mix covers 7 intervals, and asks for 30 % more than the largest of them." in loose.reason
    assert_plain(loose)
    assert "covers" not in judge_mixes(demand(), (mix(slack=0.05),)).reason


@given(st.floats(1.0, 1e6), st.floats(1.0, 1e6))
def test_yes_and_no_agree_with_the_headroom(asked: float, at: float) -> None:
    verdict = judge(demand(), asked, line(line_iops=at, ci95=(at * 0.95, at * 1.05)))
    assert verdict.headroom is not None
    if verdict.carries is not None:
        assert verdict.carries == (verdict.headroom > 1)
        assert not at * 0.95 < asked <= at * 1.05


def assert_plain(verdict: Verdict) -> None:
    """Sentences with a capital and a full stop, no words of our own making, no raw figures."""
    assert verdict.reason[0].isupper()
    assert verdict.reason.endswith(".")
    assert ".." not in verdict.reason
    for word in ("None", "nan", "inf", "_", "e+", "ci95", "iops", "  "):
        assert word not in verdict.reason.replace("redo_write", "redo")


HELD = HeldBack(is_held_back=True, reason="its 16 sessions hardly ever rested")
UNKNOWN = HeldBack(is_held_back=None, reason="neither times nor sessions are known")


def test_a_demand_that_its_storage_held_back_is_carried_by_nothing_for_sure() -> None:
    verdict = judge(demand(held_back=HELD), 28_000, line())
    assert verdict.carries is None
    assert verdict.headroom == pytest.approx(2.0)
    assert "held back by its own storage, so the answer stays open: its 16 sessions" in verdict.reason
    assert verdict.reason.endswith("The headroom is at most 2.0 times.")
    assert_plain(verdict)


def test_where_it_cannot_be_known_there_is_no_plain_yes() -> None:
    for one in (demand(held_back=UNKNOWN), demand(intervals=())):
        verdict = judge(one, 28_000, line())
        assert verdict.carries is None
        assert "whether its own storage held the database back is not known" in verdict.reason


@pytest.mark.parametrize("held", [HELD, UNKNOWN])
def test_a_lower_bound_is_still_too_much_for_too_little(held: HeldBack) -> None:
    verdict = judge(demand(held_back=held), 112_000, line())
    assert verdict.carries is False
    assert "held back" not in verdict.reason


def replayed(*held: bool | None, seconds: float = 60.0, left_out: bool = False) -> Replay:
    """A replay whose stretches ended so at the demand's own rates."""
    trials = tuple(facts_builder.replay_trial(held=one, duration_s=seconds) for one in held)
    note = Note(code=REPLAY_LEFT_OUT, message="the 60 s from 12:00:00 were not replayed")
    return facts_builder.replay(
        trials=trials,
        headroom=1.5 if held and all(held) else None,
        missed=None if held and all(held) else 1.0,
        notes=(note,) if left_out else (),
    )


ENOUGH, LITTLE = 28_000, 112_000
"""Half and twice of what the line keeps."""


@pytest.mark.parametrize(
    ("asked", "replay", "carries"),
    [
        (ENOUGH, replayed(True), True),
        (ENOUGH, replayed(False), False),
        (ENOUGH, replayed(True, False), False),
        (ENOUGH, replayed(None), True),
        (LITTLE, replayed(False), False),
        (LITTLE, replayed(True), None),
        (LITTLE, replayed(True, left_out=True), False),
        (LITTLE, replayed(True, seconds=2.0), False),
        (LITTLE, replayed(None), False),
        (LITTLE, replayed(), False),
    ],
)
def test_lines_and_replay_answer_together(asked: float, replay: Replay, carries: bool | None) -> None:
    measured = (Measured(line().workload, asked, line=line()),)
    verdict = judge_mixes(demand(), measured, replay=replay)
    assert verdict.carries is carries
    assert verdict.replay_headroom == replay.headroom
    assert "riven as they were" in verdict.reason or not replay.trials
    assert_plain(verdict)


def driven(*factors: tuple[float, bool], headroom: float | None, missed: float) -> Replay:
    trials = tuple(facts_builder.replay_trial(held, factor, 10.0) for factor, held in factors)
    return facts_builder.replay(trials=trials, headroom=headroom, missed=missed)


@pytest.mark.parametrize(
    ("asked", "replay", "headroom", "interval", "words"),
    [
        (ENOUGH, driven((1.0, True), (1.9, False), headroom=1.0, missed=1.9), 1.0, (1.0, 1.9), "1.00 times over"),
        (ENOUGH, driven((1.9, False), headroom=None, missed=1.9), None, None, "less than 1.90 times over"),
        (LITTLE, driven((0.3, True), (0.4, False), headroom=0.3, missed=0.4), 0.3, (0.3, 0.4), "it can take 30 % of the load"),
        (ENOUGH, driven((1.0, True), (2.2, False), headroom=1.0, missed=2.2), 2.0, None, "2.0 times over"),
    ],
)  # fmt: skip
def test_no_headroom_is_said_at_which_it_was_driven_and_missed(
    asked: float, replay: Replay, headroom: float | None, interval: tuple[float, float] | None, words: str
) -> None:
    measured = (Measured(line().workload, asked, line=line()),)
    verdict = judge_mixes(demand(), measured, replay=replay)
    assert verdict.headroom == (None if headroom is None else pytest.approx(headroom, rel=0.01))
    assert words in verdict.reason
    assert interval is None or verdict.headroom_ci95 == interval
    if verdict.headroom is not None:
        assert verdict.headroom_ci95 is not None
        assert verdict.headroom_ci95[0] <= verdict.headroom <= verdict.headroom_ci95[1]
    else:
        assert verdict.headroom_ci95 is None


def test_a_miss_as_it_was_is_a_no_whatever_is_doubted() -> None:
    measured = (Measured(line().workload, ENOUGH, line=line()),)
    verdict = judge_mixes(demand(held_back=HELD), measured, replay=replayed(False))
    assert verdict.carries is False
    assert "By its lines it could take 2.0 times the load." in verdict.reason


def test_a_doubt_stands_behind_a_replay_that_held() -> None:
    measured = (Measured(line().workload, ENOUGH, line=line()),)
    verdict = judge_mixes(demand(held_back=HELD), measured, replay=replayed(True))
    assert verdict.carries is None
    assert "held back by its own storage" in verdict.reason


FAILED = Check(
    name="errors", passed=False, figures={"errors": 12.0},
    reason="12 I/Os failed, in 3 of 15 trials, and a trial with a failed one never holds",
)  # fmt: skip


@pytest.mark.parametrize(("at", "carries"), [(170.0, False), (56_000.0, None), (28_100.0, None)])
def test_where_ios_failed_they_decide_and_there_is_no_headroom(at: float, carries: bool | None) -> None:
    """A rate at which by chance none failed is no capacity: it made a headroom of 0.006."""
    found = line(line_iops=at, ci95=(0.98 * at, 1.02 * at), checks=(FAILED,))
    verdict = judge(demand(), ENOUGH, found)
    assert (verdict.carries, verdict.headroom, verdict.headroom_ci95) == (carries, None, None)
    assert [mix.headroom for mix in verdict.mixes] == [None]
    assert "12 I/Os failed, in 3 of 15 trials" in verdict.reason
    assert "the headroom is not known" in verdict.reason
    assert_plain(verdict)


def test_a_yes_says_for_how_long_it_was_driven() -> None:
    """The longest trial of the line that held at what is asked took as long as it did; the demand lasts a minute."""
    measured = (Measured(line().workload, ENOUGH, line=line()),)
    verdict = judge_mixes(demand(), measured)
    longest_s = max(one.cell.runtime_s for one in line().trials if one.held and one.rate >= ENOUGH)
    assert (verdict.carries, verdict.driven_s) == (True, longest_s)
    assert verdict.reason.endswith(
        "So much was seen to hold for " + format_seconds(longest_s) + "; the demand lasts 1 min."
    )
    whole = judge_mixes(demand(), measured, replay=replayed(True))
    assert (whole.carries, whole.driven_s) == (True, 60.0)
    assert "seen to hold for" not in whole.reason
    half = judge_mixes(demand(), measured, replay=replayed(True, seconds=30.0))
    assert "seen to hold for 30 s" in half.reason
