"""The segments and the statements that read most.

What it finds:
    Reads take a tenth of DB time or more, and the report lists segments or statements by physical reads.
Why it matters:
    By M. Ault's articles on Tier Zero, usually less than a tenth of the objects need the fastest storage. Begin with the
    segments and statements that read most, for tuning as for faster storage. Where the listed segments cover less than half
    of all reads, the rest is spread over many, such as partitions, and statements say more.
What to do:
    Look at the plans of the statements, also compared with those of a good interval; then place the segments that they
    need.
Evidence:
    The first rows of Segments by Physical Reads, and of SQL ordered by Reads.
Source:
    M. Ault's walk through a report for Tier Zero (2012): segment statistics first, then the first five statements by reads.
"""

from __future__ import annotations

from plimsoll.facts import PrintedCell
from plimsoll.reports.figures.evidence import Row
from plimsoll.rules._events import READ_PARTS, TEMP
from plimsoll.rules._interval import Interval, cells_of, total_s
from plimsoll.rules._rule import Found, Rule
from plimsoll.rules._statements import most_reads

_SHARE_MIN = 0.1
_SEGMENTS_MAX = 3
_VIEW, _ORDER = "segments", "physical reads"
_COVERED_MIN = 50.0


def _find(interval: Interval) -> Found | None:
    share = interval.share(total_s(interval.waits_of(*READ_PARTS, TEMP)))
    if share is None or share < _SHARE_MIN:
        return None
    segments, cells = _segments(interval)
    statements, cells_of_statements = most_reads(interval)
    if not (segments or statements):
        return None
    reason = f"reads are {100 * share:.0f} % of DB time{segments}{statements}"
    return Found(reason=reason, cells=cells + cells_of_statements)


def _segments(interval: Interval) -> tuple[str, tuple[PrintedCell, ...]]:
    """The first few in words, and how much of all reads the list covers; empty where none is printed."""
    rows = [
        row
        for row in interval.rows(_VIEW)
        if row["ordered_by"] == _ORDER and row["total_percent"] is not None
    ]
    if not rows:
        return "", ()
    most = sorted(rows, key=lambda row: -row["total_percent"])[:_SEGMENTS_MAX]
    names = ", ".join(f"{_name(row)} ({row['total_percent']:.1f} %)" for row in most)
    covered = sum(row["total_percent"] for row in rows)
    rest = f"; the segments that are listed make {covered:.0f} % of all" if covered < _COVERED_MIN else ""
    return f"; most blocks come from {names}{rest}", cells_of(
        *(interval.number(_VIEW, row, "total_percent") for row in most)
    )


def _name(row: Row) -> str:
    parts = (row["owner"], row["object_name"], row["subobject_name"])
    return ".".join(part for part in parts if part) or "a segment without name"


RULE = Rule(
    title="What reads most",
    family="reads",
    advice="Begin with the plans of these statements, and with these segments where a part of the database is placed.",
    disproof="The list is of one load that does not come again.",
    find=_find,
    severity="hint",
)
