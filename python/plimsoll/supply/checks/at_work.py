"""Whether I/Os ended all the time: a rate over a time in which nothing did is the mean of something and nothing.

A server that hangs for less than its timeout, a device that resets, a tool that was stopped: in a closed loop each hides in a few
latencies, for nothing else was begun meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from math import log

from plimsoll.base.limits import AT_WORK_FAR, AT_WORK_STILL_S
from plimsoll.base.units import format_seconds
from plimsoll.facts import Cell, Check, Target, Window
from plimsoll.supply.checks._cells import service
from plimsoll.supply.checks._kind import Passive

_NAME = "at_work"
_DUE_MIN = 10.0
"""At a rate so many must have been due meanwhile, and more the more windows there are: of all runs one in 20,000 has such a gap
by chance (e^-10)."""


def _judge(cell: Cell, target: Target) -> Check | None:
    p50_us = service(cell).p50
    if p50_us is None or len(cell.windows) < 2 or len(cell.groups) > 1 or cell.was_away:
        return None
    gaps = [gap for gap in _gaps(cell) if _is_still(cell, gap, p50_us)]
    still_s = sum(window.duration_s for gap in gaps for window in gap)
    figures = {"still_s": still_s}
    if not gaps:
        return Check(name=_NAME, passed=True, reason="I/Os ended all the time", figures=figures)
    longest = max(gaps, key=_length_s)
    of = f", the longest of {len(gaps)} such times" if len(gaps) > 1 else ""
    reason = (
        f"no I/O ended for {format_seconds(_length_s(longest))} from {longest[0].start_s:.2f} s on{of}: the storage or this machine"
        " stood still, and the rate is the mean of something and nothing"
    )
    return Check(name=_NAME, passed=False, reason=reason, figures=figures | {"longest_s": _length_s(longest)})


def _gaps(cell: Cell) -> Iterator[list[Window]]:
    for empty, windows in groupby(cell.windows, lambda window: not window.iops):
        if empty:
            yield list(windows)


def _length_s(gap: list[Window]) -> float:
    return sum(window.duration_s for window in gap)


def _is_still(cell: Cell, gap: list[Window], p50_us: float) -> bool:
    rate = cell.arrivals.rate_per_s
    due_min = _DUE_MIN + log(len(cell.windows))
    had_work = cell.arrivals.kind == "closed" or (rate is not None and rate * _length_s(gap) >= due_min)
    return had_work and _length_s(gap) >= max(AT_WORK_STILL_S, AT_WORK_FAR * p50_us / 1e6) + _thinking_s(cell)


def _thinking_s(cell: Cell) -> float:
    """For so long a client waits after an I/O before it begins the next, as was asked for."""
    return max((group.think_us for group in cell.groups), default=0.0) / 1e6


CHECK = Passive(
    title="I/Os ended all the time",
    help="Looks for windows in a row in which no I/O ended, for a second at least and ten times the median latency, beside the time"
    " that clients were to think; at a rate ten I/Os and more must have been due meanwhile. It fails then: the storage, the way to"
    " it or this machine stood still, and the rate is one that was never held. A time without a connection to an NFS server is the"
    " check `outage`.",
    judge=_judge,
    decides=True,
)
