"""A series from its points to what is said of it."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from kit import trend_series

from plimsoll.demand.points import InstancePoints, SeriesKey, seconds_of
from plimsoll.facts import TrendSeries
from plimsoll.predict.trend.series import Limit, judged

KEY = SeriesKey("SHOP", "iops")
HOUR = 3_600.0


def points(values: np.ndarray, weight: float = nan, begin_s: float = trend_series.MONDAY_S) -> InstancePoints:
    """Hours one after the other; NaN makes no point."""
    made = InstancePoints()
    for number, value in enumerate(values):
        if np.isfinite(value):
            made.add(begin_s + HOUR * number, nan, value, weight)
    return made


def series(values: np.ndarray, limit: float | None = None) -> TrendSeries:
    found = judged(KEY, {"": points(values)}, None if limit is None else Limit(limit, "as stated")).series
    assert found is not None
    return found


def test_growth_step_gaps_and_days_left() -> None:
    one = trend_series.made(1)
    end = trend_series.LEVEL + trend_series.SLOPE_PER_DAY * trend_series.DAYS + trend_series.STEP
    found = series(one.grid.values, limit=end + 150)
    assert found.growth == "grows"
    assert found.slope_per_day == pytest.approx(trend_series.SLOPE_PER_DAY, rel=0.05)
    assert [step.change for step in found.steps] == [pytest.approx(trend_series.STEP, rel=0.1)]
    assert found.gaps == int(np.isnan(one.grid.values).sum())
    assert found.points + found.gaps == len(one.grid)
    assert found.season == "day and weekday"
    assert found.days_to_limit is not None
    assert 0 < found.days_to_limit < 100
    assert len(found.days) == trend_series.DAYS == len(found.ahead) == found.horizon_days
    assert len(found.hours) == 7 * 24
    assert "its busy hours reach" in found.reason


def test_too_short_is_refused() -> None:
    found = series(trend_series.made(1).grid.values[: 13 * 24], limit=1_000)
    assert found.refused
    assert found.growth == "cannot tell"
    assert found.reason == "values of 13 days are too few for a forecast, which takes 14"
    assert (found.slope_per_day, found.days_to_limit, found.ahead) == (None, None, ())
    assert found.p95 > found.mean


def test_more_gaps_than_days_are_refused() -> None:
    values = trend_series.made(1).grid.values.copy()
    values[10 * 24 : 125 * 24] = np.nan
    assert series(values).reason == "of 150 days 115 are gaps"


@pytest.mark.parametrize("change", [0.0, 2e-16])
def test_rounding_is_no_season(change: float) -> None:
    found = series(10.833333 * (1 + np.tile([0.0, change, -change], 133)))
    assert (found.growth, found.season, found.r2, found.anomalies) == ("level", "none", None, ())


def test_a_single_value_is_a_series() -> None:
    found = series(np.array([5.0]))
    assert (found.points, found.mean, found.peak, found.refused) == (1, 5.0, 5.0, True)


def test_a_series_that_never_changes() -> None:
    found = series(np.full(40 * 24, 7.0), limit=8)
    assert (found.growth, found.slope_per_day, found.r2, found.days_to_limit) == ("level", 0.0, None, None)
    assert found.reason.endswith(
        "its busy hours stay below 8, as stated, for the 40 days that can be foreseen"
    )


def test_hours_beyond_the_limit_are_told_where_the_busy_ones_stay_below() -> None:
    values = np.full(40 * 24, 7.0)
    values[[30, 500]] = 8.0, 55.0
    found = series(values, limit=8)
    assert found.days_to_limit is None
    assert found.reason.endswith("can be foreseen; 2 of its 960 hours were at or above it")


def test_a_limit_that_is_reached() -> None:
    found = series(trend_series.made(2).grid.values, limit=1.0)
    assert found.days_to_limit == 0
    assert "are at or above 1, as stated" in found.reason


def test_instances_are_added_and_their_skew_is_told() -> None:
    values = trend_series.made(4, gap_share=0.0).grid.values
    found = judged(KEY, {"a": points(0.75 * values), "b": points(0.25 * values)}).series
    alone = series(values)
    assert found is not None
    assert found.mean == pytest.approx(alone.mean)
    assert found.slope_per_day == pytest.approx(alone.slope_per_day)
    assert found.skew == pytest.approx(1.5)
    assert [one.instance for one in found.instances] == ["a", "b"]


def test_an_hour_without_one_instance_is_a_gap() -> None:
    values = trend_series.made(4, gap_share=0.0).grid.values
    holed = values.copy()
    holed[500:510] = np.nan
    found = judged(KEY, {"a": points(values), "b": points(holed)}).series
    assert found is not None
    assert found.gaps == 10
    assert found.mean == pytest.approx(2 * np.delete(values, range(500, 510)).mean())


def test_the_mean_of_means_is_weighed() -> None:
    """Ten days of 1 with 9 waits an hour, ten of 11 with one."""
    made = InstancePoints()
    for number in range(20 * 24):
        early = number < 240
        made.add(trend_series.MONDAY_S + HOUR * number, HOUR, 1.0 if early else 11.0, 9.0 if early else 1.0)
    found = judged(SeriesKey("SHOP", "read_latency_us"), {"": made}).series
    assert found is not None
    assert found.weighted
    assert found.mean == pytest.approx(2.0)


def test_what_has_no_weight_beside_others_is_left_out_and_said() -> None:
    made = points(np.full(48, 5.0), weight=2.0)
    made.add(trend_series.MONDAY_S, nan, 1_000.0)
    found = judged(KEY, {"": made})
    assert found.series is not None
    assert found.series.peak == 5.0
    assert [note.code for note in found.notes] == ["values-left-out"]


def test_nothing_known_is_no_series() -> None:
    assert judged(KEY, {"": points(np.full(5, 1.0), weight=0.0)}).series is None


def test_the_clock_is_the_series_own() -> None:
    from datetime import UTC, datetime, timedelta, timezone

    plain = datetime(2026, 3, 1, 9)  # noqa: DTZ001 - a clock without a zone
    assert seconds_of(plain) == seconds_of(plain.replace(tzinfo=UTC))
    assert seconds_of(plain.replace(tzinfo=timezone(timedelta(hours=2)))) == seconds_of(plain) - 7_200


def hours(days: int, level: float = 20_000.0, noise: float = 800.0) -> np.ndarray:
    """Days with a season and noise, without a slope."""
    hour = np.arange(24 * days)
    noises = np.random.default_rng(1).normal(0.0, noise, 24 * days)
    return level + 6_000 * np.sin((hour % 24 - 6) / 12 * np.pi) + noises


@pytest.mark.parametrize(
    ("days", "why"),
    [
        (1, "its last day is not where the days before lead"),
        (2, "its last 2 days are not where the days before lead"),
        (3, "its last 3 days are not where the days before lead"),
        (6, "6 days at its new level are too few for a forecast, which takes 14"),
        (13, "13 days at its new level are too few for a forecast, which takes 14"),
    ],
)
def test_of_a_level_that_just_changed_nothing_is_foretold(days: int, why: str) -> None:
    """Its busy hours pass the limit since then, and nobody may read that they stay below it."""
    values = hours(120)
    values[-24 * days :] += 20_000
    found = series(values, limit=38_000)
    assert found.refused
    assert found.reason.startswith(why)
    assert found.reason.endswith("its busy hours were at or above 38,000, as stated, in the last 7 days")
    assert not series(values[: -24 * days], limit=38_000).refused


def test_a_week_of_holidays_at_the_end_is_no_forecast_of_calm() -> None:
    values = hours(120)
    values[-24 * 7 :] -= 12_000
    found = series(values, limit=26_000)
    assert (found.refused, found.reason) == (
        True,
        "7 days at its new level are too few for a forecast, which takes 14",
    )


def test_a_level_that_lasts_two_weeks_is_one() -> None:
    values = hours(120)
    values[-24 * 14 :] += 20_000
    assert "its busy hours are at or above 38,000" in series(values, limit=38_000).reason


def test_odd_days_that_come_again_are_known_of() -> None:
    """The last two days of each thirty: the busy hours have them in already."""
    values = hours(120)
    values[np.arange(len(values)) // 24 % 30 >= 28] += 20_000
    assert "its busy hours are at or above 35,000" in series(values, limit=35_000).reason


def test_skewed_noise_makes_no_day_odd() -> None:
    assert not series(100 * np.exp(np.random.default_rng(5).normal(0.0, 0.8, 60 * 24)), limit=1e6).refused


@pytest.mark.parametrize("at", [-1, 100 * 24])
def test_a_single_hour_is_no_odd_day(at: int) -> None:
    values = hours(120)
    values[at] = 1e9
    found = series(values, limit=40_000)
    assert (found.refused, found.steps, len(found.anomalies)) == (False, (), 1)


def test_what_is_held_at_a_ceiling_may_have_been_asked_for_more() -> None:
    found = series(np.minimum(hours(120, level=28_000), 30_000), limit=40_000)
    assert found.refused
    assert "lie at 30,000 and hardly any just below, as if something held it there" in found.reason


def test_a_ceiling_above_the_limit_changes_no_answer() -> None:
    found = series(np.minimum(hours(120, level=28_000), 30_000), limit=30_000)
    assert (found.refused, found.days_to_limit) == (False, 0)


@pytest.mark.parametrize("noise", [200.0, 400.0, 800.0, 2_000.0])
def test_busy_hours_that_are_alike_are_no_ceiling(noise: float) -> None:
    assert not series(hours(60, noise=noise), limit=40_000).refused


def test_hours_that_nobody_measured_are_told_with_the_limit() -> None:
    values = hours(60)
    values[np.arange(len(values)) % 24 >= 8] = np.nan
    assert series(values, limit=40_000).reason.endswith(
        "by 8 of 24 hours of the day: the others were never measured"
    )


def test_two_things_in_one_series_are_refused() -> None:
    """One hour in five is of another unit."""
    values = np.random.default_rng(3).normal(100.0, 3.0, 60 * 24)
    values[::5] *= 2
    found = series(values, limit=1_000)
    assert found.refused
    assert "is unlike the same hour of other weeks, as if two things were in one series" in found.reason


def test_a_counter_that_went_back_is_a_gap_and_said() -> None:
    values = hours(60)
    values[500] = -1e7
    found = judged(KEY, {"": points(values)})
    assert found.series is not None
    assert (found.series.gaps, found.series.mean) == (1, pytest.approx(np.delete(values, 500).mean()))
    (note,) = found.notes
    assert (
        note.message
        == "iops of SHOP: gaps in place of 1 value below 0, as a counter that went back makes them"
    )
    other = judged(SeriesKey("SHOP", "balance"), {"": points(values)})
    assert other.series is not None
    assert (other.series.gaps, other.notes) == (0, ())


@pytest.mark.parametrize("years", [-1_000, 180])
def test_a_year_that_is_wrong_costs_that_value_alone(years: int) -> None:
    values = hours(60)
    wrong = points(values)
    wrong.add(trend_series.MONDAY_S + years * 365 * 24 * HOUR, nan, 5.0)
    found = judged(KEY, {"": wrong})
    assert found.series == series(values)
    (note,) = found.notes
    assert note.message == "iops of SHOP: gaps in place of 1 value too many years from the others"


def test_values_without_an_instance_beside_those_of_instances_are_told() -> None:
    values = hours(60)
    found = judged(KEY, {"": points(values), "shop1": points(values)})
    assert [note.code for note in found.notes] == ["instance-unnamed"]
    assert judged(KEY, {"shop1": points(values), "shop2": points(values)}).notes == ()


def test_a_limit_that_is_passed_is_none_that_lies_ahead() -> None:
    """So that such a series is told before those that reach their limits later."""
    values = hours(120)
    values[-24:] += 20_000
    assert series(values, limit=38_000).days_to_limit == 0.0
    assert series(values, limit=60_000).days_to_limit is None
