"""One relation of PostgreSQL takes half of all reads.

What it finds:
    Reads take a tenth of DB time or more, and one table, index, TOAST table or materialised view of the watched database
    had half or more of all blocks that the server read.
Why it matters:
    What helps this one relation helps the server: an index, another plan, fewer old versions of rows, or its place on
    faster storage, of which so small a part of the database needs little.
What to do:
    Look at the statements that read it, and at how much of it they need; then think of its place, with `plimsoll place --database`.
Evidence:
    Rows that a collector keeps beside its snapshots: blocks of the relation that were not in shared_buffers, beside
    `blks_read` of pg_stat_database. Relations of other databases and what was not kept are in the whole, so that the share
    is a lower bound.
Source:
    PostgreSQL's manual on pg_statio_all_tables and pg_statio_all_indexes; a tenth as for other reads.
"""

from __future__ import annotations

from plimsoll.rules._events import READ_PARTS
from plimsoll.rules._interval import Interval, cells_of, cells_of_waits, total_s
from plimsoll.rules._kept_rows import most_of, relation_cell
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.5
_TIME_SHARE_MIN = 0.1
_COLUMN = "blks_read"


def _find(interval: Interval) -> Found | None:
    rows = None if interval.server is None else interval.server.rows
    read = interval.statistic("pg_stat_database.blks_read")
    if rows is None or rows.relations is None or read is None or not read.value:
        return None
    most = most_of(rows.relations.rows, _COLUMN)
    waits = interval.waits_of(*READ_PARTS)
    time_share = interval.share(total_s(waits)) or 0.0
    if most is None or time_share < _TIME_SHARE_MIN:
        return None
    share = min(1.0, (most.gains[_COLUMN] or 0.0) / read.value)
    if share < _SHARE_MIN:
        return None
    whose = "" if most.table_name is None else f" of {most.table_name}"
    of_reads = f"{100 * share:.0f} % or more of all blocks that the server read"
    return Found(
        reason=f"reads are {100 * time_share:.0f} % of DB time, and {most.name}{whose} had {of_reads}",
        cells=(relation_cell(most, _COLUMN), *cells_of(read), *cells_of_waits(waits)),
        events=tuple(wait.event for wait in waits),
    )


RULE = Rule(
    title="One relation takes most reads",
    family="reads",
    advice="Look at the statements that read this relation first, and at its place on storage: plimsoll place --database URL.",
    disproof="It was one load that does not come again.",
    find=_find,
    severity="hint",
    systems=("postgresql",),
)
