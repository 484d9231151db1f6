"""Two measurements of one load within a calibration that contradict each other: told in headline, check and status."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import facts_builder
from plimsoll.facts import Cell, Check, Point, Window
from plimsoll.flows.calibrate import calibrate
from plimsoll.requests.calibrate import CalibrateRequest
from plimsoll.results import status
from plimsoll.supply.calibration import Course, measure_grid
from plimsoll.supply.engine import measure
from plimsoll.supply.failed_checks import failed_words
from plimsoll.supply.same_load import with_same_load_checks
from simulated import context
from simulated_cells import reads

UNEVEN: list[float] = [577, 350, 597, 1077, 1577, 1633, 990, 460, 453, 350]


def cell(rates: list[float], window_s: float = 0.3) -> Cell:
    slices = tuple(
        Window(start_s=window_s * at, duration_s=window_s, iops=rate) for at, rate in enumerate(rates)
    )
    iops, seconds = sum(rates) / len(rates), window_s * len(rates)
    made = {"windows": slices, "iops": iops, "runtime_s": seconds, "ios": int(iops * seconds)}
    return facts_builder.cell(None, reads()).model_copy(update=made)


def judged(first: list[float], *again: list[float]) -> Check | None:
    points = [Point(small_depth=1, large_depth=0, cell=cell(rates)) for rates in (first, *again)]
    (point,) = with_same_load_checks(points[:1], {(1, 0): points[1:]})
    assert point.cell is not None
    return next((check for check in point.cell.checks if check.name == "repeatable"), None)


def test_a_load_that_gave_two_rates_is_not_valid() -> None:
    """At most 806 per second with 1 outstanding, and the knee at 1 with 300, stood there for the same load with status 0."""
    check = judged(UNEVEN, [300.0] * 10, [300.0] * 10)
    assert check is not None
    assert check.passed is False
    assert check.reason.startswith("300 to 806 I/Os per second in 3 measurements of this load")
    assert check.figures == pytest.approx({"measurements": 3, "iops_min": 300, "iops_max": 806.4})
    assert failed_words([cell(UNEVEN).model_copy(update={"checks": (check,)})]).endswith(": repeatable")


def test_what_differs_by_its_own_noise_is_the_same() -> None:
    noisy = random.Random(3)
    made = [[noisy.choice((150.0, 950.0)) for _ in range(10)] for _ in range(3)]
    check = judged([950.0, 150.0] * 5, [150.0, 950.0, 150.0] * 3, *made)
    assert check is not None
    assert check.passed is True


def test_one_measurement_cannot_contradict_itself() -> None:
    assert judged(UNEVEN) is None


def test_a_shorter_measurement_whose_place_was_taken_is_remembered() -> None:
    rates = iter((1000.0, 300.0))
    course = Course(lambda small, large, seconds: cell([next(rates)] * 10))
    measure_grid(course, [(1, 0), (1, 0)], 1.0)
    (earlier,) = course.further[1, 0]
    assert earlier.cell is not None
    assert (earlier.cell.iops, course.points[0].cell and course.points[0].cell.iops) == (1000.0, 300.0)


def test_storage_that_falls_between_two_turns_ends_with_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The points were measured before the storage fell, and measured again after it."""
    calls = iter(range(1000))

    def falling(*args: Any) -> Cell:
        found: Cell = measure(*args)
        factor = 1.0 if next(calls) < 4 else 0.3
        slices = tuple(one.model_copy(update={"iops": factor * one.iops}) for one in found.windows)
        classes = tuple(one.model_copy(update={"iops": factor * one.iops}) for one in found.classes)
        return found.model_copy(update={"iops": factor * found.iops, "windows": slices, "classes": classes})

    monkeypatch.setattr("plimsoll.supply.point_run.measure", falling)
    asked = CalibrateRequest(
        targets=("sim:law=constant,mean=1ms,servers=2",),
        matrix="max",
        small_depth=4,
        large_depth=0,
        duration_s=1.0,
        seed=7,
    )
    with context(tmp_path) as ctx:
        run = calibrate(ctx, asked)
    assert run.calibration is not None
    failed = [
        check.name
        for point in run.calibration.points
        if point.cell
        for check in point.cell.checks
        if check.passed is False
    ]
    assert "repeatable" in failed
    assert status(run) == 1
