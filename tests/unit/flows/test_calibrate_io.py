"""`calibrate --like calibrate-io` from end to end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.facts import Calibration, IoCalibration, Progress, Run
from plimsoll.flows.calibrate_io import measure_calibrate_io
from plimsoll.requests.calibrate import CalibrateRequest
from simulated import context


def run_with(ctx: Context, target: str, **asked: Any) -> tuple[Run, Calibration, IoCalibration]:
    """The stored run, its calibration and the answer."""
    run = measure_calibrate_io(ctx, CalibrateRequest((target,), like="calibrate-io", duration_s=1.0, **asked))
    assert ctx.store.load(run.id) == run
    found = run.calibration
    assert found is not None
    assert found.io_calibration is not None
    return run, found, found.io_calibration


def test_a_queue_gives_what_it_can_and_says_so_five_times(tmp_path: Path) -> None:
    with context(tmp_path) as ctx:
        _, found, answer = run_with(ctx, "sim:mean=1ms,servers=4")
    assert answer.repeats == 5
    assert answer.max_iops is not None
    assert answer.max_iops.median == pytest.approx(4000, rel=0.03)
    assert answer.max_iops.relative is not None
    assert answer.max_iops.relative < 0.1
    assert len(set(answer.max_iops.values)) == 5, "each repeat draws its own places and times"
    assert answer.max_process_mb_per_s is not None
    assert answer.max_process_mb_per_s.median == pytest.approx(1000 * 1.048576, rel=0.1)
    assert found.shape == "calibrate-io"
    assert found.points
    assert found.measured_s is not None
    assert found.measured_s > sum(point.cell.runtime_s for point in found.points if point.cell)


def test_the_points_shown_are_those_of_the_repeat_in_the_middle(tmp_path: Path) -> None:
    with context(tmp_path) as ctx:
        _, found, answer = run_with(ctx, "sim:mean=1ms,servers=4", repeats=3)
    assert answer.max_iops is not None
    assert answer.max_iops.median in {point.small_iops for point in found.points}


def test_a_bound_below_the_service_time_is_kept_by_nothing(tmp_path: Path) -> None:
    with context(tmp_path) as ctx:
        _, _, answer = run_with(ctx, "sim:law=constant,mean=5ms", max_latency_s=0.004, repeats=1)
    assert answer.max_iops is None
    assert answer.max_mb_per_s is not None


def test_ctrl_c_keeps_the_repeats_that_had_ended(tmp_path: Path) -> None:
    events: list[str] = []

    def listen(event: object) -> None:
        if isinstance(event, Progress):
            events.append(event.message)
            if event.message.startswith("run 3 of 5"):
                ctx.cancel.set()

    with context(tmp_path, listen) as ctx:
        run, found, answer = run_with(ctx, "sim:mean=1ms,servers=4")
    assert run.interrupted
    assert answer.repeats == 2
    assert found.points
    assert not any(message.startswith("run 4") for message in events)


@pytest.mark.parametrize("asked", [{"write_share": 0.1}, {"large_pattern": "sequential"}])
def test_what_the_procedure_does_not_do_is_refused(tmp_path: Path, asked: dict[str, Any]) -> None:
    with context(tmp_path) as ctx, pytest.raises(UsageError) as caught:
        measure_calibrate_io(ctx, CalibrateRequest(("sim:",), like="calibrate-io", **asked))
    assert caught.value.id == "calibrate-unfit"
