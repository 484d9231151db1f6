"""One statement of PostgreSQL writes most temporary files.

What it finds:
    Temporary files make up 5 % or more of the bytes of reads of data files and of temporary files together, and one
    statement wrote half or more of the blocks of temporary files that statements wrote.
Why it matters:
    A sort, hash join or hash aggregate of it needs more than work_mem (× hash_mem_multiplier). work_mem need not be raised for
    all, which memory may not stand: this one statement decides.
What to do:
    Find its text by its number, look at its plan (`EXPLAIN (ANALYZE, BUFFERS)`), and raise work_mem for its role or its
    transaction alone.
Evidence:
    Rows that a collector keeps beside its snapshots: `temp_blks_written` of the statement and of all statements by
    pg_stat_statements. Not judged where some were forgotten or reset, as the sum is unknown then.
Source:
    PostgreSQL's manual on pg_stat_statements, work_mem and hash_mem_multiplier; 5 % as for all temporary files.
"""

from __future__ import annotations

from plimsoll.base.units import format_bytes
from plimsoll.facts import StatementGains
from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._kept_rows import most_of, statement_cell, totals_cell
from plimsoll.rules._rule import Found, Rule
from plimsoll.rules.temporary_files_written import SHARE_MIN as BYTES_SHARE_MIN

_SHARE_MIN = 0.5
_COLUMN = "temp_blks_written"


def _find(interval: Interval) -> Found | None:
    server, read = interval.server, interval.statistic("pg_stat_database.blks_read")
    rows = None if server is None or server.rows is None else server.rows.statements
    if server is None or rows is None or read is None:
        return None
    total, most = rows.totals.get(_COLUMN), most_of(rows.rows, _COLUMN)
    if most is None or not total or total < BYTES_SHARE_MIN * (total + read.value):
        return None
    share = (most.gains[_COLUMN] or 0.0) / total
    if share < _SHARE_MIN:
        return None
    written = format_bytes((most.gains[_COLUMN] or 0.0) * server.block_bytes)
    return Found(
        reason=f"statement {most.query_id} wrote {written} to temporary files, {100 * share:.0f} % of what all statements wrote",
        cells=(
            statement_cell(most, _COLUMN),
            totals_cell(rows.totals, _COLUMN),
            *cells_of(read, server.setting("work_mem"), server.setting("hash_mem_multiplier")),
        ),
        advice=_advice(most),
    )


def _advice(most: StatementGains) -> str:
    return (
        f"SELECT query FROM pg_stat_statements WHERE queryid = {most.query_id}; look at its plan, then raise work_mem for its role"
        " (ALTER ROLE … SET work_mem) or in its transaction (SET LOCAL)."
    )


RULE = Rule(
    title="One statement writes most temporary files",
    family="temporary I/O",
    advice="Find the text of the statement by its number, look at its plan, and raise work_mem for its role alone.",
    disproof="It is of work that nobody waits for, such as CREATE INDEX at night.",
    find=_find,
    severity="hint",
    systems=("postgresql",),
)
