"""Steady state: rounds of one workload until the storage no longer changes, by the rule of the SNIA's test specification.

Solid State Storage Performance Test Specification (PTS) 2.0.2, 2020, "steady state": over a window of five rounds the range
(largest minus smallest) is at most 20 % of the mean, and the least-squares line through them rises or falls by at most 10 %
of the mean from the first round to the last; at most 25 rounds. What is measured after that, in a window of its own, counts.
A write cliff, the moment when a cache or the erased blocks of a flash device are used up, is one change of level within the rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, linear_regression

from plimsoll.base.levels import find_cliff
from plimsoll.base.limits import (
    STEADY_RANGE_SHARE_MAX,
    STEADY_ROUNDS_MAX,
    STEADY_SLOPE_SHARE_MAX,
    STEADY_WINDOW_ROUNDS,
)
from plimsoll.base.units import format_share
from plimsoll.facts import Cell, Check, IoClass, Workload

_PRECONDITION_BLOCK_BYTES = 128 << 10


@dataclass(frozen=True)
class Window:
    """The rule's two figures for one window of rounds, as shares of the mean."""

    range_share: float
    slope_share: float
    """Of the fitted line: its change over the whole window, not per round."""

    @property
    def is_steady(self) -> bool:
        """Whether both are within the limits."""
        return self.range_share <= STEADY_RANGE_SHARE_MAX and self.slope_share <= STEADY_SLOPE_SHARE_MAX


@dataclass(frozen=True)
class Settling:
    """The rounds that were made. `window` is the last one, None when there were too few rounds for it."""

    cells: tuple[Cell, ...]
    window: Window | None

    @property
    def is_steady(self) -> bool:
        """Whether the last window keeps the rule."""
        return self.window is not None and self.window.is_steady


def window_of(values: Sequence[float]) -> Window | None:
    """The figures of the last five values; None for fewer, or when their mean is 0."""
    last = values[-STEADY_WINDOW_ROUNDS:]
    mean = fmean(last) if last else 0.0
    if len(last) < STEADY_WINDOW_ROUNDS or mean <= 0:
        return None
    return Window(
        (max(last) - min(last)) / mean,
        abs(linear_regression(range(len(last)), last).slope) * (len(last) - 1) / mean,
    )


def settle(make_round: Callable[[int], Cell], rounds_max: int = STEADY_ROUNDS_MAX) -> Settling:
    """Makes rounds until the last window is steady; `make_round` gets their number from 0 on. A round cut short ends it."""
    cells: list[Cell] = []
    window = None
    while len(cells) < rounds_max and (window is None or not window.is_steady):
        cell = make_round(len(cells))
        cells.append(cell)
        if cell.ended_early:
            return Settling(tuple(cells), None)
        window = window_of([each.iops for each in cells])
    return Settling(tuple(cells), window)


def judge_steady(settling: Settling) -> Check:
    """The verdict, with the figures of the last window and the write cliff on the way to it."""
    rounds, window = len(settling.cells), settling.window
    figures = {"rounds": float(rounds)}
    if window is None:
        reason = f"the rounds ended after {rounds}, before five were made that count"
        return Check(name="steady", passed=None, reason=reason, figures=figures)
    figures |= {"range_share": window.range_share, "slope_share": window.slope_share}
    shares = (
        f"range {format_share(window.range_share, 1)} (at most {format_share(STEADY_RANGE_SHARE_MAX)}),"
        f" slope {format_share(window.slope_share, 1)} (at most {format_share(STEADY_SLOPE_SHARE_MAX)}) of the mean"
    )
    cliff_words, cliff_figures = _cliff(settling.cells)
    steady = "steady" if window.is_steady else "not steady"
    reason = f"{steady} after {rounds} rounds: {shares} over the last five{cliff_words}"
    return Check(name="steady", passed=window.is_steady, reason=reason, figures=figures | cliff_figures)


def _cliff(cells: Sequence[Cell]) -> tuple[str, dict[str, float]]:
    """Where the rate fell for good, over the windows of all rounds; reads have no cliff of their own, but credit ends alike."""
    slices = [window for cell in cells for window in cell.windows]
    cliff = find_cliff([window.iops for window in slices])
    if cliff is None:
        return "", {}
    at_s = sum(window.duration_s for window in slices[: cliff.index])
    words = (
        f"; the rate fell from {cliff.before:,.0f} to {cliff.after:,.0f} I/Os per second after {at_s:.1f} s"
    )
    return words, {"cliff_at_s": at_s, "before_iops": cliff.before, "after_iops": cliff.after}


def preconditioning(span_bytes: int) -> tuple[Workload, int]:
    """The workload that writes the whole span twice, and its number of I/Os (PTS 2.0.2: workload-independent preconditioning)."""
    block = min(_PRECONDITION_BLOCK_BYTES, span_bytes)
    write = IoClass(name="precondition", op="write", pattern="sequential", block_bytes=block, weight=1.0)
    return Workload(name="precondition", classes=(write,)), 2 * (span_bytes // block)


def judge_preconditioning(cell: Cell, ios: int) -> Check:
    """Whether all of it was written."""
    whole = cell.ios >= ios and not cell.errors
    reason = f"{cell.ios:,} of {ios:,} writes of {cell.workload.classes[0].block_bytes >> 10} KiB were made before the rounds"
    figures = {"ios": float(cell.ios), "errors": float(cell.errors)}
    return Check(name="preconditioned", passed=whole, reason=reason, figures=figures)
