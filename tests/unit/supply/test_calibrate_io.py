"""CALIBRATE_IO's answers: the deepest queue that keeps the bound, large reads, one process, and the spread over repeats."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from closed_loop import LARGE_BYTES, ClosedLoop, Rate, gentle, servers
from plimsoll.base.errors import WorldError
from plimsoll.facts import Cell, IoCalibration
from plimsoll.supply.adaptive import Reach
from plimsoll.supply.calibrate_io import Bound, calibrate_io, spread
from plimsoll.supply.calibration import Course

_REACH = Reach(small_max=512, large_max=64)


def answer(
    small: Rate, large: Rate, max_latency_us: float, disks: int = 1, repeats: int = 1
) -> tuple[IoCalibration, list[Course]]:
    """The answer of storage by formula."""

    def course(number: int) -> Course:
        return Course(ClosedLoop(small, large))

    return calibrate_io(course, Bound(disks, max_latency_us), _REACH, 5.0, repeats)


@pytest.mark.parametrize("disks", [1, 4, 12, 64])
def test_without_a_tight_bound_the_highest_rate_is_found_wherever_the_search_begins(disks: int) -> None:
    found, _ = answer(servers(12), servers(3), 20_000, disks)
    assert found.max_iops is not None
    assert found.max_iops.median == pytest.approx(12_000, rel=0.1)
    assert found.actual_latency_us is not None
    assert found.actual_latency_us.median == pytest.approx(1_000, rel=0.35)
    assert found.max_mb_per_s is not None
    assert found.max_mb_per_s.median == pytest.approx(3_000 * LARGE_BYTES / 1e6, rel=0.02)
    assert found.max_process_mb_per_s is not None
    assert found.max_process_mb_per_s.median == pytest.approx(1_000 * LARGE_BYTES / 1e6)


@pytest.mark.parametrize(("bound_us", "depth"), [(1_505, 5), (2_005, 10), (6_005, 50)])
@pytest.mark.parametrize("disks", [1, 100])
def test_the_queue_is_as_deep_as_the_bound_allows(bound_us: float, depth: int, disks: int) -> None:
    """With rate R·n/(n + h) the latency is (n + h)/R, so the bound fixes n."""
    rate = gentle(10_000, 10)
    found, _ = answer(rate, servers(1), bound_us, disks)
    assert found.max_iops is not None
    assert found.max_iops.median == pytest.approx(rate(depth), rel=0.05)
    assert found.actual_latency_us is not None
    assert found.actual_latency_us.median <= bound_us


def test_a_bound_that_nothing_keeps_leaves_the_rate_unknown_and_the_rest_known() -> None:
    found, _ = answer(servers(4), servers(2), 900.0)
    assert (found.max_iops, found.actual_latency_us) == (None, None)
    assert found.max_mb_per_s is not None
    assert found.repeats == 1


@pytest.mark.parametrize("whole", [0, 2])
def test_storage_that_is_gone_before_a_repeat_leaves_the_earlier_ones(whole: int) -> None:
    def gone(small_depth: int, large_depth: int, seconds: float) -> Cell:
        raise WorldError("all-ios-failed", "every i/o failed")

    def course(number: int) -> Course:
        return Course(ClosedLoop(servers(2), servers(2)) if number < whole else gone)

    if not whole:
        with pytest.raises(WorldError):
            calibrate_io(course, Bound(1, 20_000), _REACH, 5.0, 5)
        return
    found, courses = calibrate_io(course, Bound(1, 20_000), _REACH, 5.0, 5)
    assert len(courses) == found.repeats == whole
    assert found.max_iops is not None
    (note,) = courses[-1].notes
    assert (note.code, note.message) == (
        "point-failed",
        "repeat 3 of 5 could not begin: every i/o failed",
    )


def test_repeats_have_a_spread() -> None:
    speeds = iter([1000.0, 900.0, 1250.0])

    def course(number: int) -> Course:
        return Course(ClosedLoop(servers(2, mean_us=next(speeds))))

    found, courses = calibrate_io(course, Bound(1, 20_000), _REACH, 5.0, 3)
    assert len(courses) == found.repeats == 3
    assert found.max_iops is not None
    assert found.max_iops.values == pytest.approx((2000, 2 / 900e-6, 1600))
    assert found.max_iops.median == pytest.approx(2000)
    assert found.max_iops.relative == pytest.approx((2 / 900e-6 - 1600) / 2000)


def test_an_interrupted_repeat_is_left_out_and_those_before_it_are_kept() -> None:
    loops = [ClosedLoop(servers(2)), ClosedLoop(servers(2))]

    def stops(number: int) -> Callable[[], bool]:
        return lambda: number == 1 and len(loops[1].asked) == 4

    found, courses = calibrate_io(
        lambda number: Course(loops[number], stops(number)), Bound(1, 20_000), _REACH, 5.0, 2
    )
    assert found.repeats == 1
    assert courses[1].interrupted
    assert len(courses[1].points) == 4


def test_only_what_is_known_has_a_spread() -> None:
    assert spread([]) is None
    assert spread([None]) is None
    one = spread([None, 5.0])
    assert one is not None
    assert (one.median, one.min, one.max, one.relative, one.values) == (5.0, 5.0, 5.0, 0.0, (5.0,))
    nothing = spread([0.0, 0.0])
    assert nothing is not None
    assert nothing.relative is None
