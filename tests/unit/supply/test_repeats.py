"""The spread over repeated runs: its interval holds what it promises, outliers are named and kept, the median run is a real one."""

from __future__ import annotations

import random
from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

import facts_builder
from plimsoll.facts import Cell, Check, Outage
from plimsoll.supply.repeats import (
    judge_repeats,
    median_cell,
    outliers,
    spread_of,
    with_outages,
    with_standing,
)
from simulated_cells import reads


def cells(*rates: float, ended_early: str = "") -> list[Cell]:
    made = [facts_builder.cell(None, reads()).model_copy(update={"iops": rate}) for rate in rates]
    return [each.model_copy(update={"ended_early": ended_early}) for each in made]


@pytest.mark.parametrize("runs", [2, 3, 5, 10, 31, 40])
def test_the_interval_holds_the_mean_in_95_of_100_cases(runs: int) -> None:
    chance = random.Random(runs)
    held = 0
    for _ in range(2000):
        low, high = spread_of([chance.gauss(1000, 50) for _ in range(runs)]).ci95
        held += low <= 1000 <= high
    assert held / 2000 == pytest.approx(0.95, abs=0.02)


def test_a_known_interval() -> None:
    """Of 98, 100 and 102: standard deviation 2, two degrees of freedom, t = 4.303."""
    spread = spread_of([98.0, 100.0, 102.0])
    assert spread.ci95 == pytest.approx((100 - 4.302653 * 2 / 3**0.5, 100 + 4.302653 * 2 / 3**0.5))
    assert spread.half_width_share == pytest.approx(0.0497, abs=0.0001)


@given(st.lists(st.floats(95, 105), min_size=5, max_size=20), st.floats(3, 100))
def test_a_run_far_off_is_named_and_kept(values: list[float], factor: float) -> None:
    odd = [*values, 100 * factor]
    found = outliers(odd)
    deviation = median(abs(value - median(odd)) for value in odd)
    assert deviation == 0 or len(values) in found
    assert spread_of(odd).mean == pytest.approx(fmean(odd))


def test_equal_runs_and_few_runs_have_no_outliers() -> None:
    assert outliers([100.0] * 9) == []
    assert outliers([100.0, 101.0, 102.0, 900.0]) == []


@pytest.mark.parametrize(("rates", "middle"), [((3, 1, 2), 2), ((4, 1, 3, 2), 2), ((7,), 7)])
def test_the_run_that_stands_for_all_is_one_of_them(rates: tuple[float, ...], middle: float) -> None:
    assert median_cell(cells(*rates)).iops == middle


def test_runs_that_agree_pass_with_their_figures() -> None:
    check = judge_repeats(cells(1000, 1010, 990, 1005, 995), 5)
    assert check.passed is True
    assert check.figures["runs"] == 5
    assert check.figures["median_iops"] == 1000
    assert (check.figures["min_iops"], check.figures["max_iops"]) == (990, 1010)
    assert "Student's t" in check.reason


def test_runs_that_differ_fail() -> None:
    check = judge_repeats(cells(1000, 2000, 500, 1500, 700), 5)
    assert check.passed is False
    assert "more than 10 %" in check.reason


def test_an_outlier_is_named_in_the_reason() -> None:
    check = judge_repeats(cells(*[1000, 1001, 999, 1002, 998] * 8, 700), 41)
    assert check.passed is True
    assert check.figures["outliers"] == 1
    assert check.reason.endswith("oddly far off, and kept: 700")
    assert check.figures["min_iops"] == 700


@pytest.mark.parametrize("whole", [0, 1])
def test_runs_cut_short_do_not_count(whole: int) -> None:
    made = [*cells(1000)[:whole], *cells(10, 20, ended_early="stopped")]
    check = judge_repeats(made, 5)
    assert check.passed is None
    assert check.figures == {"runs": float(whole)}


def test_fewer_runs_than_wanted_are_said() -> None:
    assert judge_repeats(cells(1000, 1001, 999), 5).reason.startswith("3 of 5 runs")


def test_an_outage_in_a_run_that_is_not_told_makes_the_one_that_is_invalid() -> None:
    away = (Outage(start_s=0.5, duration_s=1.2, share=1.0),)
    low, middle, high = cells(100, 1000, 1010)
    passed = Check(name="outage", passed=True, reason="there was a connection to the server all the time")
    middle = middle.model_copy(update={"checks": (passed,)})
    assert with_outages(middle, [low, middle, high]) is middle
    low = low.model_copy(update={"outages": away})
    (check,) = with_outages(middle, [low, middle, high]).checks
    assert (check.name, check.passed) == ("outage", False)
    assert check.reason.startswith("in 1 of 3 runs, not in the one that is told, there was no connection")
    assert check.figures == {"outages": 1.0, "outage_s": 1.2}
    gone = middle.model_copy(update={"outages": away})
    assert with_outages(gone, [low, gone, high]) is gone, "its own check has failed already"


def test_a_run_that_stood_still_makes_the_one_that_is_told_invalid() -> None:
    low, middle, high = cells(100, 1000, 1010)
    still = Check(name="at_work", passed=False, reason="no I/O ended for 2 s from 1.00 s on")

    def checks_of(cell: Cell) -> tuple[Check, ...]:
        return (still,) if cell is low else ()

    (check,) = with_standing(middle, [low, middle, high], checks_of).checks
    assert (check.name, check.passed) == ("at_work", False)
    assert check.reason == "in 1 of 3 runs, not in the one that is told: no I/O ended for 2 s from 1.00 s on"
    assert with_standing(middle, [middle, high], checks_of) is middle
