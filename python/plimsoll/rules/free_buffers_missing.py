"""Sessions wait until blocks are written.

What it finds:
    Sessions wait for `free buffer waits` or `write complete waits` for 2 % of DB time or more.
Why it matters:
    The database writers (DBWR) do not keep up: their writes are slow, or the cache is too small for what is read into it.
What to do:
    Check asynchronous I/O first; then the latency of writes; add database writers only once one uses a whole core; then a
    larger cache.
Evidence:
    Waits and time for these events; `db file parallel write`, for which no session waits.
Source:
    Quest's support notes and OSPRep; K. Closson on one writer until it is bound by CPU (2007).
"""

from __future__ import annotations

from dataclasses import replace

from plimsoll.rules._finders import of_waits
from plimsoll.rules._interval import Interval
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.02
_EVENTS = ("free buffer waits", "write complete waits")


def _find(interval: Interval) -> Found | None:
    waits = [interval.foreground[event] for event in _EVENTS if event in interval.foreground]
    found = of_waits(interval, waits, _SHARE_MIN)
    write = interval.behind("db file parallel write")
    if found is None or write is None or write.mean_us is None:
        return found
    told = f"; a batch of the writers took {write.mean_us:,.0f} µs"
    return replace(found, reason=found.reason + told, cells=found.cells + write.cells)


RULE = Rule(
    title="Sessions wait for the database writers",
    family="writes",
    advice="Check asynchronous I/O, then the latency of writes; more writers only once one fills a core.",
    disproof="The writers are idle while sessions wait.",
    find=_find,
)
