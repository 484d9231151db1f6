"""The interval of the smallest of several figures, beside one that random numbers give."""

from __future__ import annotations

import random
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.predict.smallest import Estimate, interval_of_smallest


def estimate(value: float, width: float) -> Estimate:
    return Estimate(value, (value / width, value * width))


def test_one_has_its_own() -> None:
    assert interval_of_smallest([estimate(2.0, 1.05)]) == (2.0 / 1.05, 2.0 * 1.05)


def test_several_as_random_numbers_have_it() -> None:
    several = [estimate(2.0, 1.1), estimate(2.05, 1.2), estimate(2.1, 1.05)]
    random_ = random.Random(3)

    def drawn() -> float:
        return min(e.value * exp(random_.gauss(0, log(e.ci95[1] / e.value) / 1.96)) for e in several)

    draws = sorted(drawn() for _ in range(40_000))
    low, high = interval_of_smallest(several)
    assert (low, high) == (pytest.approx(draws[1000], rel=0.01), pytest.approx(draws[39_000], rel=0.01))


def test_figures_without_a_spread() -> None:
    sharp = Estimate(1.5, (1.5, 1.5))
    assert interval_of_smallest([sharp, Estimate(1.2, (1.2, 1.2))]) == pytest.approx((1.2, 1.2))


@given(st.lists(st.tuples(st.floats(0.01, 100), st.floats(1.0, 3.0)), min_size=1, max_size=5))
def test_it_is_never_above_any_of_them(parts: list[tuple[float, float]]) -> None:
    several = [estimate(*part) for part in parts]
    low, high = interval_of_smallest(several)
    assert 0 < low <= high * (1 + 1e-9)
    assert high <= min(one.ci95[1] for one in several) * (1 + 1e-9)
    assert low <= min(one.ci95[0] for one in several) * (1 + 1e-9)
