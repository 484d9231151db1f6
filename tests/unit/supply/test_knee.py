"""The knee of the small I/Os, and that its range holds the true one without being wide for nothing.

Of 100 seeds each, on simulated devices of the real engine in virtual time, small I/Os alone, 5 s a point, the range of adaptive
points held the true rate, and all of them the true load (width: its upper end over its lower one, median and widest):

    sim:mean=1ms,servers=4                           100     1.05   1.10
    sim:mean=1ms,servers=16                          100     1.02   1.04
    sim:law=lognormal,sigma=1,mean=2ms,servers=8     100     1.06   1.11
    sim:mean=10ms,servers=1                          100     1.41   1.86
    sim:law=constant,mean=5ms,servers=5              100     1.01   1.01
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from closed_loop import ClosedLoop, Rate, gentle, measured, servers
from plimsoll.facts import Calibration, Knee
from plimsoll.flows.calibrate import calibrate
from plimsoll.requests.calibrate import CalibrateRequest
from plimsoll.supply.adaptive import Reach, calibrate_adaptively
from plimsoll.supply.calibration import Course, Ended, measure_grid
from plimsoll.supply.knee import TURNS, knee_of, measure_in_turns, range_in_words
from simulated import context

pytestmark = pytest.mark.slow

Adapted = Callable[[Rate, float, int], Knee | None]
"""Rate, noise, seed → the knee."""
GRID = range(1, 41)
"""Small loads up to those of ORION's matrix for eight disks."""


def adapted(rate: Rate, noise: float, seed: int) -> Knee | None:
    """The knee of adaptive points."""
    course = Course(ClosedLoop(rate, noise=noise, seed=seed))
    calibrate_adaptively(course, Reach(small_max=512, large_max=0), 5.0)
    measure_in_turns(course, 5.0)
    return knee_of(course.points, course.turns)


def fixed(rate: Rate, noise: float, seed: int) -> Knee | None:
    """The knee of a fixed row."""
    course = Course(ClosedLoop(rate, noise=noise, seed=seed))
    measure_grid(course, [(depth, 0) for depth in GRID], 5.0)
    measure_in_turns(course, 5.0)
    return knee_of(course.points, course.turns)


def ranges(knee: Knee | None) -> tuple[tuple[float, float], tuple[int, int]]:
    """Of rates and of loads."""
    assert knee is not None
    assert knee.iops_range is not None
    assert knee.small_depth_range is not None
    return knee.iops_range, knee.small_depth_range


@pytest.mark.parametrize("count", [1, 3, 4, 16])
def test_the_knee_of_so_many_servers_is_at_their_number(count: int) -> None:
    rate = servers(count)
    knee = knee_of(measured({depth: rate(depth) for depth in range(1, 2 * count + 3)}))
    assert knee is not None
    assert (knee.small_depth, knee.iops) == (count, pytest.approx(count * 1000))
    assert knee.latency_us_mean == pytest.approx(1000)


def test_the_knee_of_a_gentle_curve_is_where_latency_begins_to_grow_faster_than_the_rate() -> None:
    """With rate R·n/(n + h) that is n = h: Kleinrock's power n/(n + h)² has its maximum there."""
    rate = gentle(10_000, 8)
    knee = knee_of(measured({depth: rate(depth) for depth in range(1, 40)}))
    assert knee is not None
    assert (knee.small_depth, knee.iops) == (8, pytest.approx(5_000))


def test_the_knee_does_not_depend_on_how_far_the_curve_was_followed() -> None:
    rate = gentle(10_000, 8)
    near = knee_of(measured({depth: rate(depth) for depth in range(1, 16)}))
    far = knee_of(measured({depth: rate(depth) for depth in range(1, 500)}))
    assert near == far


def test_a_curve_that_never_bent_has_no_knee() -> None:
    rate = servers(100)
    assert knee_of(measured({depth: rate(depth) for depth in range(1, 6)})) is None


def test_two_loads_are_too_few_for_a_knee() -> None:
    assert knee_of(measured({1: 1000, 2: 1000})) is None


def test_the_knee_is_of_the_row_with_the_lightest_large_load() -> None:
    beside = Course(ClosedLoop(servers(4)))
    measure_grid(beside, [(depth, large) for large in (1, 2) for depth in range(1, 9)], 1.0)
    knee = knee_of(beside.points)
    assert knee is not None
    assert knee.small_depth == 4


@pytest.mark.parametrize("matrix", [adapted, fixed])
@pytest.mark.parametrize("half", [4, 10])
def test_where_the_power_is_flat_the_range_holds_the_true_knee(matrix: Adapted, half: int) -> None:
    """With rate R·n/(n + h) the knee is at n = h. One load's rates differ by 6 %, as measured on a shared machine."""
    held, widths = 0, []
    for seed in range(20):
        (low, high), (least, most) = ranges(matrix(gentle(50_000, half), 0.06, seed))
        held += low <= 25_000 <= high and least <= half <= most
        widths.append(high / low)
    assert held >= 19
    assert median(widths) <= 3.5


def test_fixed_and_adaptive_points_agree_where_the_power_is_flat() -> None:
    for seed in range(20):
        (low, high), _ = ranges(adapted(gentle(50_000, 3), 0.06, seed))
        (least, most), _ = ranges(fixed(gentle(50_000, 3), 0.06, 1000 + seed))
        assert low <= most
        assert least <= high


