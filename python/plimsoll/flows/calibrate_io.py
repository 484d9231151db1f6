"""`plimsoll calibrate --like calibrate-io`: what Oracle's CALIBRATE_IO would answer, several times over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.facts import Calibration, IoCalibration, Run
from plimsoll.flows.calibrate import (
    bench,
    calibration,
    check,
    disks_of,
    in_words,
    keep,
    reach,
)
from plimsoll.requests.calibrate import CalibrateRequest
from plimsoll.supply.calibrate_io import Bound, calibrate_io
from plimsoll.supply.calibration import Course, Step
from plimsoll.supply.point_run import STAGE
from plimsoll.supply.seeds import seed_of

SHAPE = "calibrate-io"


def measure_calibrate_io(ctx: Context, asked: CalibrateRequest) -> Run:
    """Measures, stores and returns the run; run.calibration.io_calibration is the answer.

    The points are those of the repeat in the middle. Ctrl-C keeps the repeats that had ended.
    Raises UsageError as a calibration does, and `calibrate-unfit` for writes and for streams.
    """
    started_at = ctx.clock.now()
    _check(asked)
    of = replace(asked, shape="custom", matrix="adaptive")
    seed = seed_of(of.seed, *of.targets)
    with bench(ctx, of) as on:
        answer, courses = calibrate_io(
            lambda number: on.course(seed + number, _teller(ctx, number, asked.turns)),
            Bound(disks_of(of), 1e6 * asked.max_latency_s),
            reach(of, on.engine),
            of.duration_s,
            asked.turns,
        )
    interrupted = any(course.interrupted for course in courses)
    return keep(ctx, of, on, started_at, _calibration(of, answer, courses), interrupted)


def _check(asked: CalibrateRequest) -> None:
    check(asked)
    if asked.write_share or asked.large_pattern != "random":
        raise UsageError(
            "calibrate-unfit",
            "a calibration like calibrate-io reads at random, small and large, and does nothing else",
            "Leave --write-share and --large-pattern out, or --like.",
        )


def _calibration(of: CalibrateRequest, answer: IoCalibration, courses: Sequence[Course]) -> Calibration:
    shown = calibration(of, courses[_in_the_middle(answer, len(courses))])
    notes = {note.message: note for course in courses for note in course.notes}
    return shown.model_copy(
        update={
            "shape": SHAPE,
            "measured_s": sum(course.measured_s for course in courses),
            "io_calibration": answer,
            "notes": tuple(notes.values()),
        }
    )


def _in_the_middle(answer: IoCalibration, courses: int) -> int:
    """The repeat whose rate is the median; the last one where there is none."""
    rates = answer.max_iops.values if answer.max_iops else ()
    if len(rates) < answer.repeats or not rates:
        return courses - 1
    return sorted(range(len(rates)), key=lambda number: rates[number])[(len(rates) - 1) // 2]


def _teller(ctx: Context, number: int, repeats: int) -> Callable[[Step], None]:
    def tell(step: Step) -> None:
        ctx.remark(STAGE, in_words(step.point))
        ctx.progress(STAGE, f"run {number + 1} of {repeats}, point {step.number}")

    return tell
