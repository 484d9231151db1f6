"""Where databases of a lost node go, against all arrangements that there are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from plimsoll.placement.refused import Refused
from plimsoll.placement.solver import Impossible
from plimsoll.placement.takeover import Arrangement, Takeover, with_all, within


def every_arrangement(of: Takeover) -> Iterator[Arrangement]:
    """Each lost database on each node that is left, or nowhere."""
    for to in product((None, *range(len(of.own))), repeat=len(of.lost)):
        yield Arrangement(to)


def largest_share(of: Takeover, arrangement: Arrangement) -> float:
    return max(of.share_of(chosen) for chosen in of.sets_of(arrangement))


def weight_placed(of: Takeover, arrangement: Arrangement) -> int:
    return sum(of.weights[one] for one, to in zip(of.lost, arrangement.to, strict=True) if to is not None)


def is_allowed(of: Takeover, arrangement: Arrangement) -> bool:
    sets = of.sets_of(arrangement)
    return not any(refused.is_in(chosen) for refused in of.refused for chosen in sets)


def with_peaks(rng: random.Random) -> Takeover:
    """Up to seven databases on two to four nodes, calm but for peaks of their own; one node is lost, one may have been idle."""
    count, hours, nodes = rng.randint(2, 7), rng.randint(1, 12), rng.randint(2, 4)
    shares = np.array([[rng.uniform(0.0, 0.1) for _ in range(count)] for _ in range(hours)])
    for number in range(count):
        for _ in range(rng.randint(0, 3)):
            shares[rng.randrange(hours), number] = rng.choice([0.2, 0.45, 0.7]) * rng.uniform(0.9, 1.1)
    on = [rng.randrange(nodes) for _ in range(count)]
    own = [[number for number in range(count) if on[number] == node] for node in range(nodes)]
    weights = [rng.randint(1, 9) if rng.random() < 0.5 else 1 for _ in range(count)]
    some = frozenset(rng.sample(range(count), rng.randint(1, count)))
    left = sorted(set(range(count)) - some)
    beside = frozenset(rng.sample(left, rng.randint(0, min(2, len(left)))))
    refused = [Refused(some, rng.randint(1, len(some)), beside)] if rng.random() < 0.6 else []
    return Takeover(shares, weights, own[0], own[1:], refused)


@pytest.mark.parametrize("block", range(10))
def test_all_go_where_they_leave_most_headroom(block: int) -> None:
    rng = random.Random(block)
    for _ in range(10):
        of = with_peaks(rng)
        found = with_all(of)
        least = min(largest_share(of, one) for one in every_arrangement(of) if None not in one.to)
        assert None not in found.to
        assert found.is_proved
        assert largest_share(of, found) == pytest.approx(least, abs=1e-7)


@pytest.mark.parametrize("block", range(10))
def test_of_those_that_do_not_all_fit_most_weight_finds_a_place(block: int) -> None:
    rng = random.Random(100 + block)
    for _ in range(10):
        of = with_peaks(rng)
        limit = max(1.0, *(of.share_of(own) for own in of.own))
        fitting = [
            one
            for one in every_arrangement(of)
            if is_allowed(of, one) and largest_share(of, one) <= limit + 1e-7
        ]
        if not fitting:
            with pytest.raises(Impossible):
                within(of)
            continue
        found = within(of)
        best = max(fitting, key=lambda one: (weight_placed(of, one), -largest_share(of, one)))
        assert is_allowed(of, found)
        assert weight_placed(of, found) == weight_placed(of, best)
        assert largest_share(of, found) == pytest.approx(largest_share(of, best), abs=1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_a_lost_node_makes_no_room(seed: int) -> None:
    """Each node that is left has at least what it had, and with one node fewer the best arrangement of all is no better."""
    rng = random.Random(1000 + seed)
    of = with_peaks(rng)
    found = with_all(of)
    for own, after in zip(of.own, of.sets_of(found), strict=True):
        assert set(own) <= after
        assert of.share_of(after) >= of.share_of(own)
    everything = Takeover(of.shares, of.weights, range(len(of.weights)), [()] * (len(of.own) + 1))
    fewer = Takeover(of.shares, of.weights, range(len(of.weights)), [()] * len(of.own))
    assert largest_share(fewer, with_all(fewer)) >= largest_share(everything, with_all(everything)) - 1e-7


def test_peaks_at_other_hours_go_together() -> None:
    """Two of 0.6 that meet, and two nodes with 0.3 at one of the hours each."""
    shares = np.array([[0.6, 0.0, 0.3, 0.0], [0.0, 0.6, 0.0, 0.3]])
    of = Takeover(shares, [1] * 4, [0, 1], [[2], [3]])
    assert with_all(of).to == (1, 0)


def test_a_node_without_databases_leaves_all_as_it_was() -> None:
    of = Takeover(np.array([[0.5, 0.4]]), [1, 1], [], [[0], [1]])
    assert with_all(of).to == within(of).to == ()
