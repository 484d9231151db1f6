"""The steady-state rule against a plain writing of it, series with known figures, and the finding of cliffs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from statistics import linear_regression

import pytest
from hypothesis import given
from hypothesis import strategies as st

import facts_builder
from plimsoll.base.levels import find_cliff
from plimsoll.facts import Cell, Window
from plimsoll.supply.steady import (
    Settling,
    judge_preconditioning,
    judge_steady,
    preconditioning,
    settle,
    window_of,
)
from simulated_cells import reads

RATES = st.floats(1, 1e6)


def cell(iops: float, windows: Sequence[float] = (), ended_early: str = "") -> Cell:
    slices = tuple(
        Window(start_s=at, duration_s=1.0, iops=rate) for at, rate in enumerate(windows or [iops] * 5)
    )
    changes = {"iops": iops, "windows": slices, "ended_early": ended_early}
    return facts_builder.cell(None, reads()).model_copy(update=changes)


def rounds(*rates: float) -> Callable[[int], Cell]:
    return lambda number: cell(rates[number])


def by_the_text(values: Sequence[float]) -> bool:
    """The rule as the specification says it: excursion of data and of the fitted line within the window of five rounds."""
    window = list(values)[-5:]
    if len(window) < 5:
        return False
    average = sum(window) / 5
    line = linear_regression(range(1, 6), window)
    ends = [line.intercept + line.slope * x for x in (1, 5)]
    return max(window) - min(window) <= 0.20 * average and max(ends) - min(ends) <= 0.10 * average


@given(st.lists(RATES, min_size=1, max_size=25))
def test_the_rule_is_the_specifications(values: list[float]) -> None:
    window = window_of(values)
    assert (window is not None and window.is_steady) == by_the_text(values)


@given(st.lists(st.floats(90, 112), min_size=5, max_size=9))
def test_the_rule_is_the_specifications_near_its_limits(values: list[float]) -> None:
    window = window_of(values)
    assert window is not None
    assert window.is_steady == by_the_text(values)


@given(st.lists(RATES, min_size=5, max_size=5), st.floats(0.001, 1000))
def test_the_unit_does_not_matter(values: list[float], factor: float) -> None:
    plain, scaled = window_of(values), window_of([value * factor for value in values])
    assert plain is not None
    assert scaled is not None
    assert scaled.range_share == pytest.approx(plain.range_share)
    assert scaled.slope_share == pytest.approx(plain.slope_share, abs=1e-9)


@pytest.mark.parametrize(
    ("values", "range_share", "slope_share", "steady"),
    [
        ([100, 100, 100, 100, 100], 0.0, 0.0, True),
        ([90, 110, 90, 110, 100], 0.2, 0.08, True),
        ([89, 111, 90, 110, 100], 0.22, 0.084, False),
        ([95, 97.5, 100, 102.5, 105], 0.1, 0.1, True),
        ([94, 97, 100, 103, 106], 0.12, 0.12, False),
        ([500, 100, 100, 100, 100, 100], 0.0, 0.0, True),
    ],
    ids=["flat", "range-at-limit", "range-beyond", "slope-at-limit", "slope-beyond", "only-the-last-five"],
)
def test_known_windows(values: list[float], range_share: float, slope_share: float, steady: bool) -> None:
    window = window_of(values)
    assert window is not None
    assert window.range_share == pytest.approx(range_share)
    assert window.slope_share == pytest.approx(slope_share)
    assert window.is_steady is steady


@pytest.mark.parametrize("values", [[], [1.0], [1.0] * 4, [0.0] * 5])
def test_too_few_rounds_and_rounds_of_nothing_have_no_window(values: list[float]) -> None:
    assert window_of(values) is None


def test_rounds_end_as_soon_as_the_last_five_are_steady() -> None:
    settling = settle(rounds(900, 700, 500, 400, 330, 310, 300, 298, 301, 1, 1))
    assert [round(each.iops) for each in settling.cells] == [900, 700, 500, 400, 330, 310, 300, 298, 301]
    assert settling.is_steady


def test_what_never_settles_ends_after_twenty_five_rounds() -> None:
    settling = settle(lambda number: cell(1000 * 0.9**number))
    assert len(settling.cells) == 25
    assert not settling.is_steady
    check = judge_steady(settling)
    assert check.passed is False
    assert check.reason.startswith("not steady after 25 rounds")


def test_a_round_cut_short_ends_it_without_a_verdict() -> None:
    made = [cell(100.0)] * 6 + [cell(100.0, ended_early="stopped")]
    settling = settle(lambda number: made[2 + number] if number < 3 else made[6])
    assert len(settling.cells) == 4
    check = judge_steady(settling)
    assert check.passed is None
    assert check.figures == {"rounds": 4.0}


def test_the_verdict_has_the_figures_and_the_cliff_on_the_way() -> None:
    rates = [1000.0, 1000.0, 400.0, 400.0, 400.0, 400.0, 400.0]
    check = judge_steady(settle(rounds(*rates)))
    assert check.passed is True
    assert check.figures["rounds"] == 7
    assert check.figures["slope_share"] == 0
    assert (check.figures["before_iops"], check.figures["after_iops"]) == (1000, 400)
    assert check.figures["cliff_at_s"] == pytest.approx(10.0)


@given(
    st.integers(3, 30),
    st.integers(3, 30),
    st.floats(2, 50),
    st.integers(0, 1000),
)
def test_a_cliff_is_found_where_it_is(before: int, after: int, fall: float, seed: int) -> None:
    chance = random.Random(seed)
    values = [1000 * fall * chance.uniform(0.95, 1.05) for _ in range(before)]
    values += [1000 * chance.uniform(0.95, 1.05) for _ in range(after)]
    cliff = find_cliff(values)
    assert cliff is not None
    assert cliff.index == before
    assert cliff.before / cliff.after == pytest.approx(fall, rel=0.1)


@given(
    st.lists(st.integers(2000, 3000), min_size=1, max_size=12),
    st.lists(st.integers(1, 1900), min_size=1, max_size=12),
)
def test_a_cliff_is_where_the_least_squares_are_left_over(high: list[int], low: list[int]) -> None:
    values = [*high, *low]

    def left_over(part: Sequence[int]) -> float:
        return sum((value - sum(part) / len(part)) ** 2 for value in part)

    cliff = find_cliff(values)
    if cliff is not None:
        cuts = range(3, len(values) - 2)
        best = min(left_over(values[:cut]) + left_over(values[cut:]) for cut in cuts)
        found = left_over(values[: cliff.index]) + left_over(values[cliff.index :])
        assert found == pytest.approx(best)
        assert best <= 0.2 * left_over(values) + 1e-6


@given(st.lists(st.floats(80, 119), min_size=0, max_size=60))
def test_noise_is_no_cliff(values: list[float]) -> None:
    assert find_cliff(values) is None


@given(st.integers(6, 60), st.floats(1.01, 20))
def test_a_steady_decline_is_no_cliff(count: int, fall: float) -> None:
    values = [1000.0 * (1 - at / count * (1 - 1 / fall)) for at in range(count)]
    cliff = find_cliff(values)
    assert cliff is None or count <= 8


def test_a_dip_that_recovers_is_no_cliff() -> None:
    assert find_cliff([100.0] * 6 + [20.0] * 4 + [100.0] * 6) is None


def test_preconditioning_writes_the_span_twice() -> None:
    workload, ios = preconditioning(1 << 30)
    io = workload.classes[0]
    assert (io.op, io.pattern, io.block_bytes) == ("write", "sequential", 128 << 10)
    assert ios * io.block_bytes == 2 << 30


@pytest.mark.parametrize(("ios", "errors", "passed"), [(100, 0, True), (99, 0, False), (100, 1, False)])
def test_preconditioning_counts_only_when_whole(ios: int, errors: int, passed: bool) -> None:
    written = cell(1.0).model_copy(update={"ios": ios, "errors": errors})
    assert judge_preconditioning(written, 100).passed is passed


def test_no_rounds_are_no_verdict() -> None:
    assert judge_steady(Settling((), None)).passed is None
