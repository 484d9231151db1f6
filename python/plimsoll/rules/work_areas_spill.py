"""Sorts and hash joins spill to temporary files.

What it finds:
    Waits for temporary I/O take 5 % of DB time or more.
Why it matters:
    What does not fit into work areas is written to temporary space and read again. Where no sort went to disk, hash joins
    and temporary tables are the cause.
What to do:
    Raise pga_aggregate_target as far as its advisory shows a gain; tune the statements; put temporary files on the fastest
    storage.
Evidence:
    Waits and time for `direct path read temp` and `direct path write temp`; `sorts (disk)`.
Source:
    gtsproj's rule WAIT_004; M. Ault on temporary I/O without a sort on disk (2012).
"""

from __future__ import annotations

from dataclasses import replace

from plimsoll.rules import _saving
from plimsoll.rules._events import TEMP
from plimsoll.rules._finders import of_waits
from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.05


def _find(interval: Interval) -> Found | None:
    waits = interval.waits_of(TEMP)
    found = of_waits(interval, waits, _SHARE_MIN)
    if found is None:
        return None
    sorts = interval.statistic("sorts (disk)")
    none = sorts is not None and sorts.value == 0.0
    told = "; no sort went to disk, so these are hash joins and temporary tables" if none else ""
    saved = _saving.of_reads(interval, [wait for wait in waits if "read" in wait.event])
    return replace(
        found, reason=found.reason + told, cells=found.cells + cells_of(sorts), storage_saves_s=saved
    )


RULE = Rule(
    title="Sorts and hash joins spill",
    family="temporary I/O",
    advice="Raise pga_aggregate_target as far as its advisory gains by it, then put temporary files on the fastest storage.",
    disproof="The PGA advisory expects the same extra bytes at every size.",
    find=_find,
    systems=("oracle", "postgresql"),
)
