"""The PGA target is too small.

What it finds:
    The PGA advisory expects over-allocations at the present target.
Why it matters:
    The database then takes more memory than its target, since it cannot do with less; work areas get what is left.
What to do:
    Raise pga_aggregate_target to the smallest size without over-allocations.
Evidence:
    PGA Memory Advisory: over-allocations at factor 1, and the smallest target without any.
Source:
    Oracle's manual on V$PGA_TARGET_ADVICE.
"""

from __future__ import annotations

from plimsoll.base.units import format_bytes
from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_VIEW = "pga_advisory"


def _find(interval: Interval) -> Found | None:
    rows = [
        row
        for row in interval.rows(_VIEW)
        if row["size_factor"] is not None and row["overallocations"] is not None
    ]
    now = next((row for row in rows if row["size_factor"] == 1.0), None)
    if now is None or not now["overallocations"]:
        return None
    enough = min(
        (row for row in rows if row["overallocations"] == 0 and row["target_bytes"] is not None),
        key=lambda row: row["size_factor"],
        default=None,
    )
    told = "" if enough is None else f"; {format_bytes(enough['target_bytes'])} would do without"
    least = None if enough is None else interval.number(_VIEW, enough, "target_bytes")
    counted = interval.number(_VIEW, now, "overallocations")
    reason = f"the advisory expects {now['overallocations']:,.0f} over-allocations at the target of now{told}"
    return Found(reason=reason, cells=cells_of(counted, least))


RULE = Rule(
    title="The PGA target is too small",
    family="temporary I/O",
    advice="Raise pga_aggregate_target to the smallest size without over-allocations.",
    disproof="PGA memory at its most stays below the target.",
    find=_find,
    severity="hint",
)
