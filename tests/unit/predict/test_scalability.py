"""The scalability law: what was put in comes out, and the knee is where it was put."""

from __future__ import annotations

import random

import pytest

from plimsoll.facts import SweepPoint
from plimsoll.predict.scalability import knee, scalability, throughput

SESSIONS = (1, 2, 4, 8, 16, 32, 64)


def points(
    per_session: float, contention: float, coherency: float, noise: float = 0.0, seed: int = 1
) -> list[SweepPoint]:
    draw = random.Random(seed)
    return [
        SweepPoint(
            sessions=n,
            operations_per_s=throughput(n, per_session, contention, coherency)
            * (1 + draw.uniform(-noise, noise)),
        )
        for n in SESSIONS
    ]


@pytest.mark.parametrize(
    ("contention", "coherency"), [(0.0, 0.0), (0.05, 0.0), (0.03, 0.0004), (0.0, 0.001), (0.4, 0.01)]
)
def test_the_law_is_found_again(contention: float, coherency: float) -> None:
    found = scalability(points(500, contention, coherency))
    assert found is not None
    assert found.per_session == pytest.approx(500, rel=1e-6)
    assert found.contention == pytest.approx(contention, abs=1e-9)
    assert found.coherency == pytest.approx(coherency, abs=1e-9)
    assert found.r2 == pytest.approx(1)
    if coherency:
        assert found.peak_sessions == pytest.approx(((1 - contention) / coherency) ** 0.5)
    else:
        assert found.peak_sessions is None


def test_a_peak_beyond_what_was_measured_is_not_known() -> None:
    """What was seen: 47 sessions with an R² of 1.0000 from 1 to 8; in truth it was half of that."""
    ordered = points(500, 0.03, 0.0004)
    inside, outside = scalability(ordered), scalability([one for one in ordered if one.sessions <= 32])
    assert inside is not None
    assert outside is not None
    assert inside.peak_sessions == pytest.approx(49.24, rel=0.001)
    assert outside.coherency == pytest.approx(0.0004)
    assert outside.peak_sessions is None


def test_intervals_hold_the_truth_nineteen_times_of_twenty() -> None:
    held = 0
    for seed in range(200):
        found = scalability(points(500, 0.05, 0.0005, noise=0.03, seed=seed))
        assert found is not None
        assert found.contention_ci95 is not None
        held += found.contention_ci95[0] <= 0.05 <= found.contention_ci95[1]
    assert 0.88 <= held / 200 <= 1.0


def test_what_would_be_negative_is_held_at_nothing() -> None:
    """Faster than in proportion: no law of contention explains it, and none is made up."""
    found = scalability([SweepPoint(sessions=n, operations_per_s=100.0 * n**1.1) for n in SESSIONS])
    assert found is not None
    assert (found.contention, found.coherency) == (0, 0)


def test_three_points_are_no_law() -> None:
    assert scalability(points(500, 0.1, 0.001)[:3]) is None


def test_points_that_follow_no_law_get_none() -> None:
    rates = {1: 400.0, 2: 100.0, 4: 390.0, 8: 120.0, 16: 410.0}
    assert scalability([SweepPoint(sessions=n, operations_per_s=rate) for n, rate in rates.items()]) is None


def test_the_knee_is_before_the_doubling_that_brings_too_little() -> None:
    rates = {1: 100.0, 2: 190.0, 4: 350.0, 8: 400.0, 16: 390.0}
    found, words = knee([SweepPoint(sessions=n, operations_per_s=rate) for n, rate in rates.items()])
    assert found == 4
    assert words == "from 4 to 8 sessions throughput changes by +14 %"


def test_without_a_bend_there_is_no_knee() -> None:
    found, words = knee(points(100, 0, 0))
    assert found is None
    assert words == "throughput still grew at 64 sessions, the most that were tried: try 128"
    assert knee([]) == (None, "nothing was measured")
