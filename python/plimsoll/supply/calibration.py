"""A calibration: points of the matrix measured one after the other, and what they say of the storage.

The measurement itself is handed in, so that choosing points runs the same on a device and on a simulated one.

The knee is where the power, rate ÷ mean latency, is highest (L. Kleinrock, "Power and deterministic rules of thumb for
probabilistic problems in computer communications", ICC 1979). Up to there a deeper queue wins more rate than it costs in latency,
beyond it loses more. Unlike definitions by curvature it does not depend on how far the curve was followed, so that fixed
and adaptive points can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from plimsoll.base.errors import Interrupted, PlimsollError
from plimsoll.facts import Cell, Extreme, Knee, Note, Point

Measure = Callable[[int, int, float], Cell]
"""(small depth, large depth, seconds) → what was measured there."""

_LEVELS_FOR_KNEE_MIN = 3
NEAR = 0.98
"""A value this near to the highest is as good: more I/Os outstanding for the rest are only latency."""
KNEE_TOLERANCE = 0.05
"""Loads whose power is this near to the highest cannot be told from the knee: two measurements of one load differ by as much."""


class Ended(Exception):
    """No further point will be measured: somebody asked to end, or the device has failed."""


@dataclass(frozen=True)
class Step:
    """What a listener is told after each point."""

    point: Point
    number: int
    """Of the measurements so far, from 1."""


class Course:
    """The points measured so far, and how it ended. A point measured again takes the place of its shorter self."""

    def __init__(
        self,
        measure: Measure,
        cancelled: Callable[[], bool] = lambda: False,
        on_point: Callable[[Step], None] = lambda step: None,
    ) -> None:
        self._measure, self._cancelled, self._on_point = measure, cancelled, on_point
        self._points: dict[tuple[int, int], Point] = {}
        self._runs = 0
        self.measured_s = 0.0
        self.interrupted = False
        self._ended = ""
        self._with_errors: list[Point] = []

    @property
    def points(self) -> tuple[Point, ...]:
        """In the order in which they were first measured."""
        return tuple(self._points.values())

    @property
    def notes(self) -> tuple[Note, ...]:
        """At most one, which tells of every failure."""
        words = [self._errors_in_words(), self._ended]
        message = "; ".join(filter(None, words))
        return (Note(code="point-failed", message=message),) if message else ()

    def at(self, small_depth: int, large_depth: int, seconds: float) -> Point:
        """Measures a point. Raises Ended, and what the measurement raises when it is the first one."""
        if self._cancelled():
            self.interrupted = True
            raise Ended
        cell = self._cell(small_depth, large_depth, seconds)
        self.measured_s += cell.runtime_s
        point = Point.measured(small_depth, large_depth, cell)
        if cell.ios or cell.errors:
            self._points[small_depth, large_depth] = point
            self._runs += 1
            self._on_point(Step(point, self._runs))
        self._judge(point, cell)
        return point

    def _cell(self, small_depth: int, large_depth: int, seconds: float) -> Cell:
        try:
            return self._measure(small_depth, large_depth, seconds)
        except Interrupted as error:
            self.interrupted = True
            raise Ended from error
        except PlimsollError as error:
            if not self._points:
                raise
            where = _words(small_depth, large_depth)
            self.fail(f"the calibration ended before {where}: {error.message}")
            raise Ended from error

    def fail(self, why: str) -> None:
        """Remembers that the storage failed, and what that ended."""
        self._ended = why

    def _judge(self, point: Point, cell: Cell) -> None:
        if cell.errors:
            self._with_errors.append(point)
        if cell.ended_early == "errors":
            where = _words(point.small_depth, point.large_depth)
            self.fail(f"the calibration ended at {where}: the target answers with errors alone")
            raise Ended
        if cell.ended_early == "stopped":
            self.interrupted = True
            raise Ended

    def _errors_in_words(self) -> str:
        if not self._with_errors:
            return ""
        errors = sum(point.cell.errors for point in self._with_errors if point.cell)
        first = self._with_errors[0]
        count = len(self._with_errors)
        points = f"{count} points, first" if count > 1 else "one point,"
        where = _words(first.small_depth, first.large_depth)
        return (
            f"{errors:,} I/Os failed at {points} with {where}; points with failed I/Os count for no extreme"
        )


def measure_grid(course: Course, points: Iterable[tuple[int, int]], seconds: float) -> None:
    """Measures the points of a fixed matrix, as far as it gets; (0, 0) is left out."""
    try:
        for small_depth, large_depth in points:
            if small_depth or large_depth:
                course.at(small_depth, large_depth, seconds)
    except Ended:
        return


@dataclass(frozen=True)
class Extremes:
    """The best values of the points that count; None where no point has such I/Os."""

    max_small_iops: Extreme | None
    max_large_mb_per_s: Extreme | None
    min_small_latency_us: Extreme | None


def extremes(points: Sequence[Point]) -> Extremes:
    """Over all points without errors, the lightest load where several are equal. No point has more than what is called the most."""
    sound = [point for point in points if _sound(point)]
    return Extremes(
        max_small_iops=_extreme(sound, lambda point: point.small_iops, max),
        max_large_mb_per_s=_extreme(sound, lambda point: point.large_mb_per_s, max),
        min_small_latency_us=_extreme(sound, lambda point: point.small_latency_us_mean, min),
    )


def _extreme(
    points: Sequence[Point], value: Callable[[Point], float | None], best: Callable[..., float]
) -> Extreme | None:
    known = {(point.small_depth, point.large_depth): value(point) for point in points}
    figures = {spot: figure for spot, figure in known.items() if figure is not None}
    if not figures:
        return None
    found = best(figures.values())
    at = next(spot for spot, figure in figures.items() if figure == found)
    near = _lightest_near(figures, at) if best is max else at
    extreme = Extreme(value=found, small_depth=at[0], large_depth=at[1])
    if near == at:
        return extreme
    lighter = {"near_value": figures[near], "near_small_depth": near[0], "near_large_depth": near[1]}
    return extreme.model_copy(update=lighter)


def _lightest_near(known: dict[tuple[int, int], float], at: tuple[int, int]) -> tuple[int, int]:
    """The lightest load, no deeper in either kind, whose value is all but the same."""
    lighter = [
        spot
        for spot, value in known.items()
        if spot[0] <= at[0] and spot[1] <= at[1] and value >= NEAR * known[at]
    ]
    return min(lighter, key=sum)


def knee_of(points: Sequence[Point]) -> Knee | None:
    """The knee of the small I/Os in the row with the lightest large load.

    None when fewer than three loads were measured there, or when the power still rose at the last of them: then the curve
    never bent.
    """
    row = small_row(points)
    if len(row) < _LEVELS_FOR_KNEE_MIN:
        return None
    best = max(row, key=power)
    if best is row[-1]:
        return None
    assert best.small_iops is not None, "the row has small I/Os"
    assert best.small_latency_us_mean is not None, "and they took some time"
    return Knee(
        small_depth=best.small_depth,
        iops=best.small_iops,
        latency_us_mean=best.small_latency_us_mean,
        iops_range=_knee_range(row, best),
    )


def _knee_range(row: Sequence[Point], best: Point) -> tuple[float, float]:
    """Rates between which the knee lies: of loads as powerful but for noise, and of the next where some between were not tried."""
    least = power(best) * (1 - KNEE_TOLERANCE)
    alike = [at for at, point in enumerate(row) if power(point) >= least]
    first, last = alike[0], alike[-1]
    if first > 0 and row[first].small_depth - row[first - 1].small_depth > 1:
        first -= 1
    if last + 1 < len(row) and row[last + 1].small_depth - row[last].small_depth > 1:
        last += 1
    rates = [point.small_iops or 0.0 for point in row[first : last + 1]]
    return min(rates), max(rates)


def small_row(points: Sequence[Point]) -> list[Point]:
    """Points without errors in the row with the lightest large load, by small load."""
    small = [point for point in points if _sound(point) and point.small_depth and power(point) > 0]
    lightest = min((point.large_depth for point in small), default=0)
    return sorted(
        (point for point in small if point.large_depth == lightest), key=lambda point: point.small_depth
    )


def power(point: Point) -> float:
    """Rate ÷ mean latency of the small I/Os; 0 where there were none."""
    if not point.small_iops or not point.small_latency_us_mean:
        return 0.0
    return point.small_iops / point.small_latency_us_mean


def _sound(point: Point) -> bool:
    return point.cell is None or (point.cell.errors == 0 and point.cell.ended_early == "")


def _words(small_depth: int, large_depth: int) -> str:
    return f"{small_depth} small and {large_depth} large I/Os outstanding"
