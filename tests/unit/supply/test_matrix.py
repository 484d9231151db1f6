"""Levels and points of the matrix, against the runs that were published."""

from __future__ import annotations

from itertools import pairwise

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.supply.matrix import MATRICES, SHAPES, levels, points


def of_shape(shape: str, disks: int) -> list[tuple[int, int]]:
    """Every point of a shape's own matrix."""
    fixed = {"oltp": (None, 0), "dss": (0, None)}.get(shape, (None, None))
    return points(SHAPES[shape], *levels(shape, disks), *fixed)


@pytest.mark.parametrize(
    ("shape", "disks", "small", "large", "total"),
    [
        ("simple", 1, range(1, 6), range(1, 3), 8),
        ("simple", 6, range(1, 31), range(1, 13), 43),
        ("simple", 8, [1, *range(2, 41, 2)], range(1, 17), 38),
        ("normal", 1, range(1, 6), range(1, 3), 18),
        ("oltp", 1, range(1, 21), [], 21),
        ("oltp", 4, range(4, 81, 4), [], 21),
        ("dss", 1, [], range(1, 16), 16),
        ("dss", 3, [], range(3, 46, 3), 16),
    ],
)
def test_levels_and_points_are_those_of_published_runs(
    shape: str, disks: int, small: list[int], large: list[int], total: int
) -> None:
    assert levels(shape, disks) == (tuple(small), tuple(large))
    assert len(of_shape(shape, disks)) == total


def test_oltp_on_three_disks_is_the_one_run_that_the_rule_does_not_explain() -> None:
    """It announced 24 minutes, one more than its points; the rule gives 21 of them."""
    assert len(of_shape("oltp", 3)) == 21


@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.parametrize("disks", [1, 2, 7, 9, 24, 400])
def test_levels_rise_and_are_few_enough_for_any_number_of_disks(shape: str, disks: int) -> None:
    for walk in levels(shape, disks):
        assert all(low < high for low, high in pairwise(walk))
        assert len(walk) <= 41
    if shape in ("simple", "normal", "custom"):
        assert levels(shape, disks)[0][0] == levels(shape, disks)[1][0] == 1


def test_each_matrix_takes_its_own_part() -> None:
    small, large = (1, 2, 3), (1, 2)
    assert points("basic", small, large) == [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (0, 2)]
    assert set(points("detailed", small, large)) == {(few, many) for few in range(4) for many in range(3)}
    assert points("point", small, large, 7, 5) == [(7, 5)]
    assert points("row", small, large, num_large=9) == [(0, 9), (1, 9), (2, 9), (3, 9)]
    assert points("col", small, large, num_small=9) == [(9, 0), (9, 1), (9, 2)]
    assert set(points("max", small, large, 2, 1)) == {(few, many) for few in range(3) for many in range(2)}


def test_max_reaches_the_largest_loads_whatever_the_disks_are() -> None:
    walked = points("max", (1,), (1,), 45, 0)
    assert walked[-1] == (45, 0)
    assert {many for _, many in walked} == {0}
    assert (1, 0) in walked


@pytest.mark.parametrize(
    ("matrix", "given", "missing"),
    [
        ("point", (1, None), "large"),
        ("point", (None, 1), "small"),
        ("row", (5, None), "large"),
        ("col", (None, 5), "small"),
        ("max", (None, 5), "small"),
        ("max", (5, None), "large"),
    ],
)
def test_a_fixed_load_that_is_missing_is_named(
    matrix: str, given: tuple[int | None, int | None], missing: str
) -> None:
    with pytest.raises(UsageError, match=f"number of {missing} I/Os") as caught:
        points(matrix, (1,), (1,), *given)
    assert caught.value.id == "depth-missing"


def test_an_unknown_matrix_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        points("cube", (1,), (1,))
    assert caught.value.id == "matrix-unknown"
    assert all(name in (caught.value.hint or "") for name in MATRICES)
