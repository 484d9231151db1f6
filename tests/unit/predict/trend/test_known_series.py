"""Series whose season, slope and step are known: what is found of them. bench/trend.py does the same with ten times as many."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from kit import trend_series
from kit.trend_series import Made, Told

from plimsoll.predict.trend.anomalies import anomalies
from plimsoll.predict.trend.forecast import Ahead, too_poor, tried
from plimsoll.predict.trend.grid import DAY_S, Grid
from plimsoll.predict.trend.model import fit

SEEDS = range(24)


@cache
def told() -> list[Told]:
    return [trend_series.told(trend_series.made(seed)) for seed in SEEDS]


def test_slopes_are_within_a_twentieth() -> None:
    assert max(one.slope_error for one in told()) <= 0.05


def test_steps_are_found_within_a_point() -> None:
    assert max(one.step_off for one in told()) <= 1
    assert sum(one.steps_invented for one in told()) <= 1


def test_bands_cover_what_was_held_out() -> None:
    assert 0.85 <= np.mean([one.covered_share for one in told()]) <= 0.95


def test_none_of_them_is_refused() -> None:
    assert [one.refused for one in told() if one.refused] == []


def flat(days: int = 84, level: float = 100.0) -> np.ndarray:
    return np.random.default_rng(8).normal(level, 3.0, days * 24)


def grid(values: np.ndarray) -> Grid:
    return Grid(trend_series.MONDAY_S, 3_600, values)


def test_noise_has_no_step_no_season_and_no_slope() -> None:
    found = fit(grid(flat()))
    assert found.line.cuts == ()
    assert found.season.kind == "none"
    assert found.line.slope.low <= 0 <= found.line.slope.high


@pytest.mark.parametrize("slope", [0.1, 5.0, 100.0, -20.0])
def test_a_slope_alone_is_no_step(slope: float) -> None:
    found = fit(grid(flat() + slope * np.arange(84 * 24) / 24))
    assert found.line.cuts == ()
    assert found.line.slope.per_day == pytest.approx(slope, rel=0.1)


def test_the_interval_of_the_slope_holds_the_true_one_in_nine_of_ten() -> None:
    """Of 120 series without a step; of so many between 84 and 96 % hold it, but once in fifty."""
    held = 0
    for seed in range(120):
        noise = np.random.default_rng(seed).normal(0.0, 4.0, 60)
        found = fit(Grid(trend_series.MONDAY_S, DAY_S, 50.0 + 0.3 * np.arange(60) + noise))
        held += found.line.slope.low <= 0.3 <= found.line.slope.high
    assert 0.84 <= held / 120 <= 0.97


def test_a_level_that_wanders_is_refused() -> None:
    """Of random walks one in seven looks like steps and a line, by chance."""
    refused = 0
    for seed in range(20):
        walk = np.cumsum(np.random.default_rng(seed).normal(0.0, 3.0, 84 * 24)) + 1_000
        found = fit(grid(walk))
        refused += too_poor(found, tried(found)) is not None
    assert refused >= 15


def test_a_level_that_jumps_again_and_again_is_refused() -> None:
    jumps = np.repeat([0.0, 90.0, 20.0, 150.0], 20 * 24)
    found = fit(grid(flat(80) + jumps))
    assert too_poor(found, tried(found)) == "its level changed 3 times in 80 days, and may again"


def test_a_series_that_turns_in_its_last_fifth_is_refused() -> None:
    """No step, but another slope from then on: what was held out lies above the band."""
    turned = np.maximum(0.0, np.arange(84 * 24) / 24 - 68) * 4.0
    found = fit(grid(flat() + turned))
    assert "of its last fifth" in (too_poor(found, tried(found)) or "") or found.line.cuts


def test_an_hour_unlike_itself_is_found_and_changes_nothing_else() -> None:
    one = trend_series.made(3, gap_share=0.0)
    values = one.grid.values.copy()
    values[1_000:1_003] += 200.0
    found = fit(one.grid.having(values))
    (unlike,) = anomalies(found)
    assert (unlike.first, unlike.last) == (1_000, 1_002)
    assert unlike.deviations > 5
    assert found.line.cuts == fit(one.grid).line.cuts


def test_a_limit_is_reached_when_the_busy_hours_are() -> None:
    """100 + t a day without season: its busy hours are 1.645 deviations of 3 above that."""
    found = fit(grid(flat() + np.arange(84 * 24) / 24))
    left = Ahead(found).left(100 + 84 + 20 + 1.645 * 3)
    assert left.days == pytest.approx(20, abs=1.5)
    assert left.days is not None
    assert left.low is not None
    assert left.high is not None
    assert left.low < left.days < left.high
    assert Ahead(found).left(50).days == 0
    beyond = Ahead(found).left(10_000)
    assert (beyond.days, beyond.low, beyond.high, beyond.horizon_days) == (None, None, None, 84)


def test_a_floor_is_reached_when_the_low_hours_are() -> None:
    """The same upside down: what falls by 1 a day reaches a floor as soon as what rises by that reaches a limit."""
    rises = grid(flat() + np.arange(84 * 24) / 24)
    falls = rises.having(1_000 - rises.values)
    up, down = Ahead(fit(rises)), Ahead(fit(falls))
    left = down.left(1_000 - 210, is_floor=True)
    assert left == up.left(210)
    assert left.days is not None
    assert 0 < left.days < 40
    assert down.edge_at_end(is_floor=True) == pytest.approx(1_000 - up.edge_at_end())
    assert down.left(950, is_floor=True).days == 0
    assert down.left(-10_000, is_floor=True).days is None


def test_days_ahead_hold_nine_tenths_of_their_hours() -> None:
    one: Made = trend_series.made(5, gap_share=0.0)
    count = 120 * 24
    ahead = Ahead(fit(one.grid.first(count))).by_day()
    held = one.grid.values[count:].reshape(-1, 24)
    days = len(held)
    inside = (held >= ahead.low[:days, None]) & (held <= ahead.high[:days, None])
    assert 0.85 <= inside.mean() <= 0.96
