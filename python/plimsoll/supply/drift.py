"""Whether a trial is valid: a measurement that was still changing says nothing about the next hour.

Two things void a trial. A trial that held while its latency rose from window to window will not hold for long. A trial that
held, then broke at one moment and stayed broken, was carried by credit (a burst bucket, a write cache) that ran out.
The trend is tested by Mann and Kendall's rank test (Mann 1945, Kendall 1975) on the medians of ten windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from plimsoll.base.units import format_us
from plimsoll.facts import Cell, CellOnHost
from plimsoll.native.statistics import mann_kendall_z

_WINDOWS_MIN = 6
_TREND_Z = 2.58
"""Two-sided 1 % of the normal distribution."""
_RISE_MIN = 1.5
"""A rise below this is steady enough: medians of neighbouring windows differ by as much on a shared machine."""
_BREAK_FACTOR = 3.0


def void_reason(cell: Cell, limit_us: float, held: bool) -> str | None:
    """Why this trial must not count, in words; None when it may. `limit_us` is the objective that was worst.

    Of several hosts each is looked at: what rises on one is hardly seen in what all did together.
    """
    for part in cell.hosts or (cell,):
        reason = _of_part(part, limit_us, held)
        if reason is not None:
            return f"{part.name}: {reason}" if isinstance(part, CellOnHost) else reason
    return None


def _of_part(part: Cell | CellOnHost, limit_us: float, held: bool) -> str | None:
    medians = [window.latency_us_p50 for window in part.windows if window.latency_us_p50 is not None]
    tails = [window.latency_us_p99 for window in part.windows if window.latency_us_p99 is not None]
    if len(medians) < _WINDOWS_MIN:
        return None
    if held:
        return _rising(medians)
    return _broken(tails, limit_us)


def _rising(medians: Sequence[float]) -> str | None:
    third = len(medians) // 3
    before, after = median(medians[:third]), median(medians[-third:])
    if after < _RISE_MIN * before or mann_kendall_z(medians) < _TREND_Z:
        return None
    return f"the latency was still rising: its median went from {format_us(before)} to {format_us(after)} within the trial"


def _broken(tails: Sequence[float], limit_us: float) -> str | None:
    """A clean break: all windows before it within the limit, all after it far beyond, at least three on each side."""
    for cut in range(3, len(tails) - 2):
        before, after = tails[:cut], tails[cut:]
        if max(before) <= limit_us and min(after) > max(limit_us, _BREAK_FACTOR * max(before)):
            return f"it held for {cut} of {len(tails)} windows and then broke for good, as when burst credit runs out"
    return None
