"""A calibration: points of the matrix measured one after the other, and what they say of the storage.

The measurement itself is handed in, so that choosing points runs the same on a device and on a simulated one. The knee
is a matter of `plimsoll.supply.knee`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from plimsoll.base.errors import Interrupted, PlimsollError
from plimsoll.facts import Cell, Extreme, Note, Point

Measure = Callable[[int, int, float], Cell]
"""(small depth, large depth, seconds) → what was measured there."""

NEAR = 0.98
"""A value this near to the highest is as good: more I/Os outstanding for the rest are only latency."""


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
        self._turns: dict[tuple[int, int], list[Point]] = {}
        self._shorter: dict[tuple[int, int], list[Point]] = {}
        self._runs = 0
        self.measured_s: float = 0.0
        self.interrupted: bool = False
        self._ended = ""
        self._with_errors: list[Point] = []

    @property
    def points(self) -> tuple[Point, ...]:
        """In the order in which they were first measured."""
        return tuple(self._points.values())

    @property
    def turns(self) -> Mapping[tuple[int, int], Sequence[Point]]:
        """What points gave that were measured again, to see how far measurements differ: they are no points of their own."""
        return self._turns

    @property
    def further(self) -> Mapping[tuple[int, int], Sequence[Point]]:
        """All measurements of each load beside the one that is its point: the turns, and shorter ones whose place it took."""
        spots = (*self._shorter, *self._turns)
        return {spot: (*self._shorter.get(spot, ()), *self._turns.get(spot, ())) for spot in spots}

    @property
    def notes(self) -> tuple[Note, ...]:
        """At most one, which tells of every failure."""
        words = [self._errors_in_words(), self._ended]
        message = "; ".join(filter(None, words))
        return (Note(code="point-failed", message=message),) if message else ()

    def at(self, small_depth: int, large_depth: int, seconds: float) -> Point:
        """Measures a point. Raises Ended, and what the measurement raises when it is the first one; that a host was lost ends it
        there, too.
        """
        point, cell = self._measured(small_depth, large_depth, seconds)
        if cell.ios or cell.errors:
            if (shorter := self._points.get((small_depth, large_depth))) is not None:
                self._shorter.setdefault((small_depth, large_depth), []).append(shorter)
            self._points[small_depth, large_depth] = point
            self._runs += 1
            self._on_point(Step(point, self._runs))
        self._judge(point, cell)
        return point

    def again(self, small_depth: int, large_depth: int, seconds: float) -> None:
        """Measures a point once more; what it gave before stays. Raises Ended."""
        point, cell = self._measured(small_depth, large_depth, seconds)
        self._turns.setdefault((small_depth, large_depth), []).append(point)
        self._judge(point, cell)

    def _measured(self, small_depth: int, large_depth: int, seconds: float) -> tuple[Point, Cell]:
        if self._cancelled():
            self.interrupted = True
        if self.interrupted or self._ended:
            raise Ended
        cell = self._cell(small_depth, large_depth, seconds)
        self.measured_s += cell.runtime_s
        return Point.measured(small_depth, large_depth, cell), cell

    def _cell(self, small_depth: int, large_depth: int, seconds: float) -> Cell:
        try:
            return self._measure(small_depth, large_depth, seconds)
        except Interrupted as error:
            self.interrupted = True
            raise Ended from error
        except PlimsollError as error:
            if not self._points and error.id != "host-lost":
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
    sound = [point for point in points if is_sound(point)]
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


def is_sound(point: Point) -> bool:
    """Whether a point counts: no I/O failed, and it was not cut short."""
    return point.cell is None or (point.cell.errors == 0 and point.cell.ended_early == "")


def _words(small_depth: int, large_depth: int) -> str:
    return f"{small_depth} small and {large_depth} large I/Os outstanding"
