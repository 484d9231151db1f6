"""Whether the storage took what was due to it in an open loop.

What was never submitted has no latency, so that a short run under a loose objective would not show it: after 20 ms nothing has
waited for a second, however far behind the storage is.
"""

from __future__ import annotations

from math import sqrt

from plimsoll.facts import Cell, CellOnHost

_BEHIND_SHARE_MAX = 0.1
"""Of what was due, so much may be missing at the end, beside what chance makes of a Poisson process."""
_BEHIND_DEVIATIONS = 5.0


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
    if cell.ended_early or taken >= (1 - _BEHIND_SHARE_MAX) * wanted - _BEHIND_DEVIATIONS * sqrt(wanted):
        return 0.0
    return wanted / max(1, taken)
