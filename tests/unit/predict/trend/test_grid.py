"""Points on even steps: gaps stay gaps, means are weighed, instances are added up where all are known."""

from __future__ import annotations

import numpy as np
import pytest

from plimsoll.predict.trend.grid import (
    DAY_S,
    Grid,
    Part,
    Points,
    are_too_far,
    laid,
    step_for,
    together,
)

HOUR = 3_600


def points(
    begin_h: list[float], values: list[float], hours: float = 1.0, weight: list[float] | None = None
) -> Points:
    return Points(
        HOUR * np.array(begin_h),
        np.full(len(begin_h), HOUR * hours),
        np.array(values, float),
        None if weight is None else np.array(weight, float),
    )


def test_what_nobody_measured_is_a_gap() -> None:
    values, _ = laid(points([0, 1, 3], [10, 20, 30]), 0, HOUR, 5)
    assert values == pytest.approx([10, 20, np.nan, 30, np.nan], nan_ok=True)


def test_less_than_half_of_a_step_is_a_gap() -> None:
    values, _ = laid(points([0, 1, 1.25], [10, 20, 40], hours=0.25), 0, HOUR, 2)
    assert values == pytest.approx([np.nan, 30], nan_ok=True)


def test_a_quarter_of_an_hour_each_day_stands_for_its_hour() -> None:
    values, _ = laid(points([9, 33, 57], [10, 20, 30], hours=0.25), 0, HOUR, 72)
    assert values[[9, 33, 57]] == pytest.approx([10, 20, 30])
    assert np.isnan(values).sum() == 69


def test_a_report_across_the_hour_counts_for_the_time_that_it_covers() -> None:
    values, _ = laid(points([0.5, 1.5], [10, 30]), 0, HOUR, 3)
    assert values == pytest.approx([10, 20, 30])


def test_means_are_weighed_by_what_they_are_of() -> None:
    """Nine waits of 1 ms and one of 11 ms are 2 ms in the mean, and not 6."""
    values, weights = laid(points([0, 0.5], [1, 11], hours=0.5, weight=[9, 1]), 0, HOUR, 1)
    assert values == pytest.approx([2])
    assert weights == pytest.approx([10])


def test_means_of_nothing_are_not_known() -> None:
    values, _ = laid(points([0], [5], weight=[0]), 0, HOUR, 1)
    assert np.isnan(values).all()


def part(name: str, *values: float, weight: float = 1.0) -> Part:
    found = np.array(values, float)
    return Part(name, found, np.where(np.isnan(found), 0.0, weight))


def test_a_sum_without_one_instance_is_not_known() -> None:
    both = together([part("a", 1, 2, 3, 4), part("b", 10, np.nan, 30, 40)], are_means=False)
    assert both == pytest.approx([11, np.nan, 33, 44], nan_ok=True)


def test_an_instance_that_comes_later_is_not_missing_before() -> None:
    both = together([part("a", 1, 2, 3), part("b", np.nan, np.nan, 30)], are_means=False)
    assert both == pytest.approx([1, 2, 33])


def test_means_of_instances_are_weighed() -> None:
    both = together([part("a", 1, 1, weight=9), part("b", 11, 1, weight=1)], are_means=True)
    assert both == pytest.approx([2, 1])


@pytest.mark.parametrize(
    ("seconds", "step"), [(600, HOUR), (3_608, HOUR), (7_200, 2 * HOUR), (DAY_S, DAY_S), (7 * DAY_S, DAY_S)]
)
def test_the_step_is_the_shortest_that_points_fill(seconds: float, step: int) -> None:
    made = points([0, 1, 2], [1, 1, 1], hours=seconds / HOUR)
    assert step_for([made]) == step


def test_a_date_centuries_off_takes_no_memory() -> None:
    (far,) = are_too_far([points([0, 24, 24 * 365 * 300], [1, 1, 1])], HOUR)
    assert far.tolist() == [False, False, True]
    (near,) = are_too_far([points([0, 24 * 365 * 10], [1, 1])], HOUR)
    assert not near.any()


def test_weekdays_and_hours_are_those_of_the_calendar() -> None:
    """1970-01-01 was a Thursday."""
    week = Grid(0, HOUR, np.zeros(8 * 24))
    assert week.weekday[[0, 4 * 24, 7 * 24]].tolist() == [3, 0, 3]
    assert week.by_week(week.values).shape == (2, 168)
