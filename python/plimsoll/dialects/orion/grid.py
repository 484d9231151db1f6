"""The matrix of a test as its files print it: the loads that were planned, and each value rounded once.

Every file takes its figures from here, so that the summary's largest value is a value of the CSV and not merely near one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from plimsoll.dialects.orion.arguments import Arguments
from plimsoll.facts import Calibration, Point
from plimsoll.requests.calibrate import Shape
from plimsoll.supply import matrix

Layout = Literal["11.1", "12.1"]
LAYOUTS: Final = ("11.1", "12.1")

MB_BYTES: Final = 1 << 20
"""ORION's MB: a large I/O of 1024 KB counts as one."""

_WHOLE, _HUNDREDTHS = Decimal(1), Decimal("0.01")
_US_PER_MS = 1000

Depths = tuple[int, int]


@dataclass(frozen=True)
class Best:
    """A value as the CSV prints it, and the first point that has it."""

    value: Decimal
    small: int
    large: int


@dataclass(frozen=True)
class Grid:
    """Loads in rising order and values by (small, large); what was not measured is missing. `points` counts (0, 0) too."""

    smalls: tuple[int, ...]
    larges: tuple[int, ...]
    points: int
    iops: dict[Depths, Decimal]
    mbps: dict[Depths, Decimal]
    latency: dict[Depths, Decimal]
    """Milliseconds in the layout of 11.1, microseconds in later ones."""


def shape_of(asked: Arguments) -> Shape:
    """The kind of run in the words of `plimsoll calibrate`."""
    return "custom" if asked.run == "advanced" else asked.run


def planned(asked: Arguments, disks: int) -> list[Depths]:
    """The points of the test, (0, 0) among them where its matrix has it."""
    small, large = matrix.levels(shape_of(asked), disks)
    return matrix.points(asked.matrix, small, large, asked.num_small, asked.num_large)


def grid(asked: Arguments, found: Calibration, layout: Layout) -> Grid:
    """What was planned and what was found."""
    points = planned(asked, found.disks)
    smalls, larges = _loads(small for small, _ in points), _loads(large for _, large in points)
    latency_unit = _US_PER_MS if layout == "11.1" else 1
    return Grid(
        # A test without large I/Os shows no column for no small ones: that would be (0, 0). And the other way round.
        smalls=_above_zero(smalls) if larges == (0,) else smalls,
        larges=_above_zero(larges) if smalls == (0,) else larges,
        points=len(points),
        iops=_values(found, _WHOLE, lambda point: point.small_iops),
        mbps=_values(found, _HUNDREDTHS, lambda point: _over(point.large_mb_per_s, MB_BYTES / 1e6)),
        latency=_values(found, _HUNDREDTHS, lambda point: _over(point.small_latency_us_mean, latency_unit)),
    )


def largest(values: dict[Depths, Decimal]) -> Best | None:
    """The largest value; of equal ones that with the lowest load."""
    return _best(values, -1)


def smallest(values: dict[Depths, Decimal]) -> Best | None:
    """The smallest value; of equal ones that with the lowest load."""
    return _best(values, 1)


def _best(values: dict[Depths, Decimal], sign: int) -> Best | None:
    order = sorted(values, key=lambda at: (sign * values[at], at[1], at[0]))
    return Best(values[order[0]], *order[0]) if order else None


def _loads(depths: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(depths)))


def _above_zero(depths: tuple[int, ...]) -> tuple[int, ...]:
    """A test of one point has no load of zero to leave out."""
    return tuple(depth for depth in depths if depth)


def _over(value: float | None, unit: float) -> float | None:
    return None if value is None else value / unit


def _values(found: Calibration, step: Decimal, of: Callable[[Point], float | None]) -> dict[Depths, Decimal]:
    values = {(point.small_depth, point.large_depth): of(point) for point in found.points if _counts(point)}
    return {at: Decimal(value).quantize(step) for at, value in values.items() if value is not None}


def _counts(point: Point) -> bool:
    """Not a point whose I/Os failed, nor one that was cut short: these stand in the trace alone."""
    return point.cell is None or (point.cell.errors == 0 and not point.cell.ended_early)
