"""Reads come from the database's flash cache.

What it finds:
    Sessions wait for reads of the Database Smart Flash Cache for 5 % of DB time or more.
Why it matters:
    The cache is in use, and its reads replace reads of the storage. Where storage is as fast as the cache, it gains
    nothing.
What to do:
    Compare the latency of these reads with that of `db file sequential read`.
Evidence:
    Waits and time for events that begin with `db flash cache`.
Source:
    M. Ault's test of the flash cache (2012), where it made no difference in front of flash.
"""

from __future__ import annotations

from plimsoll.rules._finders import of_waits
from plimsoll.rules._interval import Interval
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.05


def _find(interval: Interval) -> Found | None:
    waits = [wait for event, wait in interval.foreground.items() if event.startswith("db flash cache")]
    return of_waits(interval, waits, _SHARE_MIN)


RULE = Rule(
    title="Reads come from the flash cache",
    family="reads",
    advice="Compare the latency of these reads with that of the storage; where they are alike, the cache gains nothing.",
    disproof="Without the cache reads take longer.",
    find=_find,
    severity="hint",
)
