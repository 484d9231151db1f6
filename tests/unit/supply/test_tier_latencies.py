"""What a tier is said to be is what was measured on it: the middle of several runs of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.facts import Plan, Target
from plimsoll.supply import tier_latencies
from plimsoll.supply.targets import Opened, Wish
from plimsoll.supply.tier_latencies import measured_tier
from simulated import context

TARGET = Target(name="t", kind="file", path="/t", span_bytes=1 << 20, ours=True)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[float | None]]:
    """Means of the runs to come, by workload."""
    means: dict[str, list[float | None]] = {}

    @contextmanager
    def opened(ctx: Context, wish: Wish) -> Iterator[Opened]:
        assert wish.writes
        yield Opened(TARGET)

    def measure(plan: Plan, *_: object) -> Any:
        mean = means[plan.group.name].pop(0)
        return SimpleNamespace(latency_us=SimpleNamespace(mean=mean), errors=0, ios=0 if mean is None else 9)

    monkeypatch.setattr(tier_latencies, "opened", opened)
    monkeypatch.setattr(tier_latencies, "measure", measure)
    return means


def test_the_middle_run_of_each_kind_counts(tmp_path: Path, measured: dict[str, list[float | None]]) -> None:
    measured |= {"randread": [4000, 90_000, 4100], "read": [900, 950, 940], "log-write": [300, 299, 310]}
    with context(tmp_path) as ctx:
        found = measured_tier(ctx, "slow", tmp_path, 1 << 30, 3 << 30)
    points = (found.small_read_us, found.large_read_us, found.small_write_us)
    assert [one[0].latency_us for one in points] == [4100, 940, 300]
    assert (found.name, found.capacity_bytes, found.large_read_bytes) == ("slow", 3 << 30, 131_072)


def test_a_tier_that_answers_nothing_is_not_described(
    tmp_path: Path, measured: dict[str, list[float | None]]
) -> None:
    measured["randread"] = [4000, None]
    with context(tmp_path) as ctx, pytest.raises(WorldError) as caught:
        measured_tier(ctx, "slow", tmp_path, 1 << 30, 3 << 30)
    assert caught.value.id == "tier-unmeasured"
    assert "randread on tier slow: 0 I/Os" in caught.value.message
