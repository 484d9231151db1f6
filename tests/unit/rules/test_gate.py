"""Each family that is shown as a finding, against reports whose causes are known and none of which chose a threshold."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from advice_cases import FALSE_SHARE_MAX, FAMILIES, FAMILY_OF, TRUE_SHARE_MIN, Case, drawn
from advice_gate import HELD_OUT, PRECISION_MIN, RECALL_MIN, Score, of_half
from advice_reports import interval
from plimsoll.rules import rules


@pytest.fixture(scope="module")
def held_out() -> Mapping[str, Score]:
    return of_half(HELD_OUT)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_of_findings_is_right_nine_times_of_ten_and_finds_four_of_five(
    held_out: Mapping[str, Score], family: str
) -> None:
    score = held_out[family]
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


def test_the_halves_share_no_report() -> None:
    first, second = ({case.seed for case in drawn(4, half)} for half in (0, 1))
    assert not first & second
    assert FALSE_SHARE_MAX < TRUE_SHARE_MIN
