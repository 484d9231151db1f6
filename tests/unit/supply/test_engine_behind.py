"""The rate of storage that fell behind what was asked of it, or was asked for as much as it does: what it did in the measured time,
whenever that was due."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from plimsoll.context import Context
from plimsoll.flows.io import measure_io
from plimsoll.requests.io import IoRequest
from simulated import context


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path) as made:
        yield made


@pytest.mark.parametrize("warm_up_s", [0.0, 0.3, 3.0])
def test_beyond_its_capacity_a_device_has_its_capacity(ctx: Context, warm_up_s: float) -> None:
    asked = IoRequest(
        "sim:law=constant,mean=100us", rate_per_s=20_000, runtime_s=2.0, warm_up_s=warm_up_s, seed=1
    )
    cell = measure_io(ctx, asked).cell
    assert cell is not None
    assert cell.iops == pytest.approx(10_000, rel=0.01)
    assert cell.classes[0].iops == cell.iops
    assert cell.mb_per_s == pytest.approx(81.92, rel=0.01)
    assert cell.offered_ios == pytest.approx(40_000, rel=0.02)


def test_a_mix_is_divided_as_it_was_asked(ctx: Context) -> None:
    asked = IoRequest(
        "sim:law=constant,mean=100us",
        rw="randrw",
        read_share=0.8,
        rate_per_s=20_000,
        runtime_s=2.0,
        warm_up_s=3.0,
        seed=1,
    )
    cell = measure_io(ctx, asked).cell
    assert cell is not None
    assert [round(io.iops / cell.iops, 2) for io in cell.classes] == [0.8, 0.2]


def test_a_device_that_keeps_up_has_the_rate_of_what_was_due(ctx: Context) -> None:
    cell = measure_io(
        ctx, IoRequest("sim:law=constant,mean=10us", rate_per_s=20_000, runtime_s=2.0, seed=1)
    ).cell
    assert cell is not None
    assert cell.iops == cell.ios / cell.runtime_s


def test_a_queue_that_is_filled_within_the_measured_time_is_not_the_rate(ctx: Context) -> None:
    """Without a warm-up 512 I/Os were begun at once, and counted as done in a second in which a hundred were."""
    asked = IoRequest("sim:law=constant,mean=10ms", depth=512, runtime_s=1.0, warm_up_s=0.0, seed=1)
    cell = measure_io(ctx, asked).cell
    assert cell is not None
    assert cell.ios == pytest.approx(611, abs=2)
    assert cell.iops == pytest.approx(100, abs=1)
    assert cell.mb_per_s == pytest.approx(100 * 8192 / 1e6, rel=0.02)
    assert cell.classes[0].iops == cell.iops
    assert [check.name for check in cell.checks if check.name == "cliff" and check.passed is False] == []


@pytest.mark.parametrize("warm_up_s", [0.0, 1.0])
def test_what_ends_after_the_measured_time_is_not_in_the_rate(ctx: Context, warm_up_s: float) -> None:
    """Two at once that take 10 ms in turn: without a warm-up one more begins in 5 s than ends in them."""
    asked = IoRequest("sim:law=constant,mean=10ms", depth=2, runtime_s=5.0, warm_up_s=warm_up_s, seed=1)
    cell = measure_io(ctx, asked).cell
    assert cell is not None
    assert cell.ios == (500 if warm_up_s else 501)
    assert cell.iops * cell.runtime_s == 500
