"""Trials that must not be believed: still rising, or carried by credit that ran out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from plimsoll.facts import Arrivals, Cell, Cpu, LatencyUs, Window
from plimsoll.native.statistics import mann_kendall_z
from plimsoll.supply.drift import void_reason
from plimsoll.supply.workloads import workload

LIMIT_US = 1000.0


def cell(medians: Sequence[float | None], tails: Sequence[float | None] | None = None) -> Cell:
    """A cell of one-second windows with these medians and p99s."""
    tails = [None if value is None else 3 * value for value in medians] if tails is None else tails
    windows = tuple(
        Window(start_s=index, duration_s=1.0, iops=100.0, latency_us_p50=p50, latency_us_p99=p99)
        for index, (p50, p99) in enumerate(zip(medians, tails, strict=True))
    )
    return Cell(
        iops=100.0,
        mb_per_s=0.8,
        ios=1000,
        errors=0,
        runtime_s=float(len(medians)),
        latency_us=LatencyUs(count=1000),
        cpu_us_per_io=None,
        cpu_s=Cpu(user=0.0, system=0.0),
        engine="sim",
        direct=True,
        workload=workload("randread", 8192),
        arrivals=Arrivals(),
        jobs=1,
        depth=1,
        started_at=datetime(2025, 1, 1, tzinfo=UTC),
        warm_up_s=0.0,
        classes=(),
        windows=windows,
    )


def noisy(seed: int, level_us: float = 100.0, spread: float = 0.1) -> list[float]:
    chance = random.Random(seed)
    return [level_us * chance.lognormvariate(0, spread) for _ in range(10)]


# Ten values in order: S = 45, variance 125, z = 44/sqrt(125); Kendall (1975), section 4.9.
@pytest.mark.parametrize(
    ("values", "z"),
    [
        (list(range(10)), 44 / 125**0.5),
        (list(range(10, 0, -1)), -44 / 125**0.5),
        ([1.0] * 10, 0.0),
        ([1, 2], 0.0),
    ],
)
def test_mann_and_kendalls_score(values: list[float], z: float) -> None:
    assert mann_kendall_z(values) == pytest.approx(z)


def test_the_score_of_noise_is_rarely_beyond_its_one_percent_bounds() -> None:
    beyond = sum(abs(mann_kendall_z(noisy(seed))) > 2.58 for seed in range(2000))
    assert beyond / 2000 < 0.012


def test_a_steady_trial_is_believed() -> None:
    assert all(void_reason(cell(noisy(seed)), LIMIT_US, held=True) is None for seed in range(500))


def test_a_latency_that_rises_all_the_way_is_not() -> None:
    for seed in range(100):
        rising = [value * 1.12**index for index, value in enumerate(noisy(seed, spread=0.03))]
        reason = void_reason(cell(rising), LIMIT_US, held=True)
        assert reason is not None
        assert "still rising" in reason


def test_a_small_rise_is_let_pass() -> None:
    rising = [100.0 + index for index in range(10)]
    assert void_reason(cell(rising), LIMIT_US, held=True) is None


def test_a_single_late_window_is_no_trend() -> None:
    assert void_reason(cell([100.0] * 9 + [900.0]), LIMIT_US, held=True) is None


@pytest.mark.parametrize("cut", [3, 5, 7])
def test_credit_that_runs_out_voids_the_trial(cut: int) -> None:
    tails = [300.0] * cut + [50_000.0] * (10 - cut)
    reason = void_reason(cell([100.0] * 10, tails), LIMIT_US, held=False)
    assert reason is not None
    assert f"held for {cut} of 10 windows" in reason


@pytest.mark.parametrize(
    "tails",
    [
        pytest.param([300.0] * 2 + [50_000.0] * 8, id="too short to be believed as a good start"),
        pytest.param([300.0] * 8 + [50_000.0] * 2, id="a stall at the end"),
        pytest.param([300.0] * 4 + [50_000.0] * 3 + [300.0] * 3, id="a stall that passed"),
        pytest.param([100.0 * 1.5**index for index in range(10)], id="a queue that grows"),
        pytest.param([50_000.0] * 10, id="missed throughout"),
        pytest.param([900.0] * 5 + [1100.0] * 5, id="just around the limit"),
    ],
)
def test_an_honest_miss_counts(tails: list[float]) -> None:
    assert void_reason(cell([100.0] * 10, tails), LIMIT_US, held=False) is None


def test_too_few_windows_with_figures_say_nothing() -> None:
    windows: list[float | None] = [100.0, 200.0, 300.0, 400.0, 500.0, None, None, None, None, None]
    assert void_reason(cell(windows), LIMIT_US, held=True) is None
