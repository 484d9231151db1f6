"""Whether the storage stands still now and then: a few I/Os that take far longer than the others, and weigh in sum.

One write in 2,000 that takes 50 ms shows in no median and in no mean of a rate; the session that has to wait for it notices.
"""

from __future__ import annotations

from plimsoll.base.units import format_share
from plimsoll.facts import Cell, Check, LatencyUs, Target
from plimsoll.native.latency import buckets, ios_above
from plimsoll.supply.checks._cells import service
from plimsoll.supply.checks._kind import Passive
from plimsoll.supply.checks.outage import outage_words

_NAME = "stalls"
_IOS_MIN = 100
_FAR = 20.0
_FAR_US = 5_000.0
"""A stall takes so many times the median and at least so long: a queue's own tail stays below, as e^-14 of an exponential one."""
_RARE_SHARE_MAX = 0.01
_LONG_US = 1e6
"""Three of few I/Os may be what misses a cache, unless one took so long."""
_TIME_SHARE_MIN = 0.05
_STALLS_MIN = 3


def _judge(cell: Cell, target: Target) -> Check | None:
    if cell.was_away:
        figures = {
            "stalls": float(len(cell.outages)),
            "max_us": 1e6 * max(one.duration_s for one in cell.outages),
        }
        return Check(name=_NAME, passed=False, reason=outage_words(cell), figures=figures)
    spread = service(cell)
    if spread.hdr is None or spread.p50 is None or not spread.mean or spread.count < _IOS_MIN:
        return None
    limit_us = max(_FAR * spread.p50, _FAR_US)
    stalls = ios_above(spread, limit_us)
    share, time_share = stalls / spread.count, _time_above_us(spread, limit_us) / (spread.mean * spread.count)
    figures = {"stalls": stalls, "limit_us": limit_us, "ios_share": share, "time_share": time_share}
    are_rare = share <= _RARE_SHARE_MAX or (stalls <= _STALLS_MIN and (spread.max or 0.0) >= _LONG_US)
    if stalls < _STALLS_MIN or not are_rare or time_share < _TIME_SHARE_MIN:
        reason = f"{stalls:,.0f} I/Os took more than {limit_us / 1e3:,.1f} ms, {format_share(time_share)} of all time waited"
        return Check(name=_NAME, passed=True, reason=reason, figures=figures)
    worst_us = spread.max or limit_us
    hit = sum((window.latency_us_max or 0.0) > limit_us for window in cell.windows)
    figures |= {"windows_hit": float(hit), "max_us": worst_us, "every_s": cell.runtime_s / stalls}
    reason = (
        f"{stalls:,.0f} of {spread.count:,} I/Os took more than {limit_us / 1e3:,.1f} ms, the longest {worst_us / 1e3:,.0f} ms:"
        f" one in {1 / share:,.0f}, {format_share(time_share)} of all time waited, one each {cell.runtime_s / stalls:.3g} s,"
        f" in {hit} of {len(cell.windows)} windows"
    )
    return Check(name=_NAME, passed=False, reason=reason, figures=figures)


def _time_above_us(spread: LatencyUs, limit_us: float) -> float:
    """What the I/Os above the limit took together, from the middles of narrow steps."""
    assert spread.hdr is not None, "the caller has looked"
    steps = [step for step in buckets(spread.hdr, 50) if step.lower_us >= limit_us]
    return sum(step.ios * (step.lower_us + step.upper_us) / 2 for step in steps)


CHECK = Passive(
    title="the storage did not stand still",
    help="Counts I/Os that took 20 times the median and at least 5 ms. It fails where they are rare (one in a hundred)"
    " and yet make 5 % of all time waited, and says how many, how long, how often and in how many windows. It warns: a busy host"
    " stands still as well. A time without a connection to an NFS server is a stall too.",
    judge=_judge,
)
