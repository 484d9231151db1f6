"""Sessions wait for reads of several blocks.

What it finds:
    Reads of several blocks into the buffer cache, those of full scans, take a tenth of DB time or more.
Why it matters:
    A scan reads what an index would not, and pushes other blocks out of the cache.
What to do:
    See which segments are scanned; give them an index or partitions, or keep small ones in the cache. Storage with more
    throughput shortens the rest.
Evidence:
    Waits and time for `db file scattered read`, and DB time.
Source:
    gtsproj's rule WAIT_002; M. Ault's articles on Tier Zero, step on wait events.
"""

from __future__ import annotations

from dataclasses import replace

from plimsoll.rules import _saving
from plimsoll.rules._events import MULTI
from plimsoll.rules._interval import Interval
from plimsoll.rules._rule import Found, Rule, of_waits

_SHARE_MIN = 0.10


def _find(interval: Interval) -> Found | None:
    waits = interval.waits_of(MULTI)
    found = of_waits(interval, waits, _SHARE_MIN, "")
    if found is None:
        return None
    doubts = tuple(doubt.message for doubt in interval.doubts if "large read" in doubt.message)
    return replace(found, storage_saves_s=_saving.of_reads(interval, waits), against=doubts)


RULE = Rule(
    title="Sessions wait for multi-block reads",
    family="reads",
    advice="See which segments are scanned, and whether an index would do; then measure storage for reads of this size.",
    disproof="The same statements with another plan read as much.",
    find=_find,
)
