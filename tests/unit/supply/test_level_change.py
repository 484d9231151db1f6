"""Whether a rate that went to another level is told as the level that it kept: falls of an uneven first part, and rises."""

from __future__ import annotations

from typing import Any

import pytest

import facts_builder
from plimsoll.base.levels import find_settled
from plimsoll.facts import Cell, Check, HostTime, Window
from plimsoll.supply import checks
from plimsoll.supply.checks import cliff, drift
from simulated_cells import reads

TARGET = facts_builder.target()
UNEVEN = [1392, 1140, 1728, 645, 603, 1113, 568, 298, 300, 300]
ROSE = [400, 400, 400, 400, 1050, 3000, 3000, 3000, 3000, 3000]


def cell(rates: list[int], window_s: float = 0.6, **changes: Any) -> Cell:
    slices = tuple(
        Window(start_s=window_s * at, duration_s=window_s, iops=float(rate), latency_us_p50=100.0)
        for at, rate in enumerate(rates)
    )
    made = {"windows": slices, "runtime_s": window_s * len(rates), "iops": sum(rates) / len(rates)}
    return facts_builder.cell(None, reads()).model_copy(update=made | changes)


def judged(check: Any, made: Cell) -> Check:
    found = check.CHECK.judge(made, TARGET)
    assert found is not None
    return found


def test_a_fall_from_an_uneven_first_part_is_a_cliff() -> None:
    """It was none, since two even levels do not describe it."""
    check = judged(cliff, cell(UNEVEN))
    assert check.passed is False
    assert check.figures["cliff_at_s"] == pytest.approx(4.2)
    assert cell(UNEVEN, checks=(check,)).held_iops == pytest.approx(300)


@pytest.mark.parametrize(
    "values",
    [
        [577, 350, 597, 1077, 1577, 1633, 990, 460, 453, 350],
        [1392, 1140, 1728, 645, 603, 1113, 568, 590, 298, 300],
        [1392, 310, 1728, 645, 603, 1113, 568, 298, 300, 300],
        [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
        [500, 480, 520, 470, 490, 500, 480, 300, 300, 300],
        [0] * 10,
        [],
    ],
    ids=["uneven-end", "two-windows", "low-before", "decline", "not-several-times", "nothing", "empty"],
)
def test_no_level_at_which_it_settled(values: list[float]) -> None:
    assert find_settled(values) is None


@pytest.mark.parametrize(
    ("rates", "at_s", "after"),
    [
        ([2000, 2000, 2000, 2000, 2000, 280, 400, 400, 400, 400], 3.0, 400),
        ([2000, 2000, 2000, 2000, 2000, 727, 300, 300, 300, 300], 3.0, 300),
    ],
    ids=["a-gap", "between-the-levels"],
)
def test_the_window_of_the_fall_is_no_part_of_what_was_held(
    rates: list[int], at_s: float, after: int
) -> None:
    check = judged(cliff, cell(rates))
    assert (check.figures["cliff_at_s"], check.figures["after_iops"]) == pytest.approx((at_s, after))
    assert check.figures["held_from_s"] == pytest.approx(3.6)


def test_a_rise_is_drift_and_its_mean_no_rate() -> None:
    """The mean of 400 and 3,000 stood there as a rate, with `no trend` and status 0."""
    check = judged(drift, cell(ROSE))
    assert check.passed is False
    assert "the rate rose from 400 to 3,000 I/Os per second after 2.40 s" in check.reason
    assert checks.deciding([check]) == (check,)
    assert cell(ROSE, checks=(check,)).held_iops == pytest.approx(3000)


def test_a_rising_latency_still_only_warns() -> None:
    rising = Check(name="drift", passed=False, reason="the latency was still rising")
    assert checks.deciding([rising]) == ()
    assert cell([100] * 10, checks=(rising,)).change is None


@pytest.mark.parametrize(
    ("made", "passed"),
    [
        (cell([400] * 3 + [3000] * 7, window_s=0.1, engine="psync"), None),
        (cell(ROSE, engine="psync", host=HostTime(user_s=0.1, system_s=0.1, steal_s=5.9)), None),
        (cell([100] * 3 + [110] * 7), True),
        (cell(ROSE, ended_early="stopped"), "not made"),
        (cell(ROSE, arrivals=facts_builder.cell(100.0, reads()).arrivals), True),
    ],
    ids=["brief", "busy-machine", "slight", "stopped", "at-a-rate"],
)
def test_rises_that_say_less(made: Cell, passed: bool | str | None) -> None:
    check = drift.CHECK.judge(made, TARGET)
    assert ("not made" if check is None else check.passed) == passed


@pytest.mark.parametrize(("failed", "why"), [(0, "may have been credit"), (7, "7 I/Os failed meanwhile")])
def test_the_cause_of_a_fall_is_no_more_than_possible(failed: int, why: str) -> None:
    reason = judged(cliff, cell(UNEVEN, errors=failed)).reason
    assert why in reason
    assert "was credit" not in reason
