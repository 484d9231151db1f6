"""Whether the server was there all the time: a rate over a time without a connection is the mean of something and nothing.

The I/Os that were under way then waited, and the latencies hold that; those that were never begun did not, so that no
distribution shows how long nothing was done.
"""

from __future__ import annotations

from plimsoll.base.units import format_rate, format_seconds
from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks._kind import Passive


def _judge(cell: Cell, target: Target) -> Check | None:
    if not cell.paths:
        return None
    figures = {"outages": float(len(cell.outages)), "outage_s": cell.outage_s}
    if not cell.was_away:
        reason = "there was a connection to the server all the time"
        reason = outage_words(cell) if cell.outages else reason
        return Check(name="outage", passed=True, reason=reason, figures=figures)
    return Check(name="outage", passed=False, reason=f"{outage_words(cell)}: {_rates(cell)}", figures=figures)


def outage_words(cell: Cell) -> str:
    """For how long there was no connection to the server, and from when on."""
    longest = max(cell.outages, key=lambda one: one.duration_s)
    away, since = format_seconds(longest.duration_s), format_seconds(longest.start_s)
    several = f", the longest of {len(cell.outages)} such times" if len(cell.outages) > 1 else ""
    part = "" if longest.share > 0.99 else f" for {100 * longest.share:.0f} % of the jobs"
    return f"there was no connection to the server{part} for {away} from {since} on{several}"


def _rates(cell: Cell) -> str:
    if not cell.lost_rate:
        return f"{format_rate(cell.iops)} I/Os per second over the whole time"
    rates = f"{format_rate(cell.held_iops)} I/Os per second while it was there"
    return f"{rates}, {format_rate(cell.iops)} over the whole time"


CHECK = Passive(
    title="the server was there all the time",
    help="Fails when there was no connection to an NFS server for more than 1 s or 2 % of the measured time, and says for how long;"
    " the headline is then the rate while there was one. A time in which nothing could be asked is in no latency but those of I/Os"
    " under way.",
    judge=_judge,
    decides=True,
)
