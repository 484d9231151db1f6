"""Whether the storage took what was due to it in an open loop.

What was never submitted has no latency, so that a short run under a loose objective would not show it: after 20 ms nothing has
waited for a second, however far behind the storage is.
"""

from __future__ import annotations

from math import sqrt
from statistics import median

from plimsoll.facts import Cell, CellOnHost

_BEHIND_SHARE_MAX = 0.1
"""Of what was due, so much may be missing at the end, beside what chance makes of a Poisson process."""
_BEHIND_DEVIATIONS = 5.0
_GROWN = 1.3
"""A queue that grows makes each I/O wait longer than the one before; a device that is slow but keeps up does not."""


def due(cell: Cell | CellOnHost, rate_per_s: float) -> float:
    """I/Os that were due in the measured time: those that were drawn, where they were counted."""
    return rate_per_s * cell.runtime_s if cell.offered_ios is None else float(cell.offered_ios)


def overload(cell: Cell | CellOnHost, rate_per_s: float) -> float:
    """I/Os that were due / those that the storage took: above 1 where more are missing than chance leaves out, else 0.

    Of several hosts, each of which was due an equal part, the one that is furthest behind.
    """
    if isinstance(cell, Cell) and cell.hosts:
        return max(overload(part, rate_per_s / len(cell.hosts)) for part in cell.hosts)
    wanted = due(cell, rate_per_s)
    taken = cell.ios + cell.errors
    return wanted / max(1, taken) if not cell.ended_early and is_short_of(taken, wanted) else 0.0


def is_short_of(taken: float, wanted: float) -> bool:
    """Whether more of them are missing than chance leaves out."""
    return taken < (1 - _BEHIND_SHARE_MAX) * wanted - _BEHIND_DEVIATIONS * sqrt(wanted)


def ended_late(cell: Cell, rate_per_s: float) -> bool:
    """Whether so many that were due ended after the measured time that the storage did not do them in it."""
    completed = cell.completed_ios
    return completed is not None and is_short_of(completed + cell.errors, due(cell, rate_per_s))


def queue_grew(cell: Cell) -> bool | None:
    """Whether what ended late in the measured time had waited longer than what ended early; None where too little did to tell."""
    medians = [window.latency_us_p50 for window in cell.windows if window.latency_us_p50 is not None]
    third = len(medians) // 3
    if not third:
        return None
    return median(medians[-third:]) > _GROWN * median(medians[:third])
