"""Whether I/Os ended all the time: a rate over a time in which nothing did is the mean of something and nothing.

A server that hangs for less than its timeout, a device that resets, a tool that was stopped: in a closed loop each hides in a few
latencies, for nothing else was begun meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from typing import NamedTuple

from plimsoll.base.limits import AT_WORK_FAR, AT_WORK_STILL_S
from plimsoll.base.units import format_seconds
from plimsoll.facts import Cell, Check, Target, Window
from plimsoll.supply.checks._cells import service
from plimsoll.supply.checks._kind import Passive

_NAME = "at_work"
_DUE_MIN = 10.0
"""At a rate so many must have been due meanwhile, and more the more there are in all: of all runs one in 20,000 has such a gap by
chance (e^-10)."""


class _Gap(NamedTuple):
    """A time in which no I/O ended, after the begin of the measured time."""

    from_s: float
    length_s: float


def _judge(cell: Cell, target: Target) -> Check | None:
    p50_us = service(cell).p50
    if p50_us is None or len(cell.windows) < 2 or len(cell.groups) > 1 or cell.was_away:
        return None
    gaps = [gap for gap in _gaps(cell.windows) if _is_still(cell, gap, p50_us)]
    figures = {"still_s": sum(gap.length_s for gap in gaps)}
    if not gaps:
        return Check(name=_NAME, passed=True, reason="I/Os ended all the time", figures=figures)
    longest = max(gaps, key=lambda gap: gap.length_s)
    of = f", the longest of {len(gaps)} such times" if len(gaps) > 1 else ""
    reason = (
        f"no I/O ended for {format_seconds(longest.length_s)} from {longest.from_s:.2f} s on{of}: the storage or this machine"
        " stood still, and the rate is the mean of something and nothing"
    )
    return Check(name=_NAME, passed=False, reason=reason, figures=figures | {"longest_s": longest.length_s})


def _gaps(windows: Sequence[Window]) -> Iterator[_Gap]:
    """Between the last I/O that ended in a window and the first in a later one. Within a window of a second nothing stands
    still for longer; where it is not known when they ended, windows without any are what is found.
    """
    last_s = windows[0].start_s
    for window in windows:
        if window.iops:
            first_s = window.start_s if window.first_end_s is None else window.first_end_s
            yield _Gap(last_s, first_s - last_s)
            last_s = _end_s(window) if window.last_end_s is None else window.last_end_s
    yield _Gap(last_s, _end_s(windows[-1]) - last_s)


def _end_s(window: Window) -> float:
    return window.start_s + window.duration_s


def _is_still(cell: Cell, gap: _Gap, p50_us: float) -> bool:
    rate = cell.arrivals.rate_per_s
    had_work = cell.arrivals.kind == "closed" or (rate is not None and _is_more_than_chance(cell, rate, gap))
    return had_work and gap.length_s >= max(AT_WORK_STILL_S, AT_WORK_FAR * p50_us / 1e6) + _thinking_s(cell)


def _is_more_than_chance(cell: Cell, rate: float, gap: _Gap) -> bool:
    lasted_s = _end_s(cell.windows[-1]) - cell.windows[0].start_s
    return rate * gap.length_s >= _DUE_MIN + log(max(1.0, rate * lasted_s))


def _thinking_s(cell: Cell) -> float:
    """For so long a client waits after an I/O before it begins the next, as was asked for."""
    return max((group.think_us for group in cell.groups), default=0.0) / 1e6


CHECK = Passive(
    title="I/Os ended all the time",
    help="Looks for times in which no I/O ended, for a second at least and ten times the median latency, beside the time"
    " that clients were to think; at a rate ten I/Os and more must have been due meanwhile. It fails then: the storage, the way to"
    " it or this machine stood still, and the rate is one that was never held. A time without a connection to an NFS server is the"
    " check `outage`.",
    judge=_judge,
    decides=True,
)
