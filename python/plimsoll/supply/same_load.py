"""Whether measurements of one load within a run say the same: those that do not are of storage that did not stay the same.

Loads that may be the knee are measured several times, and some at first for a shorter time. What their own windows vary by is the
noise of each, from one window to the next, so that a change of level within one of them does not count as its noise
(J. von Neumann, "Distribution of the ratio of the mean square successive difference to the variance", 1941).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log, sqrt
from statistics import fmean

from plimsoll.base.units import format_rate
from plimsoll.facts import Cell, Check, Point
from plimsoll.supply.calibration import is_sound

_NAME = "repeatable"
"""As of the same question asked of a whole measurement by `--repeats`."""
_DIFFERS_MIN = 1.5
"""Measurements of a shared machine differ by less than this."""
_NOISES_MIN = 4.0
"""And by so many times what chance makes of both."""
_WINDOWS_MIN = 6


def with_same_load_checks(
    points: Sequence[Point], again: Mapping[tuple[int, int], Sequence[Point]]
) -> tuple[Point, ...]:
    """The points, each with the check `repeatable` where its load was measured more than once; `again` has the further ones."""
    return tuple(_checked(point, again.get((point.small_depth, point.large_depth), ())) for point in points)


def _checked(point: Point, again: Sequence[Point]) -> Point:
    cells = [
        one.cell for one in (point, *again) if one.cell is not None and is_sound(one) and one.cell.iops > 0
    ]
    if point.cell is None or len(cells) < 2:
        return point
    low, high = min(cells, key=_rate), max(cells, key=_rate)
    figures = {"measurements": float(len(cells)), "iops_min": _rate(low), "iops_max": _rate(high)}
    apart = not _alike(low, high)
    span = f"{format_rate(_rate(low))} to {format_rate(_rate(high))} I/Os per second in {len(cells)} measurements of this load"
    reason = f"{span}: the storage was not the same in all of them" if apart else span
    check = Check(name=_NAME, passed=not apart, reason=reason, figures=figures)
    cell = point.cell.model_copy(update={"checks": (*point.cell.checks, check)})
    return point.model_copy(update={"cell": cell})


def _alike(low: Cell, high: Cell) -> bool:
    ratio = _rate(high) / _rate(low)
    noise = sqrt(_noise(low) ** 2 + _noise(high) ** 2)
    return ratio < _DIFFERS_MIN or log(ratio) < _NOISES_MIN * noise


def _noise(cell: Cell) -> float:
    """The standard error of a rate as a share of it: by the windows, and by the number of I/Os at least."""
    counted = 1 / sqrt(max(1, cell.ios))
    rates = [window.iops for window in cell.windows]
    if len(rates) < _WINDOWS_MIN:
        return counted
    successive = fmean((after - before) ** 2 for before, after in pairwise(rates)) / 2
    return max(counted, sqrt(successive / len(rates)) / _rate(cell))


def _rate(cell: Cell) -> float:
    return cell.iops
