"""Comparing two proofs: intervals that hold, also where seconds resemble each other."""

from __future__ import annotations

import random

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.facts import Database, OperationSlice, Proof
from plimsoll.predict.comparison import compare, rate_of, seconds_of


def proof(rates: list[int], **settings: str) -> Proof:
    database = Database(
        kind="postgresql", version="18.4", version_number=180004, location="embedded", name="postgres"
    )
    slices = [
        OperationSlice(operation=name, start_s=float(at), duration_s=1.0, operations=rate)
        for at, rate in enumerate(rates)
        for name in ("select", "commit")
        if rate
    ]
    return Proof(workload="slob", database=database, settings=settings, holds=True, slices=tuple(slices))


def wandering(count: int, mean: float, seed: int, memory: float = 0.0) -> list[int]:
    draw, drift, rates = random.Random(seed), 0.0, []
    for _ in range(count):
        drift = memory * drift + draw.gauss(0, 0.05 * mean)
        rates.append(round(mean + drift))
    return rates


def test_a_commit_is_no_operation_of_its_own() -> None:
    assert seconds_of(proof([5, 0, 7])) == [5, 0, 7]


@pytest.mark.parametrize("memory", [0.0, 0.6])
def test_the_interval_holds_the_truth(memory: float) -> None:
    """Nineteen times of twenty, give or take; without the memory in the reckoning it would be far fewer."""
    held = 0
    for seed in range(200):
        found = rate_of([float(rate) for rate in wandering(60, 1000, seed, memory)])
        assert found.ci95 is not None
        held += found.ci95[0] <= 1000 <= found.ci95[1]
    assert held / 200 >= 0.88


def test_a_tenth_more_is_seen() -> None:
    for seed in range(50):
        found = compare(proof(wandering(60, 1000, seed)), proof(wandering(60, 1100, seed + 1000)))
        assert found.words.endswith("more, 95 %"), found.words


def test_the_same_is_rarely_told_to_be_different() -> None:
    told = 0
    for seed in range(200):
        found = compare(proof(wandering(60, 1000, seed, 0.5)), proof(wandering(60, 1000, seed + 1000, 0.5)))
        told += not found.words.startswith("no difference can be told")
    assert told / 200 <= 0.10


def test_short_windows_say_nothing_of_how_sure() -> None:
    found = compare(proof([10, 11]), proof([12, 13]))
    assert found.half_width is None
    assert "too short" in found.words


def test_nothing_is_more_than_nothing() -> None:
    """It was said to be 0.0 % more."""
    with pytest.raises(UsageError, match="did nothing") as refused:
        compare(proof([0] * 9), proof([1] * 9))
    assert refused.value.id == "proof-none"
