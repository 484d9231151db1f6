"""The largest set of databases that fits, against all sets that there are."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from plimsoll.placement.fitting import Candidates, largest_set
from plimsoll.placement.refused import Refused


def every_set(count: int) -> list[tuple[int, ...]]:
    return [chosen for size in range(count + 1) for chosen in combinations(range(count), size)]


def best_of_all(of: Candidates) -> tuple[int, ...]:
    """By looking at each."""
    fitting = [
        chosen
        for chosen in every_set(len(of.weights))
        if (of.shares[:, list(chosen)].sum(axis=1) <= 1).all()
        and not any(one.is_in(frozenset(chosen)) for one in of.refused)
    ]
    return max(
        fitting, key=lambda chosen: (sum(of.weights[n] for n in chosen), sum(of.amounts[n] for n in chosen))
    )


def some_of(rng: random.Random, count: int) -> Refused:
    """All of a set, or so many of it, maybe beside others."""
    of = frozenset(rng.sample(range(count), rng.randint(1, count)))
    left = sorted(set(range(count)) - of)
    return Refused(
        of, rng.randint(1, len(of)), frozenset(rng.sample(left, rng.randint(0, min(2, len(left)))))
    )


def with_peaks(rng: random.Random) -> Candidates:
    """Up to ten databases that are calm but for peaks of their own, some at the same hours of a day."""
    count, hours = rng.randint(1, 10), rng.randint(1, 24)
    shares = np.array([[rng.uniform(0.0, 0.1) for _ in range(count)] for _ in range(hours)])
    for number in range(count):
        for _ in range(rng.randint(0, 3)):
            shares[rng.randrange(hours), number] = rng.choice([0.2, 0.45, 0.7, 1.2]) * rng.uniform(0.9, 1.1)
    is_weighted = rng.random() < 0.5
    weights = [rng.randint(1, 9) if is_weighted else 1 for _ in range(count)]
    refused = [some_of(rng, count) for _ in range(rng.choice([0, 0, 1, 2]))]
    return Candidates(shares, weights, [rng.uniform(0, 1e12) for _ in range(count)], refused)


@pytest.mark.parametrize("block", range(12))
def test_the_set_is_the_best_of_all_sets(block: int) -> None:
    rng = random.Random(block)
    for _ in range(20):
        of = with_peaks(rng)
        assert largest_set(of) == best_of_all(of)


def chosen(
    shares: Sequence[Sequence[float]], weights: Sequence[int] = (), amounts: Sequence[float] = ()
) -> tuple[int, ...]:
    count = len(shares[0])
    return largest_set(Candidates(np.array(shares), weights or [1] * count, amounts or [1.0] * count))


def test_peaks_at_other_hours_fit_where_the_sum_of_peaks_does_not() -> None:
    assert chosen([[0.9, 0.1, 0.0], [0.1, 0.9, 0.0], [0.0, 0.0, 0.9]]) == (0, 1, 2)
    assert len(chosen([[0.9, 0.9, 0.9]])) == 1


def test_the_weight_goes_before_the_number_and_the_number_before_bytes() -> None:
    shares = [[0.8, 0.4, 0.4]]
    assert chosen(shares) == (1, 2)
    assert chosen(shares, [3, 1, 1]) == (0,)
    assert chosen(shares, [2, 1, 1], [1.0, 5.0, 5.0]) == (1, 2)
    assert chosen(shares, [2, 1, 1], [20.0, 5.0, 5.0]) == (0,)


def test_where_not_one_fits_none_is_chosen() -> None:
    assert chosen([[1.5, 2.0]]) == ()


def test_a_refused_set_takes_all_that_hold_it_with_it() -> None:
    shares = np.array([[0.2, 0.2, 0.2]])
    of = Candidates(shares, [1, 1, 1], [1.0, 2.0, 3.0], [Refused.whole(frozenset({0, 2}))])
    assert largest_set(of) == (1, 2)


def test_what_asks_for_nothing_always_fits() -> None:
    assert chosen([[0.0, 1.0, 0.0]], amounts=[0.0, 1.0, 0.0]) == (0, 1, 2)
