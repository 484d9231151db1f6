"""Each family that is shown as a finding, against reports whose causes are known and none of which chose a threshold."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from advice_cases import FALSE_SHARE_MAX, FAMILIES, FAMILY_OF, TRUE_SHARE_MIN, Case
from advice_gate import PRECISION_MIN, RECALL_MIN, Score, choosing, frozen, in_force, judging, scores
from advice_reports import interval
from plimsoll.rules import rules


@pytest.fixture(scope="module")
def judged() -> Mapping[str, Score]:
    return scores(judging())


def test_thresholds_are_those_that_were_fixed_before_the_reports_that_judge_them_were_drawn() -> None:
    """After a change of one, `scripts/advice_thresholds.py` fixes them anew."""
    assert in_force() == frozen()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_of_findings_is_right_nine_times_of_ten_and_finds_four_of_five(
    judged: Mapping[str, Score], family: str
) -> None:
    score = judged[family]
    assert score.precision is not None
    assert score.precision >= PRECISION_MIN, [str(case) for case in score.wrong]
    assert score.recall is not None
    assert score.recall >= RECALL_MIN, [str(case) for case in score.missed]


def test_every_family_of_findings_is_held_against_known_causes() -> None:
    shown = {rule.family for rule in rules().values() if rule.severity == "finding"}
    assert shown == set(FAMILIES)


@pytest.mark.parametrize("cause", FAMILY_OF)
def test_the_seconds_of_a_report_are_those_of_its_causes(cause: str) -> None:
    """Else a report would be wrong about its own cause."""
    world = Case((cause,), 3).world()
    seen = interval(world.report())
    assert seen.db_time is not None
    assert sum(seen.parts.values()) <= 1.02 * seen.db_time.value
    waited = sum(wait.seconds for wait in seen.foreground.values())
    causes = sum(share for name, share in world.shares.items() if name not in ("hard parses", "logons"))
    assert waited == pytest.approx(causes * world.db_time_s, rel=0.05)


def test_no_report_both_chooses_and_judges() -> None:
    assert not {case.seed for case in choosing()} & {case.seed for case in judging()}
    assert FALSE_SHARE_MAX < TRUE_SHARE_MIN
