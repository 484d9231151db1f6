"""The cache was still cold: the instance had just been started.

What it finds:
    The instance was started less than an hour before the interval began, and reads into the cache take a tenth of DB time or
    more.
Why it matters:
    After a start every block is read from storage once, however fast storage is. Such an interval is not typical of others.
What to do:
    Advise on an interval some hours after the start.
Evidence:
    The start time of the instance and of the interval, from the report's header; waits for reads.
Source:
    Successors of StatspackAnalyzer warn of it; M. Ault on objects that stay in memory after their first read.
"""

from __future__ import annotations

from plimsoll.rules._events import MULTI, SHARED, SINGLE
from plimsoll.rules._interval import Interval, cells_of, cells_of_waits, total_s
from plimsoll.rules._rule import Found, Rule

_UPTIME_S_MAX = 3600.0
_SHARE_MIN = 0.1


def words_of(interval: Interval) -> str | None:
    """That it is so; None where it is not, or is not known."""
    share = interval.share(total_s(interval.waits_of(SINGLE, MULTI, SHARED)))
    if interval.uptime_s is None or interval.uptime_s >= _UPTIME_S_MAX or share is None or share < _SHARE_MIN:
        return None
    return f"the instance had been up for {interval.uptime_s / 60:,.0f} minutes when the interval began: its cache was cold"


def _find(interval: Interval) -> Found | None:
    words = words_of(interval)
    waits = interval.waits_of(SINGLE, MULTI, SHARED)
    return (
        None
        if words is None
        else Found(reason=words, cells=cells_of_waits(waits[:1]) + cells_of(interval.db_time))
    )


RULE = Rule(
    title="The cache was cold",
    family="interval",
    advice="Advise on an interval some hours after the start.",
    disproof="The same reads are there some hours later.",
    find=_find,
)
