"""Sessions wait for reads of single blocks.

What it finds:
    Single-block reads, through an index or by row id, take a tenth of DB time or more.
Why it matters:
    A session can do nothing else while it waits for the block. Lower read latency shortens these waits one for one.
What to do:
    Where the calculated saving is large, measure the storage that you consider. Where reads are fast already, read less.
Evidence:
    Waits and time for `db file sequential read` and its relatives, and DB time.
Source:
    Fast-track's and Burleson's cases on solid-state disks: 96.8 % of the time in these reads is a strong case, 11 % beside
    73 % CPU is none.
"""

from __future__ import annotations

from dataclasses import replace

from plimsoll.rules._events import SINGLE
from plimsoll.rules._finders import reads_waited_for
from plimsoll.rules._interval import WATCHED, Interval
from plimsoll.rules._rule import Found, Rule

_waited_for = reads_waited_for(SINGLE, 0.10, "small")


def _find(interval: Interval) -> Found | None:
    found = _waited_for(interval)
    mean = None if found is None else interval.waits_of(SINGLE)[0].mean_us
    if found is None or mean is None:
        return found
    return replace(found, reason=f"{found.reason}; one read took {mean:,.0f} µs")


RULE = Rule(
    title="Sessions wait for single-block reads",
    family="reads",
    advice="Measure the storage that is thought of and advise again with its latency; or cut the reads of what reads most.",
    disproof="IOStat or the histogram shows reads much faster than the average wait; or they vanish when a plan changes.",
    find=_find,
    systems=("oracle", *WATCHED),
)
