"""One tablespace carries most of the time of reads.

What it finds:
    Reads × mean read time of one tablespace are two thirds or more of those of all tablespaces.
Why it matters:
    By M. Ault's articles on Tier Zero, usually less than a tenth of the objects need the fastest storage; this is where to
    look for them. Off on Exadata, whose cells choose by themselves what is kept in flash.
What to do:
    Move this tablespace first; Segments by Physical Reads shows which of its objects.
Evidence:
    Reads and average read time of Tablespace IO.
Source:
    OSPRep; M. Ault on Tier Zero: place objects by waits and plans, not by importance.
"""

from __future__ import annotations

from plimsoll.reports.figures.quantity import Quantity
from plimsoll.rules._events import READ_PARTS
from plimsoll.rules._interval import Interval, cells_of, total_s
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.66
_SECONDS_MIN = 60.0
_APART_MAX = 10.0
"""Some releases print times of reads that are many times what all sessions waited: such a section says nothing."""
_VIEW = "tablespace_io"


def _find(interval: Interval) -> Found | None:
    rows = [
        row for row in interval.rows(_VIEW) if row["reads"] is not None and row["avg_read_us"] is not None
    ]
    seconds = {row["row"]: row["reads"] * row["avg_read_us"] / 1e6 for row in rows}
    every = sum(seconds.values())
    waited = total_s(interval.waits_of(*READ_PARTS))
    if len(rows) < 2 or every < _SECONDS_MIN or every > _APART_MAX * waited:
        return None
    most = max(rows, key=lambda row: seconds[row["row"]])
    share = seconds[most["row"]] / every
    if share < _SHARE_MIN:
        return None
    cells: tuple[Quantity | None, ...] = tuple(
        interval.number(_VIEW, most, column) for column in ("reads", "avg_read_us")
    )
    reason = f"{most['tablespace']} took {seconds[most['row']]:,.0f} s of the {every:,.0f} s of all reads, {100 * share:.0f} %"
    return Found(reason=reason, cells=cells_of(*cells))


RULE = Rule(
    title="One tablespace carries the reads",
    family="reads",
    advice="Where faster storage is to be had for a part of the database, begin with this tablespace.",
    disproof="Its reads come from one statement that can be made to read less.",
    find=_find,
    severity="hint",
    not_on=("exadata",),
)
