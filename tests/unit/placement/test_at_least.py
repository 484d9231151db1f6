"""How much of what some databases ask for others ask for at the least, whatever the steps in which both are known."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from demand_snapshots import START
from judged_demands import DAY, named, second, with_peak
from plimsoll.demand.together import together
from plimsoll.facts import Demand, DemandInterval
from plimsoll.placement.at_least import AtLeast
from plimsoll.placement.refused import Refused, refused_by


def span(begin_s: float, length_s: float, reads: float) -> DemandInterval:
    begin = START + timedelta(seconds=begin_s)
    end = begin + timedelta(seconds=length_s)
    return second(0, reads).but(begin_time=begin, end_time=end, duration_s=length_s)


def gap(number: int) -> DemandInterval:
    return second(number, 0.0).but(classes={}, iops=None, mb_per_s=None, gap="it was restarted")


def of(*demands: Demand) -> AtLeast:
    return AtLeast(together(demands))


def at_least(found: AtLeast, chosen: set[int], others: set[int]) -> float:
    """The largest share of which it says yes, to a thousandth."""
    return next(
        (share / 1000 for share in range(3000, 0, -1)
         if found.asks_for(frozenset(chosen), share / 1000, frozenset(others))), 0.0,
    )  # fmt: skip


def test_the_least_of_all_times_counts() -> None:
    found = of(
        with_peak("a", 100.0, 400.0, 0, 5),
        with_peak("b", 50.0, 400.0, 0, 5),
        with_peak("c", 90.0, 300.0, 5, 9),
    )
    assert at_least(found, {0}, {1}) == 1.0
    assert at_least(found, {1}, {0}) == 0.5
    assert at_least(found, {2}, {0}) == 0.225
    assert at_least(found, {0, 1}, {0}) > 1
    assert at_least(found, {1, 2}, {0}) == 1.225
    assert found.asks_for(frozenset({0, 2}), 99.0, frozenset({0}))


def test_each_class_counts() -> None:
    reads = named("reads", [second(n, 100.0, writes=1.0) for n in range(DAY)])
    writes = named("writes", [second(n, 100.0, writes=0.5) for n in range(DAY)])
    assert at_least(of(reads, writes), {1}, {0}) == 0.5


def test_a_time_that_is_not_known_is_no_more_than_any_other() -> None:
    known = named("known", [second(n, 100.0) for n in range(DAY)])
    partly = named("partly", [gap(n) if n == 3 else second(n, 100.0) for n in range(DAY)])
    found = of(known, partly)
    assert at_least(found, {1}, {0}) == 0.0
    assert at_least(found, {0}, {1}) == 1.0


def test_longer_steps_are_held_against_shorter_ones() -> None:
    fine = named("fine", [second(n, 100.0 + n) for n in range(DAY)])
    coarse = named("coarse", [span(10.0 * n, 10.0, 129.0) for n in range(3)])
    assert at_least(of(fine, coarse), {1}, {0}) == 1.0
    assert at_least(of(fine, coarse), {0}, {1}) == 0.775


@pytest.mark.parametrize("seed", range(5))
def test_what_stands_in_for_what_was_refused_is_as_much(seed: int) -> None:
    """Whatever it says of other sets, they ask for that share of what was refused at any time."""
    rng = random.Random(seed)
    rates = [[rng.uniform(90.0, 100.0 + 10 * (number % 3)) for _ in range(DAY)] for number in range(7)]
    found = of(
        *(named(f"db{n}", [second(at, rate) for at, rate in enumerate(own)]) for n, own in enumerate(rates))
    )
    refused, share = frozenset({0, 1, 2}), 0.85

    def stands_in(one: int, of: int) -> bool:
        return found.asks_for(frozenset({one}), share, frozenset({of}))

    told = list(refused_by(refused, range(7), stands_in))
    assert Refused.is_in(told[0], refused)
    most = [sum(rates[n][at] for n in refused) for at in range(DAY)]
    for number in range(1 << 7):
        chosen = frozenset(n for n in range(7) if number >> n & 1)
        if any(one.is_in(chosen) for one in told):
            own = [sum(rates[n][at] for n in chosen) for at in range(DAY)]
            assert all(have >= share * want for have, want in zip(own, most, strict=True))
            assert found.asks_for(chosen, share, refused)


def test_refusals_of_what_is_asked_for_at_another_time_say_nothing_of_each_other() -> None:
    found = of(*(with_peak(f"db{n}", 1.0, 500.0, 3 * n, 3 * n + 3) for n in range(4)))
    told = list(
        refused_by(
            frozenset({0, 1}),
            range(4),
            lambda one, of: found.asks_for(frozenset({one}), 0.9, frozenset({of})),
        )
    )
    assert {(one.of, one.many, one.beside) for one in told} == {
        (frozenset({0, 1}), 2, frozenset()), (frozenset({0}), 1, frozenset({1})), (frozenset({1}), 1, frozenset({0})),
    }  # fmt: skip
