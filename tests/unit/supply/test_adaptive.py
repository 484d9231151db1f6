"""Adaptive points: the same knee as the whole matrix in a fraction of its measured seconds.

Detailed is ORION's whole matrix of a calibration with as many disks as the simulated device has servers, 5 s a point; adaptive is
what `plimsoll calibrate` does by default, small and large I/Os apart, on the same device with other random numbers. The real flow
runs on the real engine in virtual time; seconds are measured ones, warm-up left out. Seen when this was written:

    device                                         detailed: knee, IOPS, s    adaptive: knee, IOPS, s
    sim:mean=500us,servers=1                          1   2,017      92         1   1,995    23
    sim:mean=1ms,servers=1                            1     994      92         1   1,002    33
    sim:mean=10ms,servers=1                           1     103      92         1     100    34
    sim:mean=1ms,servers=4                            4   4,040     951         4   3,977    36
    sim:mean=1ms,servers=16                          16  16,037   3,636        16  16,047    44
    sim:mean=5ms,servers=32                          32   6,350   2,536        32   6,397    71
    sim:law=constant,mean=5ms,servers=5               5   1,000   1,440         5   1,000    38
    sim:law=lognormal,sigma=1,mean=2ms,servers=8      8   4,012   1,876         8   4,007    41

Turns of the loads that may be the knee are among the seconds of either.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from closed_loop import ClosedLoop, Rate, gentle, servers
from plimsoll.facts import Calibration
from plimsoll.flows.calibrate import calibrate, points_of
from plimsoll.requests.calibrate import CalibrateRequest
from plimsoll.supply.adaptive import Reach, calibrate_adaptively
from plimsoll.supply.calibration import Course, extremes
from plimsoll.supply.knee import knee_of
from simulated import context

pytestmark = pytest.mark.slow

_CLOSE = 0.05
_CLOSE_OF_500_IOS = 0.1
"""Five turns of a second with 10 ms an I/O: either knee is known to 4.5 %."""
_SHARE_MAX, _SHARE_OF_ONE_DISK_MAX = 1 / 5, 2 / 5
_REACH = Reach(small_max=512, large_max=256)


def calibrated(journals: Path, target: str, **asked: Any) -> Calibration:
    """A calibration of a simulated target."""
    with context(journals) as ctx:
        found = calibrate(ctx, CalibrateRequest((target,), **asked)).calibration
    assert found is not None
    return found


def adapted(small: Rate, reach: Reach = _REACH, large: Rate | None = None) -> tuple[Course, ClosedLoop]:
    """An adaptive course by formula."""
    loop = ClosedLoop(small, large)
    course = Course(loop)
    calibrate_adaptively(course, reach, 5.0)
    return course, loop


def same_knee_much_sooner(
    detailed: Calibration,
    adaptive: Calibration,
    detailed_s: float,
    close: float = _CLOSE,
    share_max: float = _SHARE_MAX,
) -> None:
    """What is promised, for one pair."""
    assert detailed.knee is not None
    assert adaptive.knee is not None
    assert adaptive.knee.iops == pytest.approx(detailed.knee.iops, rel=close)
    assert adaptive.measured_s is not None
    assert adaptive.measured_s <= share_max * detailed_s


@pytest.mark.parametrize(
    "target", ["sim:mean=1ms,servers=1", "sim:mean=10ms,servers=1", "sim:mean=500us,servers=1"]
)
def test_the_smallest_matrix_takes_twice_as_long_and_more(tmp_path: Path, target: str) -> None:
    """With one disk the whole matrix has 17 points, so that is the hardest there. Seven seconds are the knee's turns."""
    detailed = calibrated(tmp_path, target, shape="normal")
    assert detailed.measured_s is not None
    assert detailed.measured_s == pytest.approx(92, rel=0.01)
    adaptive = calibrated(tmp_path, target, matrix="adaptive", seed=2)
    same_knee_much_sooner(detailed, adaptive, detailed.measured_s, _CLOSE_OF_500_IOS, _SHARE_OF_ONE_DISK_MAX)
    assert adaptive.max_large_mb_per_s is not None
    assert detailed.max_large_mb_per_s is not None
    assert adaptive.max_large_mb_per_s.value == pytest.approx(detailed.max_large_mb_per_s.value, rel=0.1)


@pytest.mark.parametrize(
    ("target", "disks"),
    [
        ("sim:mean=1ms,servers=4", 4),
        ("sim:mean=1ms,servers=16", 16),
        ("sim:mean=5ms,servers=32", 32),
        ("sim:law=constant,mean=5ms,servers=5", 5),
        ("sim:law=lognormal,sigma=1,mean=2ms,servers=8", 8),
        ("sim:mean=1ms,servers=8,us_per_mib=4ms", 8),
    ],
)
def test_the_knee_is_that_of_the_detailed_matrix(tmp_path: Path, target: str, disks: int) -> None:
    """Of the detailed matrix only the row that has the knee is run; its seconds are those of all its points."""
    row = calibrated(tmp_path, target, shape="normal", matrix="row", large_depth=0, disks=disks)
    whole = points_of(CalibrateRequest((target,), shape="normal", disks=disks))
    adaptive = calibrated(tmp_path, target, matrix="adaptive", seed=2)
    same_knee_much_sooner(row, adaptive, (len(whole) - 1) * row.duration_s)


