"""Two modes are found where there are two, and a long tail is none."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.facts import Bucket
from plimsoll.supply.checks.bimodal import CHECK, find_modes
from simulated_cells import measured


def steps(latencies_us: Iterable[float]) -> list[Bucket]:
    """Twenty to the decade, empty ones left out, as the engine gives them."""
    counts: dict[int, int] = {}
    for value in latencies_us:
        index = math.floor(math.log10(value) * 20)
        counts[index] = counts.get(index, 0) + 1
    return [
        Bucket(lower_us=10 ** (at / 20), upper_us=10 ** ((at + 1) / 20), ios=ios)
        for at, ios in sorted(counts.items())
    ]


def mixed(fast_us: float, slow_us: float, fast_share: float, seed: int, count: int = 5000) -> list[float]:
    chance = random.Random(seed)
    return [
        (fast_us if chance.random() < fast_share else slow_us) * chance.lognormvariate(0, 0.15)
        for _ in range(count)
    ]


@given(
    fast_us=st.floats(5, 200),
    apart=st.floats(6, 300),
    fast_share=st.floats(0.1, 0.9),
    seed=st.integers(0, 1000),
)
def test_two_modes_are_found_with_their_shares(
    fast_us: float, apart: float, fast_share: float, seed: int
) -> None:
    modes = find_modes(steps(mixed(fast_us, fast_us * apart, fast_share, seed)))
    assert modes is not None
    assert modes.fast_us == pytest.approx(fast_us, rel=0.4)
    assert modes.slow_us == pytest.approx(fast_us * apart, rel=0.4)
    assert modes.fast_share == pytest.approx(fast_share, abs=0.05)


@given(seed=st.integers(0, 1000), apart=st.floats(1, 2.5))
def test_modes_that_are_close_are_one(seed: int, apart: float) -> None:
    assert find_modes(steps(mixed(100.0, 100.0 * apart, 0.5, seed))) is None


@given(seed=st.integers(0, 1000), share=st.floats(0.96, 1))
def test_a_rare_second_mode_is_a_tail(seed: int, share: float) -> None:
    assert find_modes(steps(mixed(100.0, 5000.0, share, seed))) is None


@given(seed=st.integers(0, 200))
def test_an_exponential_law_has_one_mode(seed: int) -> None:
    chance = random.Random(seed)
    assert find_modes(steps(chance.expovariate(1 / 300) + 1 for _ in range(5000))) is None


def test_nothing_is_found_in_nothing() -> None:
    assert find_modes([]) is None
    assert find_modes(steps([100.0])) is None


@pytest.mark.parametrize(
    ("target", "passed"),
    [
        ("sim:law=lognormal,sigma=0.2,mean=100us,servers=8,delay=0.3,delay_by=5ms", False),
        ("sim:law=lognormal,sigma=0.2,mean=100us,servers=8", True),
    ],
)
def test_of_a_simulated_device(tmp_path: Path, target: str, passed: bool) -> None:
    check = CHECK.judge(*measured(tmp_path, target, runtime_s=1.0))
    assert check is not None
    assert check.passed is passed
    if not passed:
        assert check.figures["slow_share"] == pytest.approx(0.3, abs=0.02)
        assert check.figures["slow_us"] == pytest.approx(5100, rel=0.1)


def test_of_few_ios_nothing_is_said(tmp_path: Path) -> None:
    assert CHECK.judge(*measured(tmp_path, "sim:mean=100us", runtime_s=0.05)) is None
