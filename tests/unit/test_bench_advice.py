"""What the benches of advice hold it to: every pair names a rule that there is, and the seconds are those that truly vanish."""

from __future__ import annotations

from typing import Any

import advice_changes
import pytest
from advice_changes import MARIADB, POSTGRESQL
from kit.advised import Watched
from kit.changed_servers import Work

from plimsoll.rules import rules


def test_pairs_are_twenty_or_more_and_name_rules() -> None:
    pairs = (*POSTGRESQL, *MARIADB)
    assert len(pairs) >= 20
    assert len({pair.name for pair in pairs}) == len(pairs)
    for pair in pairs:
        rule = rules()[pair.rule]
        assert ("postgresql" if pair.is_postgres else "mariadb") in rule.systems


def watched(statements: float, db_time_s: float, *findings: dict[str, Any]) -> Watched:
    verdict = {"elapsed_s": 10.0, "db_time_s": db_time_s / 2}
    return Watched(verdict, list(findings), Work(statements, db_time_s), 20.0)


@pytest.mark.parametrize(
    ("said_s", "severity", "as_said"),
    [
        (30.0, "finding", 1.0),
        (46.0, "finding", 0.0),
        (19.0, "finding", 0.0),
        (None, "finding", 0.0),
        (30.0, "hint", 0.0),
    ],
)
def test_seconds_are_held_against_what_the_same_work_takes_afterwards(
    said_s: float | None, severity: str, as_said: float
) -> None:
    """80 s of DB time in 20 s for 100 statements, and afterwards a quarter of that each: 30 of 40 s in the interval vanish."""
    pair = POSTGRESQL[1]
    found = {"rule": pair.rule, "severity": severity, pair.figure: said_s}
    figures = advice_changes._figures(pair, watched(100.0, 80.0, found), watched(500.0, 100.0))
    assert figures["true_s"] == pytest.approx(30.0)
    assert figures["db_time_true_s"] == pytest.approx(40.0)
    assert figures["as_said"] == as_said


def test_a_rule_that_is_not_found_names_nothing() -> None:
    figures = advice_changes._figures(POSTGRESQL[1], watched(100.0, 80.0), watched(500.0, 100.0))
    assert (figures["said_s"], figures["as_said"]) == (0.0, 0.0)