def test_large_ios_that_take_longer_have_their_own_highest_throughput(tmp_path: Path) -> None:
    """Eight servers of 1 ms and 4 ms for the MiB: 1,600 large I/Os per second, where small ones are 8,000."""
    target = "sim:law=constant,mean=1ms,servers=8,us_per_mib=4ms"
    found = calibrated(tmp_path, target, matrix="adaptive")
    assert found.max_large_mb_per_s is not None
    assert found.max_large_mb_per_s.value == pytest.approx(1600 * 1.048576, rel=0.01)
    assert found.max_large_mb_per_s.large_depth == 8
    assert found.knee is not None
    assert found.knee.iops == pytest.approx(8_000, rel=_CLOSE)


def test_equal_seeds_choose_equal_points(tmp_path: Path) -> None:
    first, second = (calibrated(tmp_path, "sim:mean=2ms,servers=6", matrix="adaptive") for _ in range(2))
    assert [(at.small_depth, at.large_depth, at.small_iops) for at in first.points] == [
        (at.small_depth, at.large_depth, at.small_iops) for at in second.points
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7, 16, 23, 100, 300])
def test_any_number_of_servers_is_found_exactly(count: int) -> None:
    course, _ = adapted(servers(count))
    knee = knee_of(course.points)
    assert knee is not None
    assert knee.iops == pytest.approx(count * 1000, rel=_CLOSE)
    assert knee.small_depth == pytest.approx(count, rel=_CLOSE)


@pytest.mark.parametrize("half", [4, 10, 33, 90])
def test_a_gentle_curve_has_its_knee_where_the_power_is_highest(half: int) -> None:
    course, _ = adapted(gentle(50_000, half))
    knee = knee_of(course.points)
    assert knee is not None
    assert knee.iops == pytest.approx(25_000, rel=_CLOSE)


@pytest.mark.parametrize(
    ("small", "large"), [(servers(6), servers(3)), (gentle(50_000, 10), gentle(3_000, 5))]
)
def test_knee_and_highest_rates_are_measured_at_full_length(small: Rate, large: Rate) -> None:
    course, loop = adapted(small, large=large)
    full = {(few, many) for few, many, seconds in loop.asked if seconds == 5.0}
    knee, best = knee_of(course.points), extremes(course.points)
    assert knee is not None
    assert best.max_small_iops is not None
    assert best.max_large_mb_per_s is not None
    assert (knee.small_depth, 0) in full
    most = {point.small_depth: point.small_iops or 0.0 for point in course.points if not point.large_depth}
    assert max(most[few] for few, many in full if few and not many) >= 0.97 * best.max_small_iops.value
    much = {point.large_depth: point.large_mb_per_s or 0.0 for point in course.points}
    assert max(much[many] for _, many in full if many) >= 0.97 * best.max_large_mb_per_s.value


def test_a_pause_in_the_curve_is_leapt_over() -> None:
    """A second plateau far beyond a first one, as of a disk that sorts a deep queue."""

    def late(depth: int) -> float:
        return 100.0 if depth < 8 else 100.0 * min(depth, 64) / 8

    course, _ = adapted(late)
    best = extremes(course.points).max_small_iops
    assert best is not None
    assert best.value == pytest.approx(800)


@pytest.mark.parametrize(("full_s", "look_s"), [(0.5, 0.5), (2.0, 1.0), (5.0, 1.0), (60.0, 12.0)])
def test_no_look_is_shorter_than_a_second_or_a_fifth_of_the_full_time(full_s: float, look_s: float) -> None:
    """A look of 0.17 s said 1,200 of a device throttled to exactly 2,000."""
    loop = ClosedLoop(servers(4))
    calibrate_adaptively(Course(loop), _REACH, full_s)
    assert {seconds for *_, seconds in loop.asked} == {look_s, full_s}


@pytest.mark.parametrize(
    "target", ["sim:mean=100us", "sim:mean=1ms,servers=4", "sim:law=lognormal,sigma=1,mean=2ms,servers=8"]
)
def test_no_point_shows_more_than_what_is_called_the_most(tmp_path: Path, target: str) -> None:
    found = calibrated(tmp_path, target, matrix="adaptive", duration_s=2.0)
    small, large = found.max_small_iops, found.max_large_mb_per_s
    assert small is not None
    assert large is not None
    assert small.value == max(point.small_iops or 0 for point in found.points)
    assert large.value == max(point.large_mb_per_s or 0 for point in found.points)


def test_no_queue_is_deeper_than_allowed() -> None:
    course, loop = adapted(servers(1000), Reach(small_max=48, large_max=7))
    assert max(small for small, _, _ in loop.asked) == 48
    assert max(large for _, large, _ in loop.asked) == 7
    assert knee_of(course.points) is None, "the curve never bent"


def test_kinds_of_io_that_are_not_asked_for_are_left_alone() -> None:
    _, loop = adapted(servers(4), Reach(small_max=64, large_max=0))
    assert {large for _, large, _ in loop.asked} == {0}
    _, loop = adapted(servers(4), Reach(small_max=0, large_max=64))
    assert {small for small, _, _ in loop.asked} == {0}


def test_mixed_measures_the_best_small_load_beside_the_best_large_one() -> None:
    _, loop = adapted(servers(4), Reach(small_max=64, large_max=64, mixed=True), servers(2))
    assert [(small, large) for small, large, _ in loop.asked if small and large] == [(4, 2)]


def test_an_interruption_keeps_the_points_so_far() -> None:
    loop = ClosedLoop(servers(4))
    course = Course(loop, cancelled=lambda: len(loop.asked) == 3)
    calibrate_adaptively(course, _REACH, 5.0)
    assert course.interrupted
    assert [point.small_depth for point in course.points] == [1, 2, 4]
