"""What DBMS_RESOURCE_MANAGER.CALIBRATE_IO answers, measured so that it can be measured again: each figure with its spread.

As Oracle's procedure does, it reads single blocks at random for `max_iops` and the latency there, and megabytes at random for
`max_mbps`; `max_pmbps` is one process. Unlike it, it finds the deepest queue that keeps the latency bound, in microseconds and
not whole milliseconds, and does all of it several times over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from plimsoll.base.errors import ExitStatus, PlimsollError
from plimsoll.facts import IoCalibration, Point, Spread
from plimsoll.supply.adaptive import CLOSE, SAME, Axis, Reach, large_axis, middle, small_axis
from plimsoll.supply.calibration import Course, Ended

_STEPS_MAX = 3


@dataclass(frozen=True)
class Bound:
    """What is asked: the bound on the mean latency of small reads, and how many disks there are, where the search begins."""

    disks: int
    max_latency_us: float


@dataclass(frozen=True)
class Answer:
    """One repeat. `small` is None where no load kept the bound."""

    small: Point | None
    large: Point
    process: Point


def calibrate_io(
    new_course: Callable[[int], Course], bound: Bound, reach: Reach, seconds: float, repeats: int
) -> tuple[IoCalibration, list[Course]]:
    """The answer over the repeats that came to their end, and every course with points. `new_course` is told the repeat, from 0.

    Raises what the first measurement of all raises; storage that fails at the beginning of a later repeat ends the last course.
    """
    answers, courses = [], []
    for number in range(repeats):
        courses.append(new_course(number))
        try:
            answers.append(_answer(courses[-1], bound, reach, seconds))
        except Ended:
            break
        except PlimsollError as error:
            if not answers or error.status is not ExitStatus.WORLD_FAILED:
                raise
            courses.pop()
            courses[-1].fail(f"repeat {number + 1} of {repeats} could not begin: {error.message}")
            break
    return _over(bound, answers), courses


def _answer(course: Course, bound: Bound, reach: Reach, seconds: float) -> Answer:
    small = _small(small_axis(course, reach.small_max, seconds), bound)
    large = large_axis(course, reach.large_max, seconds)
    large.climb()
    best = large.highest()
    large.full(1)
    return Answer(small, large.point(best), large.point(1))


def _small(axis: Axis, bound: Bound) -> Point | None:
    """The highest rate that keeps the bound, measured at full length."""
    axis.climb(bound.disks)
    _down(axis, bound)
    _close_in(axis, bound)
    for _ in range(_STEPS_MAX):
        keeping = _keeping(axis, bound)
        if not keeping:
            return None
        best = axis.plateau(keeping)
        axis.full(best)
        if axis.latency_us_at(best) <= bound.max_latency_us:
            return axis.point(_lightest(axis, _heavier(axis, bound, best)))
    return None


def _heavier(axis: Axis, bound: Bound, best: int) -> int:
    """A heavier load that keeps the bound, where a look there shows a higher rate."""
    for depth in [depth for depth in _keeping(axis, bound) if depth > best]:
        if SAME * axis.rate_at(depth) <= axis.rate_at(best):
            break
        axis.full(depth)
        if axis.latency_us_at(depth) > bound.max_latency_us or axis.rate_at(depth) < axis.rate_at(best):
            break
        best = depth
    return best


def _lightest(axis: Axis, best: int) -> int:
    """The same rate with fewer I/Os outstanding, where there is one: a deeper queue would only be latency."""
    for depth in reversed([depth for depth in axis.depths if depth < best]):
        axis.full(depth)
        if axis.rate_at(depth) < SAME * axis.rate_at(best):
            break
        best = depth
    return best


def _keeping(axis: Axis, bound: Bound) -> list[int]:
    return [depth for depth in axis.depths if axis.latency_us_at(depth) <= bound.max_latency_us]


def _down(axis: Axis, bound: Bound) -> None:
    """Halves the lightest load until it keeps the bound and lies before the plateau, or there is only one I/O left."""
    depth = axis.depths[0]
    while depth > 1:
        lighter = depth // 2
        slower = axis.look(lighter) * CLOSE <= axis.rate_at(depth)
        if slower and axis.latency_us_at(lighter) <= bound.max_latency_us:
            return
        depth = lighter


def _close_in(axis: Axis, bound: Bound) -> None:
    """Halves the gap between the heaviest load that keeps the bound and the next one, as long as the rate changes across it."""
    while True:
        keeping = _keeping(axis, bound)
        beyond = [depth for depth in axis.depths if keeping and depth > keeping[-1]]
        if not beyond or axis.rate_at(beyond[0]) < CLOSE * axis.rate_at(keeping[-1]):
            return
        between = middle(keeping[-1], beyond[0])
        if between in axis.depths:
            return
        axis.look(between)


def _over(bound: Bound, answers: Sequence[Answer]) -> IoCalibration:
    small = [answer.small for answer in answers if answer.small is not None]
    return IoCalibration(
        disks=bound.disks,
        max_latency_us=bound.max_latency_us,
        repeats=len(answers),
        max_iops=spread([point.small_iops for point in small]),
        actual_latency_us=spread([point.small_latency_us_mean for point in small]),
        max_mb_per_s=spread([answer.large.large_mb_per_s for answer in answers]),
        max_process_mb_per_s=spread([answer.process.large_mb_per_s for answer in answers]),
    )


def spread(values: Sequence[float | None]) -> Spread | None:
    """Median and range of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    middle_value, low, high = median(known), min(known), max(known)
    relative = (high - low) / middle_value if middle_value else None
    return Spread(median=middle_value, min=low, max=high, relative=relative, values=tuple(known))
