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
