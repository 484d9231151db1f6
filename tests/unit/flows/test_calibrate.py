"""`calibrate` from end to end: simulated devices, several targets, streams, caches pushed out, interruptions and failures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from asked_plans import asked_plans
from plimsoll.base.errors import PlimsollError, SafetyError, UsageError
from plimsoll.facts import Calibration, Event, Plan, Point, Progress, Run
from plimsoll.flows.calibrate import calibrate, check
from plimsoll.requests.calibrate import CalibrateRequest
from simulated import context

_MIB = 1 << 20


def run_with(journals: Path, *targets: str, **asked: Any) -> tuple[Run, Calibration]:
    """The stored run."""
    with context(journals) as ctx:
        run = calibrate(ctx, CalibrateRequest(targets, **asked))
        assert ctx.store.load(run.id) == run
    assert run.calibration is not None
    return run, run.calibration


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    return asked_plans(monkeypatch, "point_run")


@pytest.mark.parametrize(
    ("shape", "counted", "small", "large"),
    [("simple", 8, range(6), range(3)), ("normal", 18, range(6), range(3)), ("oltp", 21, range(21), [0])],
)
def test_shapes_have_the_points_that_orion_counts_and_nothing_at_all_is_not_measured(
    tmp_path: Path, shape: str, counted: int, small: Sequence[int], large: Sequence[int]
) -> None:
    run, found = run_with(tmp_path, "sim:mean=1ms,servers=3", shape=shape, duration_s=0.5)
    assert run.kind == "calibrate"
    assert len(found.points) == counted - 1
    assert (found.small_depths, found.large_depths) == (tuple(small), tuple(large))
    assert found.measured_s is not None
    assert (counted - 1) * 0.5 + 2.5 <= found.measured_s <= (counted - 1) * 0.5 + 7.0, "the knee takes turns"
    assert not run.interrupted


def test_what_a_queue_gives_is_found(tmp_path: Path) -> None:
    """Three servers of exactly 1 ms: a thousand I/Os per second of each, up to three of them."""
    _, found = run_with(tmp_path, "sim:law=constant,mean=1ms,servers=3", shape="simple", duration_s=1.0)
    assert found.max_small_iops is not None
    assert found.max_small_iops.value == pytest.approx(3000, rel=0.01)
    assert found.max_large_mb_per_s is not None
    assert found.max_large_mb_per_s.value == pytest.approx(2000 * _MIB / 1e6, rel=0.01)
    assert found.min_small_latency_us is not None
    assert found.min_small_latency_us.value == pytest.approx(1000, rel=0.01)
    assert found.knee is not None
    assert found.knee.small_depth == 3


def test_small_and_large_ios_of_a_point_are_measured_apart(tmp_path: Path) -> None:
    _, found = run_with(
        tmp_path,
        "sim:mean=1ms,servers=8",
        shape="custom",
        matrix="point",
        small_depth=4,
        large_depth=2,
        duration_s=1.0,
    )
    (point,) = found.points
    assert point.cell is not None
    assert {io.name for io in point.cell.classes} == {"small_read", "large_read"}
    assert point.small_iops == pytest.approx(4000, rel=0.1)
    assert point.large_mb_per_s == pytest.approx(2000 * _MIB / 1e6, rel=0.1)
    assert all(io.latency_us.hdr for io in point.cell.classes)
    assert found.knee is None


def test_each_point_draws_other_places_and_equal_seeds_the_same(tmp_path: Path, calls: list[Plan]) -> None:
    run_with(tmp_path, "sim:", shape="simple", duration_s=0.1)
    first = [plan.seed for plan in calls]
    assert len(set(first)) == len(first) == 7 + 7, "and each turn of the two contenders for the knee"
    calls.clear()
    run_with(tmp_path, "sim:", shape="simple", duration_s=0.1)
    assert [plan.seed for plan in calls] == first


def test_streams_that_write_are_kept_apart_from_those_that_read(tmp_path: Path, calls: list[Plan]) -> None:
    _, found = run_with(
        tmp_path, "sim:servers=8", shape="custom", matrix="point", small_depth=1, large_depth=3, large_pattern="sequential",
        write_share=1 / 3, cache_bytes=0, duration_s=0.2,
    )  # fmt: skip
    (plan,) = calls
    whole, front, back = plan.targets
    assert front.offset_bytes + front.span_bytes == back.offset_bytes
    assert front.span_bytes + back.span_bytes == whole.span_bytes
    assert front.span_bytes == pytest.approx(2 * back.span_bytes, rel=0.01)
    assert [(client.name, client.jobs, client.targets) for client in plan.groups] == [
        ("small", 1, (0,)),
        ("large read", 2, (1,)),
        ("large write", 1, (2,)),
    ]
    assert found.streams_depth == 4
    assert {io.name for point in found.points if point.cell for io in point.cell.classes} == {
        "small_read", "small_write", "large_read", "large_write",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("cache_bytes", "warmings"),
    [(None, [(0.4, None), (0.4, None)]), (10 * _MIB + 1, [(None, 11), (None, 11)]), (0, [])],
)
def test_before_each_point_with_streams_a_cache_is_pushed_out(
    tmp_path: Path,
    calls: list[Plan],
    cache_bytes: int | None,
    warmings: list[tuple[float | None, int | None]],
) -> None:
    _, found = run_with(
        tmp_path,
        "sim:servers=8",
        shape="simple",
        large_pattern="sequential",
        cache_bytes=cache_bytes,
        duration_s=0.2,
    )
    before = [
        plan
        for plan in calls
        if plan.groups[0].classes[0].pattern == "random" and plan.groups[0].name == "large"
    ]
    assert [(plan.runtime_s, plan.ios_max) for plan in before] == warmings
    assert len(found.points) == 7
    assert found.measured_s == pytest.approx(7 * 0.2, rel=0.01), "what pushes a cache out is not counted"


def test_random_large_ios_need_no_warming(tmp_path: Path, calls: list[Plan]) -> None:
    run_with(tmp_path, "sim:servers=8", shape="simple", duration_s=0.2)
    assert len(calls) == 7


def test_several_targets_are_one_volume_and_set_the_number_of_disks(
    tmp_path: Path, calls: list[Plan]
) -> None:
    targets = ("sim:servers=8", "sim:servers=8")
    run, found = run_with(
        tmp_path, *targets, shape="simple", volume="raid0", stripe_bytes=2 * _MIB, duration_s=0.1
    )
    assert found.disks == 2
    assert len(found.points) == 10 + 4
    assert len(run.targets) == 2
    assert run.target == run.targets[0]
    assert {plan.stripe_bytes for plan in calls} == {2 * _MIB}
    assert {len(plan.targets) for plan in calls} == {2}
    calls.clear()
    run_with(tmp_path, *targets, shape="simple", duration_s=0.1)
    assert {plan.stripe_bytes for plan in calls} == {None}


def test_a_folder_is_read_and_written_and_left_empty(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    run, found = run_with(
        tmp_path, str(folder), shape="custom", matrix="point", small_depth=2, large_depth=1, write_share=0.5,
        bytes_wanted=64 * _MIB, duration_s=0.1, engine="psync",
    )  # fmt: skip
    assert list(folder.iterdir()) == []
    assert run.target is not None
    assert run.target.kind == "scratch"
    (point,) = found.points
    assert point.cell is not None
    assert {io.name for io in point.cell.classes} == {
        "small_read",
        "small_write",
        "large_read",
        "large_write",
    }
    assert all(io.ios for io in point.cell.classes)


def test_a_file_that_is_not_ours_is_never_written_to(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_bytes(b"x" * (64 * _MIB))
    with pytest.raises(SafetyError):
        run_with(tmp_path, str(foreign), write_share=0.1)
    assert foreign.read_bytes() == b"x" * (64 * _MIB)


def test_ctrl_c_keeps_the_points_so_far(tmp_path: Path) -> None:
    with context(tmp_path) as ctx:

        def stop(point: Point) -> None:
            if point.small_depth == 3:
                ctx.cancel.set()

        run = calibrate(ctx, CalibrateRequest(("sim:",), shape="simple", duration_s=0.5), stop)
        assert ctx.store.load(run.id).interrupted
    assert run.calibration is not None
    assert [point.small_depth for point in run.calibration.points] == [1, 2, 3]


def test_failed_ios_are_noted_and_points_without_them_are_kept(tmp_path: Path) -> None:
    run, found = run_with(tmp_path, "sim:mean=1ms,servers=4,error=0.0005", shape="oltp", duration_s=0.5)
    assert [note.code for note in run.notes].count("point-failed") == 1
    assert len(found.points) == 20
    assert any(point.cell and point.cell.errors == 0 for point in found.points)


def test_a_device_that_answers_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PlimsollError, match="failed"):
        run_with(tmp_path, "sim:error=1", duration_s=0.5)


def test_progress_counts_points_and_says_what_is_left(tmp_path: Path) -> None:
    events: list[Event] = []
    with context(tmp_path, events.append) as ctx:
        calibrate(ctx, CalibrateRequest(("sim:",), shape="simple", duration_s=0.1))
    told = [event for event in events if isinstance(event, Progress)]
    again = [f"the loads that may be the knee again, turn {turn} of at most 7" for turn in range(1, 6)]
    assert [event.message for event in told] == [f"point {number} of 7" for number in range(1, 8)] + again
    assert [event.finished for event in told] == [False] * 6 + [True] + [False] * 5
    assert all(event.left_s is not None for event in told[:7])


def test_the_arithmetic_of_spindles_stands_beside_the_measurement(tmp_path: Path) -> None:
    asked = {"spindles": 8, "disk_type": "sas", "raid": "raid10", "write_share": 0.5}
    _, found = run_with(tmp_path, "sim:servers=8", duration_s=0.1, **asked)
    assert found.expected is not None
    assert found.expected.iops == pytest.approx(1600 / 1.5)
    assert found.expected.read_share == pytest.approx(0.5)
    _, plain = run_with(tmp_path, "sim:servers=8", duration_s=0.1)
    assert plain.expected is None


@pytest.mark.parametrize(
    ("asked", "id"),
    [
        ({"shape": "round"}, "usage"),
        ({"matrix": "cube"}, "usage"),
        ({"large_pattern": "zigzag"}, "usage"),
        ({"volume": "raid5"}, "usage"),
        ({"targets": ()}, "calibrate-unfit"),
        ({"write_share": 1.5}, "usage"),
        ({"disks": 0}, "usage"),
        ({"duration_s": 0.0}, "not-above-zero"),
        ({"small_bytes": 0}, "not-above-zero"),
        ({"matrix": "point", "small_depth": 0, "large_depth": 0}, "calibrate-unfit"),
        ({"matrix": "point", "small_depth": 1}, "depth-missing"),
        ({"engine": "steam"}, "engine-unknown"),
        ({"spindles": 4}, "spindles-unfit"),
        ({"disk_type": "sas"}, "spindles-unfit"),
        ({"spindles": 4, "disk_type": "sas", "raid": "raid9"}, "usage"),
    ],
)
def test_words_that_do_not_fit_are_refused_before_anything_is_made(asked: dict[str, Any], id: str) -> None:
    with pytest.raises(UsageError) as caught:
        check(CalibrateRequest(**{"targets": ("sim:",), **asked}))
    assert caught.value.id == id
    assert caught.value.hint


def test_different_simulated_devices_are_no_volume(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        run_with(tmp_path, "sim:servers=1", "sim:servers=2")
    assert caught.value.id == "calibrate-unfit"
