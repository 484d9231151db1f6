"""Statistics of measurements: published values, and what Python's own library says of the same numbers."""

from __future__ import annotations

import random
from statistics import NormalDist, linear_regression

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.native.statistics import (
    least_squares,
    mean_ci95,
    normal_cdf,
    student_95,
    theil_sen_slope,
)


@pytest.mark.parametrize(
    ("freedom", "published"), [(1, 12.706), (2, 4.303), (4, 2.776), (10, 2.228), (30, 2.042), (120, 1.980)]
)
def test_students_quantile_is_the_published_one(freedom: int, published: float) -> None:
    """NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2."""
    assert student_95(freedom) == pytest.approx(published, abs=5.1e-4)


@given(st.floats(0.01, 1e4))
def test_students_quantile_is_never_below_the_normal_one(freedom: float) -> None:
    assert 1.9599 < student_95(freedom) <= 12.7063


def test_the_normal_distribution_is_that_of_python() -> None:
    for z in (-3.0, -1.96, 0.0, 0.5, 2.58):
        assert normal_cdf(z) == pytest.approx(NormalDist().cdf(z), abs=1e-9)


def test_an_interval_holds_its_mean_as_often_as_it_says() -> None:
    chance = random.Random(7)
    runs = [mean_ci95([chance.gauss(10, 2) for _ in range(4)]) for _ in range(4000)]
    assert sum(low <= 10 <= high for low, high in runs) / 4000 == pytest.approx(0.95, abs=0.011)


def test_a_line_is_that_of_python() -> None:
    chance = random.Random(3)
    spots = [(chance.uniform(0, 9), chance.uniform(0, 9)) for _ in range(50)]
    fitted = least_squares([(1.0, x) for x, _ in spots], [y for _, y in spots], [1.0] * 50)
    line = linear_regression([x for x, _ in spots], [y for _, y in spots])
    assert fitted is not None
    assert fitted.coefficients == pytest.approx([line.intercept, line.slope])


def test_terms_that_are_alike_are_not_told_apart() -> None:
    assert least_squares([(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)], [1.0, 2.0, 3.0], [1.0] * 3) is None


def test_one_place_has_no_slope() -> None:
    assert theil_sen_slope([(1.0, 1.0), (1.0, 2.0)]) is None
    assert theil_sen_slope([(1.0, 1.0), (2.0, 3.0)]) == 2.0
