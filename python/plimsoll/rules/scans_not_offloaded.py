"""Scans on Exadata that cells do not take over.

What it finds:
    On Exadata multi-block reads into the buffer cache take a tenth of DB time or more, and more than smart scans.
Why it matters:
    A smart scan returns only the rows and columns that are wanted. These reads return every block.
What to do:
    See why the segments are read through the cache: they are small compared with it, or changed while they are read, or
    their plan has no full scan.
Evidence:
    Waits for `cell multiblock physical read` and `cell smart table scan`.
Source:
    Oracle's manual on offloading to Exadata's cells.
"""

from __future__ import annotations

from plimsoll.rules._events import DIRECT, MULTI
from plimsoll.rules._finders import part_waited_for
from plimsoll.rules._interval import Interval, total_s
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.10
_waited_for = part_waited_for(MULTI, _SHARE_MIN)


def _find(interval: Interval) -> Found | None:
    smart_s, through_cache_s = (total_s(interval.waits_of(part)) for part in (DIRECT, MULTI))
    return None if through_cache_s <= smart_s else _waited_for(interval)


RULE = Rule(
    title="Scans are not offloaded to the cells",
    family="reads",
    advice="See why these segments are read through the cache and not by smart scans.",
    disproof="The segments are small, and their statements take little time.",
    find=_find,
    severity="hint",
    only_on=("exadata",),
)
