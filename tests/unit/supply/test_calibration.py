"""Points measured one after the other, how they end, and what they say: the extremes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from closed_loop import LARGE_BYTES, SMALL_BYTES, ClosedLoop, cell_of, measured, result, servers
from plimsoll.base.errors import Interrupted, WorldError
from plimsoll.facts import Cell
from plimsoll.supply.calibration import Course, Ended, Step, extremes, measure_grid
from plimsoll.supply.knee import knee_of

Change = Callable[[int, Cell], Cell]


class Odd:
    """A measurement whose n-th point is changed, or fails."""

    def __init__(self, at: int, change: Change | Exception) -> None:
        self._loop, self._at, self._change = ClosedLoop(servers(4)), at, change

    def __call__(self, small_depth: int, large_depth: int, seconds: float) -> Cell:
        cell = self._loop(small_depth, large_depth, seconds)
        if len(self._loop.asked) != self._at:
            return cell
        if isinstance(self._change, Exception):
            raise self._change
        return self._change(small_depth, cell)


def grid(measure: Callable[[int, int, float], Cell], *depths: int, **course: object) -> Course:
    """A row of small loads."""
    made = Course(measure, **course)  # type: ignore[arg-type]
    measure_grid(made, [(depth, 0) for depth in depths], 2.0)
    return made


def test_a_grid_is_measured_in_its_order_and_nothing_at_all_is_left_out() -> None:
    loop = ClosedLoop(servers(2))
    course = Course(loop)
    measure_grid(course, [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1)], 3.0)
    assert loop.asked == [(1, 0, 3.0), (2, 0, 3.0), (0, 1, 3.0), (2, 1, 3.0)]
    assert [(point.small_depth, point.large_depth) for point in course.points] == [
        (1, 0),
        (2, 0),
        (0, 1),
        (2, 1),
    ]
    assert course.measured_s == pytest.approx(12.0)
    assert (course.interrupted, course.notes) == (False, ())


def test_averages_of_a_point_are_those_of_its_classes() -> None:
    course = Course(ClosedLoop(servers(4), servers(2)))
    point = course.at(2, 3, 1.0)
    assert point.small_iops == pytest.approx(2000)
    assert point.large_mb_per_s == pytest.approx(2000 * LARGE_BYTES / 1e6)
    assert point.small_latency_us_mean == pytest.approx(1000)


def test_a_point_measured_again_takes_the_place_of_the_shorter_one_and_its_time_counts() -> None:
    course = Course(ClosedLoop(servers(4)))
    course.at(1, 0, 0.5)
    course.at(2, 0, 0.5)
    course.at(1, 0, 5.0)
    assert [(point.small_depth, point.cell and point.cell.runtime_s) for point in course.points] == [
        (1, 5.0),
        (2, 0.5),
    ]
    assert course.measured_s == pytest.approx(6.0)


def test_listeners_hear_of_each_point_once() -> None:
    heard: list[Step] = []
    grid(ClosedLoop(servers(4)), 1, 2, 3, on_point=heard.append)
    assert [(step.number, step.point.small_depth) for step in heard] == [(1, 1), (2, 2), (3, 3)]


def test_a_cancelled_course_keeps_what_it_has() -> None:
    heard: list[Step] = []
    course = grid(ClosedLoop(servers(4)), 1, 2, 3, cancelled=lambda: len(heard) == 2, on_point=heard.append)
    assert [point.small_depth for point in course.points] == [1, 2]
    assert course.interrupted


def test_a_point_that_was_cut_short_is_kept_but_counts_for_no_extreme() -> None:
    def cut(depth: int, cell: Cell) -> Cell:
        return cell.model_copy(update={"ended_early": "stopped", "runtime_s": 0.1})

    course = grid(Odd(3, cut), 1, 2, 4, 8)
    assert [point.small_depth for point in course.points] == [1, 2, 4]
    assert course.interrupted
    best = extremes(course.points).max_small_iops
    assert best is not None
    assert best.small_depth == 2


def test_interruption_before_a_first_io_leaves_no_empty_point() -> None:
    def nothing(depth: int, cell: Cell) -> Cell:
        return cell_of([result("small_read", SMALL_BYTES, 0.0, depth, 0.0)], 0.0, "stopped")

    course = grid(Odd(2, nothing), 1, 2, 4)
    assert [point.small_depth for point in course.points] == [1]
    assert course.interrupted


def test_interrupted_from_within_is_an_interruption_and_no_failure() -> None:
    course = grid(Odd(2, Interrupted()), 1, 2, 4)
    assert course.interrupted
    assert course.notes == ()


def test_a_device_that_goes_away_ends_the_course_and_is_told() -> None:
    gone = WorldError("device-gone", "no such device")
    course = grid(Odd(3, gone), 1, 2, 4, 8)
    assert [point.small_depth for point in course.points] == [1, 2]
    assert not course.interrupted
    assert [note.code for note in course.notes] == ["point-failed"]
    assert "before 4 small and 0 large I/Os outstanding: no such device" in course.notes[0].message


def test_a_target_that_cannot_be_measured_at_all_is_an_error() -> None:
    with pytest.raises(WorldError, match="no such device"):
        grid(Odd(1, WorldError("device-gone", "no such device")), 1, 2)


def test_failed_ios_are_told_the_course_goes_on_and_their_point_counts_for_nothing() -> None:
    def failing(depth: int, cell: Cell) -> Cell:
        bad = result("small_read", SMALL_BYTES, 90_000.0, depth, 2.0, errors=3)
        return cell_of([bad], 2.0)

    course = grid(Odd(2, failing), 1, 2, 3, 4, 5)
    assert [point.small_depth for point in course.points] == [1, 2, 3, 4, 5]
    assert "3 I/Os failed at one point" in course.notes[0].message
    best, knee = extremes(course.points).max_small_iops, knee_of(course.points)
    assert best is not None
    assert best.value == pytest.approx(4000)
    assert knee is not None
    assert knee.small_depth == 4


def test_a_target_that_answers_with_errors_alone_ends_the_course() -> None:
    def dead(depth: int, cell: Cell) -> Cell:
        return cell_of([result("small_read", SMALL_BYTES, 0.0, depth, 2.0, errors=256)], 2.0, "errors")

    course = grid(Odd(2, dead), 1, 2, 3)
    assert [point.small_depth for point in course.points] == [1, 2]
    assert "errors alone" in course.notes[0].message


def test_ended_is_not_swallowed_by_a_single_point() -> None:
    with pytest.raises(Ended):
        Course(ClosedLoop(servers(1)), cancelled=lambda: True).at(1, 0, 1.0)


def test_extremes_name_the_lightest_load_of_equal_ones() -> None:
    best = extremes(measured({1: 1000, 2: 2000, 4: 2000, 8: 2000}, {1: 10, 2: 30, 4: 30}))
    assert best.max_small_iops is not None
    assert (best.max_small_iops.value, best.max_small_iops.small_depth) == (2000, 2)
    assert best.max_large_mb_per_s is not None
    assert (best.max_large_mb_per_s.small_depth, best.max_large_mb_per_s.large_depth) == (0, 2)
    assert best.min_small_latency_us is not None
    assert (best.min_small_latency_us.value, best.min_small_latency_us.small_depth) == (1000, 1)


def test_extremes_of_what_was_not_measured_are_unknown() -> None:
    best = extremes(measured({}, {1: 10}))
    assert best.max_small_iops is None
    assert best.min_small_latency_us is None
    assert best.max_large_mb_per_s is not None


def test_extremes_name_the_lightest_load_that_gives_all_but_the_same() -> None:
    best = extremes(measured({1: 1000, 2: 1970, 4: 1990, 8: 2000}, {1: 10, 2: 30, 4: 30}))
    small, large = best.max_small_iops, best.max_large_mb_per_s
    assert small is not None
    assert (small.small_depth, small.near_small_depth, small.near_large_depth) == (8, 2, 0)
    assert large is not None
    assert (large.large_depth, large.near_large_depth) == (2, None), "the point itself"