@pytest.mark.parametrize("matrix", [adapted, fixed])
@pytest.mark.parametrize("count", [4, 16, 32])
def test_where_the_bend_is_sharp_the_range_is_narrow(matrix: Adapted, count: int) -> None:
    """On loads without gaps: one that was not tried might be the knee."""
    (low, high), (least, most) = ranges(matrix(servers(count), 0.0, 1))
    assert low <= count * 1000 <= high
    assert least <= count <= most
    assert high <= 1.1 * low


@pytest.mark.parametrize(
    ("target", "rate", "width"),
    [
        ("sim:mean=1ms,servers=4", 4000, 1.2),
        ("sim:law=lognormal,sigma=1,mean=2ms,servers=8", 4000, 1.4),
        ("sim:law=constant,mean=5ms,servers=5", 1000, 1.05),
    ],
)
def test_the_range_holds_the_true_knee_of_a_simulated_device(
    tmp_path: Path, target: str, rate: float, width: float
) -> None:
    held = 0
    for seed in range(10):
        (low, high), _ = ranges(calibrated(tmp_path, target, seed).knee)
        held += low <= rate <= high
        assert high <= width * low
    assert held >= 9


def calibrated(journals: Path, target: str, seed: int) -> Calibration:
    """Adaptive points with small I/Os alone."""
    with context(journals) as ctx:
        found = calibrate(
            ctx, CalibrateRequest((target,), shape="oltp", matrix="adaptive", seed=seed)
        ).calibration
    assert found is not None
    return found


def test_contenders_take_turns_and_those_that_turn_out_otherwise_get_no_more() -> None:
    loop = ClosedLoop(servers(4))
    course = Course(loop)
    measure_grid(course, [(depth, 0) for depth in range(1, 9)], 10.0)
    asked = len(loop.asked)
    told: list[int] = []
    measure_in_turns(course, 10.0, told.append)
    assert loop.asked[asked:] == 2 * [(depth, 0, 2.0) for depth in (3, 4, 5, 6)] + 3 * [(4, 0, 2.0)]
    assert told == [1, 2, 3, 4, 5]
    assert [point.cell and point.cell.runtime_s for point in course.points] == 8 * [10.0], (
        "points stay what they were"
    )


def test_what_cannot_be_told_apart_gets_all_turns_and_no_more() -> None:
    course = Course(ClosedLoop(gentle(50_000, 3), noise=0.2))
    measure_grid(course, [(depth, 0) for depth in range(1, 9)], 1.0)
    measure_in_turns(course, 1.0)
    assert max(len(points) for points in course.turns.values()) == TURNS


def test_a_load_measured_once_has_no_range() -> None:
    """Nobody can tell the noise from it; that is no range of zero width."""
    knee = knee_of(measured({3: 3000, 4: 4000, 5: 4000}))
    assert knee is not None
    assert (knee.iops_range, knee.small_depth_range) == (None, None)


def test_loads_between_that_were_not_tried_belong_to_the_range() -> None:
    course = Course(ClosedLoop(servers(5)))
    measure_grid(course, [(depth, 0) for depth in (1, 4, 8)], 5.0)
    measure_in_turns(course, 5.0)
    (low, high), depths = ranges(knee_of(course.points, course.turns))
    assert depths == (2, 7)
    assert low == pytest.approx(1000, rel=0.01)
    assert high == pytest.approx(5000, rel=0.01)


@pytest.mark.parametrize("done", [9, 10, 12])
def test_an_interruption_within_the_turns_keeps_what_is_known(done: int) -> None:
    loop = ClosedLoop(servers(4))
    course = Course(loop, cancelled=lambda: len(loop.asked) == done)
    measure_grid(course, [(depth, 0) for depth in range(1, 9)], 1.0)
    measure_in_turns(course, 1.0)
    knee = knee_of(course.points, course.turns)
    assert course.interrupted
    assert knee is not None
    assert knee.small_depth == 4
    assert knee.iops_range is None, "one turn tells nothing"


def test_storage_that_has_failed_is_not_measured_again() -> None:
    loop = ClosedLoop(servers(4))
    course = Course(loop)
    measure_grid(course, [(depth, 0) for depth in range(1, 9)], 1.0)
    course.fail("the calibration ended: the device has gone")
    with pytest.raises(Ended):
        course.again(4, 0, 1.0)
    measure_in_turns(course, 1.0)
    assert course.turns == {}


def test_how_surely_it_is_known_is_said(tmp_path: Path) -> None:
    found = calibrated(tmp_path, "sim:law=constant,mean=1ms,servers=4", 1)
    assert found.knee is not None

    def words(**changes: object) -> str:
        knee = found.knee.model_copy(update=changes) if found.knee else None
        return range_in_words(found.model_copy(update={"knee": knee}))

    told = {"iops_range": (26_900.0, 37_600.0), "small_depth_range": (2, 4)}
    assert (
        words(**told)
        == "Within the noise it lies between 26,900 and 37,600 I/Os per second, at 2 to 4 outstanding."
    )
    deepest = {**told, "small_depth_range": (4, found.small_depths[-1])}
    assert words(**deepest).endswith("; no heavier load was measured, so it may lie beyond.")
    assert words(iops_range=None).startswith("Each load was measured once")
    assert words(iops_range=(1.51e-14, 9.39e13)).startswith("Where it lies cannot be told")
    assert words(iops_range=(4000.0, 4000.2)) == ""
