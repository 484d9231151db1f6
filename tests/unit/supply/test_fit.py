"""The fit finds a known crossing under noise and stalls, and its interval covers it as often as it says."""

from __future__ import annotations

import math
import random
from statistics import NormalDist, mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.supply import fit
from plimsoll.supply.fit import Point

CROSSING = 10_000.0


def points(
    seed: int, slope: float = 3.0, noise: float = 0.05, count: int = 10, stalls: int = 0
) -> list[Point]:
    """Trials within five percent of the crossing of a curve of that slope, with lognormal noise and so many stalls."""
    chance = random.Random(seed)
    made = []
    for index in range(count):
        rate = CROSSING * chance.uniform(0.95, 1.05)
        log_ratio = slope * math.log(rate / CROSSING) + chance.gauss(0, noise)
        made.append(Point(rate, math.exp(log_ratio) * (20.0 if index < stalls else 1.0), 2.0))
    return made


def holds_nine_in_ten(slope: float, noise: float) -> float:
    """The rate at which a trial of that noise holds nine times in ten."""
    return CROSSING * math.exp(-NormalDist().inv_cdf(0.9) * noise / slope)


@given(st.floats(0.2, 30.0), st.floats(1.0, 1e6))
def test_without_noise_the_crossing_is_found_exactly(slope: float, at: float) -> None:
    exact = [Point(at * share, share**slope, 2.0) for share in (0.97, 0.99, 1.0, 1.01, 1.03)]
    fitted = fit.fit(exact)
    assert fitted is not None
    assert fitted.middle == pytest.approx(at, rel=1e-6)
    assert fitted.crossing == pytest.approx(at, rel=1e-6)
    assert fitted.slope == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize(("slope", "noise"), [(1.2, 0.02), (3.0, 0.05), (10.0, 0.2)])
def test_under_noise_it_is_found_without_a_bias(slope: float, noise: float) -> None:
    fits = [fit.fit(points(seed, slope, noise)) for seed in range(200)]
    middles = [fitted.middle for fitted in fits if fitted is not None]
    assert len(middles) == 200
    assert mean(middles) == pytest.approx(CROSSING, rel=0.01)
    assert all(abs(middle / CROSSING - 1) < 0.06 for middle in middles)


@pytest.mark.parametrize(("slope", "noise"), [(1.2, 0.02), (3.0, 0.05), (10.0, 0.2)])
def test_the_line_lies_where_nine_trials_in_ten_hold(slope: float, noise: float) -> None:
    fits = [fit.fit(points(seed, slope, noise, count=15)) for seed in range(200)]
    crossings = [fitted.crossing for fitted in fits if fitted is not None]
    assert mean(crossings) == pytest.approx(holds_nine_in_ten(slope, noise), rel=0.01)


@pytest.mark.parametrize(("stalls", "moved"), [(1, 0.012), (2, 0.025)])
def test_stalls_hardly_move_it(stalls: int, moved: float) -> None:
    fits = [fit.fit(points(seed, stalls=stalls)) for seed in range(100)]
    middles = [fitted.middle for fitted in fits if fitted is not None]
    assert mean(middles) == pytest.approx(CROSSING, rel=moved)
    assert sorted(abs(middle / CROSSING - 1) for middle in middles)[94] < 0.09


@pytest.mark.parametrize(("slope", "noise", "count"), [(1.2, 0.03, 8), (3.0, 0.05, 12), (10.0, 0.2, 15)])
def test_the_interval_covers_in_nine_cases_of_ten_at_least(slope: float, noise: float, count: int) -> None:
    truth = holds_nine_in_ten(slope, noise)
    covered = 0
    for seed in range(60):
        ends = fit.interval(points(seed, slope, noise, count))
        assert ends is not None
        assert ends[0] <= ends[1]
        covered += ends[0] <= truth <= ends[1]
    assert covered / 60 >= 0.9


def test_longer_trials_weigh_more_in_the_noise() -> None:
    """Short trials scatter twice as far as those of four times their length, and are not held against the long ones."""
    chance = random.Random(1)
    both = [
        Point(
            rate := CROSSING * chance.uniform(0.95, 1.05),
            (rate / CROSSING) ** 3 * math.exp(chance.gauss(0, 0.2 / seconds**0.5)),
            seconds,
        )
        for seconds in (1.0, 4.0) * 30
    ]
    fitted = fit.fit(both)
    assert fitted is not None
    assert fitted.deviation == pytest.approx(0.1, rel=0.3)


def test_equal_trials_give_an_equal_interval() -> None:
    assert fit.interval(points(1), seed=7) == fit.interval(points(1), seed=7)


def test_a_line_is_never_put_far_from_the_trials() -> None:
    for points_far in (
        [Point(100.0 + i, 0.05, 2.0) for i in range(5)],
        [Point(100.0 + i, 90.0, 2.0) for i in range(5)],
    ):
        fitted = fit.fit(points_far)
        assert fitted is not None
        assert 70 < fitted.crossing < 150
        assert 70 < fitted.middle < 150


@pytest.mark.parametrize(
    "trials", [[], [Point(1, 1, 1)], [Point(1, 1, 1), Point(2, 2, 1)], [Point(5, 1, 1)] * 6]
)
def test_too_little_bears_no_fit(trials: list[Point]) -> None:
    assert fit.fit(trials) is None
    assert fit.interval(trials) is None if trials and len(trials) > 1 else True


def test_near_keeps_close_trials_and_at_least_four() -> None:
    trials = [Point(rate, 1.0, 2.0) for rate in (10, 50, 95, 99, 100, 101, 105, 150)]
    assert sorted(point.rate for point in fit.near(trials, 100.0, 0.01)) == [95, 99, 100, 101, 105]
    assert len(fit.near(trials[:3], 100.0, 0.01)) == 3
    assert len(fit.near([trials[0], trials[1], trials[7], trials[2], trials[6]], 100.0, 0.008)) == 4


def test_the_slope_below_the_crossing_bounds_it_from_below() -> None:
    curve = [Point(rate, 4605 / (10_000 - rate), 2.0) for rate in (2000, 2700, 4000, 5000, 5395)]
    assert 0.3 < fit.slope_floor(curve, 5395.0) < 5395 / 4605


def test_steep_curves_are_looked_at_closely_and_flat_ones_from_afar() -> None:
    assert fit.spread(0.1) == fit.spread(1.0) == 0.05
    assert fit.spread(10.0) == pytest.approx(0.02)
    assert fit.spread(1000.0) == 0.008


def test_a_cliff_is_told_from_a_slope() -> None:
    cliff = [Point(90, 0.5, 1), Point(99, 0.5, 1), Point(101, 30, 1), Point(110, 40, 1)]
    assert fit.edge(cliff) == (99, 101)
    assert fit.edge([*cliff, Point(105, 0.6, 1)]) is None
    assert fit.edge([Point(90, 0.5, 1), Point(101, 30, 1)]) is None
    assert fit.edge([Point(99, 0.97, 1), Point(101, 1.03, 1)]) is None
    assert fit.edge([Point(99, 0.5, 1)]) is None
