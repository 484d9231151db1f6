"""Reads are fast, and there are too many of them.

What it finds:
    Single-block reads take a quarter of DB time or more, although each takes less than half a millisecond.
Why it matters:
    Faster storage cannot do much more for them. What helps is to read less.
What to do:
    Begin with the statements that read most; compare their plans (plan hash value) with those of an interval in which they
    were fast.
Evidence:
    Waits and time for `db file sequential read`; the statements with most physical reads.
Source:
    OSPRep's advice on wait events; the review list of robert-guangzhou.
"""

from __future__ import annotations

from plimsoll.rules._events import ONE_BLOCK, SINGLE
from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule
from plimsoll.rules._statements import most_reads

_SHARE_MIN = 0.25
_FAST_US = 500.0


def _find(interval: Interval) -> Found | None:
    wait = next((one for one in interval.waits_of(SINGLE) if one.event.startswith(ONE_BLOCK)), None)
    share = None if wait is None else interval.share(wait.seconds)
    if (
        wait is None
        or share is None
        or share < _SHARE_MIN
        or wait.mean_us is None
        or wait.mean_us >= _FAST_US
    ):
        return None
    told, cells = most_reads(interval)
    return Found(
        reason=f"{100 * share:.0f} % of DB time is single-block reads of {wait.mean_us:,.0f} µs each{told}",
        cells=wait.cells + cells_of(interval.db_time) + cells,
        db_time_s=wait.seconds,
        events=(wait.event,),
        against=tuple(doubt.message for doubt in interval.doubts if "small read" in doubt.message),
    )


RULE = Rule(
    title="Reads are fast, but too many",
    family="reads",
    advice="Cut the reads: begin with the statements that read most, and compare their plans with those of a good interval.",
    disproof="The statements need these rows, and read each block once.",
    find=_find,
)
