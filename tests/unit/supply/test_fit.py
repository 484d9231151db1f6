"""The fit finds a known crossing whatever the noise, and its interval holds it as often as it says."""

from __future__ import annotations

import math
import random
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.supply import fit
from plimsoll.supply.fit import Point

CROSSING = 10_000.0
ALLOWED = 0.01


def point(rate: float, ratio: float, ios: float = 20_000.0) -> Point:
    """A trial with so many times as many I/Os beyond the limit as may be."""
    return Point(rate, ratio * ALLOWED * ios, ios, ALLOWED)


def expected_ratio(rate: float, slope: float) -> float:
    """What a curve of that slope has beyond the limit at a rate, as a multiple of what may be."""
    odds = ALLOWED / (1 - ALLOWED) * (rate / CROSSING) ** slope
    return odds / (1 + odds) / ALLOWED


def trials(seed: int, slope: float, clusters: float, count: int = 10) -> list[Point]:
    """Trials around the crossing in which late I/Os come in clusters of that size, as those of a queue do."""
    chance = random.Random(seed)
    away = min(0.06, 0.7 / slope)
    made = [point(share * CROSSING, expected_ratio(share * CROSSING, slope)) for share in (0.5, 0.7)]
    for index in range(count):
        rate = CROSSING * (1 + away * (0.0, -1.0, 1.0, -0.5, 0.5)[index % 5])
        mean_clusters = expected_ratio(rate, slope) * ALLOWED * 20_000 / clusters
        seen = sum(chance.expovariate(1.0) for _ in range(poisson(chance, mean_clusters)))
        made.append(Point(rate, min(20_000.0, seen * clusters), 20_000.0, ALLOWED))
    return made


def poisson(chance: random.Random, expected: float) -> int:
    count, waited = 0, chance.expovariate(1.0)
    while waited < expected:
        count += 1
        waited += chance.expovariate(1.0)
    return count


@given(st.floats(2.0, 60.0), st.floats(10.0, 1e6))
def test_without_noise_the_crossing_is_found(slope: float, at: float) -> None:
    away = 0.7 / slope
    exact = [
        point(at * (1 + step * away), expected_ratio(CROSSING * (1 + step * away), slope))
        for step in (-1.0, -0.5, 0.0, 0.5, 1.0)
    ]
    fitted = fit.fit(exact)
    assert fitted is not None
    assert fitted.crossing == pytest.approx(at, rel=0.02)
    assert fitted.ci95[0] < at < fitted.ci95[1]


@pytest.mark.parametrize(("slope", "clusters"), [(3.0, 5.0), (6.0, 10.0), (25.0, 30.0)])
def test_it_has_no_bias_and_its_interval_holds_the_crossing(slope: float, clusters: float) -> None:
    fits = [fit.fit(trials(seed, slope, clusters)) for seed in range(60)]
    known = [fitted for fitted in fits if fitted is not None]
    assert len(known) == 60
    assert mean(fitted.crossing for fitted in known) == pytest.approx(CROSSING, rel=0.02)
    assert sum(fitted.ci95[0] <= CROSSING <= fitted.ci95[1] for fitted in known) >= 54


def test_more_noise_makes_it_wider() -> None:
    widths = []
    for clusters in (1.0, 10.0, 40.0):
        fits = [fit.fit(trials(seed, 6.0, clusters)) for seed in range(20)]
        widths.append(mean(fitted.width for fitted in fits if fitted is not None))
    assert widths[0] < widths[1] < widths[2]
    assert widths[0] >= 1.04


@pytest.mark.parametrize("stalled", [20.0, 99.0])
def test_one_stall_does_not_outweigh_all_other_trials(stalled: float) -> None:
    sound = trials(1, 6.0, 5.0)
    fitted = fit.fit([*sound[:-1], point(sound[-1].rate, stalled)])
    assert fitted is not None
    assert fitted.crossing == pytest.approx(CROSSING, rel=0.2)
    assert fitted.ci95[0] <= CROSSING <= fitted.ci95[1]


def test_half_of_all_may_be_the_objective() -> None:
    half = [
        Point(rate, 1000 / (1 + (CROSSING / rate) ** 4), 1000, 0.5) for rate in (8e3, 9e3, 1e4, 1.1e4, 1.2e4)
    ]
    fitted = fit.fit(half)
    assert fitted is not None
    assert fitted.crossing == pytest.approx(CROSSING, rel=0.02)


@pytest.mark.parametrize("few", [[], [point(1, 1)], [point(1, 1), point(2, 2)], [point(5, 1)] * 6])
def test_too_little_bears_no_fit(few: list[Point]) -> None:
    assert fit.fit(few) is None


def test_steep_curves_are_looked_at_closely_and_flat_ones_from_afar() -> None:
    assert fit.spread(0.1) == fit.spread(6.0) == 0.06
    assert fit.spread(35.0) == pytest.approx(0.02)
    assert fit.spread(1000.0) == 0.004


def test_trials_that_no_curve_fits_leave_the_line_where_they_agree() -> None:
    """As a throttle of 1,500 reads a second gave them: at rates close to its own one trial holds and the next misses by far."""
    below = [point(rate, 0.0, 3_000.0) for rate in (375, 750, 1319, 1368, 1381, 1407, 1426, 1458)]
    beside = [
        point(rate, ratio, 3_000.0) for rate, ratio in ((1485, 64.8), (1500, 0.0), (1501, 38.5), (1512, 0.0))
    ]
    above = [
        point(rate, ratio, 3_000.0)
        for rate, ratio in ((1636, 97.1), (1784, 90.5), (2121, 75.7), (3000, 100.0))
    ]
    fitted = fit.fit([*below, *beside, *above])
    assert fitted is not None
    assert 1380 < fitted.ci95[0] < 1500 < fitted.ci95[1] < 1680
    # One trial alone agrees with nobody.
    lone = fit.fit([*below, *beside, above[0]])
    assert lone is not None
    assert lone.ci95[1] > 1680


def test_a_step_is_told_from_a_slope() -> None:
    step = [point(90, 0.0), point(99, 0.05), point(101, 60), point(110, 80)]
    assert fit.edge(step) == (99, 101)
    assert fit.edge([*step, point(105, 0.6)]) is None
    assert fit.edge([point(99, 0.9), point(101, 1.3)]) is None
    assert fit.edge([point(99, 0.5)]) is None


def test_the_interval_of_a_step_is_its_gap_and_what_no_trial_could_see() -> None:
    step = [point(90, 0.0), point(99, 0.0), point(101, 60), point(110, 80)]
    plain, blind = fit.fit(step), fit.fit(step, blind=0.05)
    assert plain is not None
    assert blind is not None
    assert plain.ci95[0] <= 99 < 101 <= plain.ci95[1]
    assert blind.ci95 == (pytest.approx(0.95 * plain.ci95[0]), plain.ci95[1])
    assert math.log(plain.ci95[1] / plain.ci95[0]) < 0.07
