"""Tables of PostgreSQL are read from end to end.

What it finds:
    Sequential scans that read a thousand rows or more each take a tenth of DB time or more.
Why it matters:
    Where a statement needs few of these rows, an index finds them in a handful of blocks. Faster storage or a larger cache
    does not come near that.
What to do:
    Find the statements that read the table, and their conditions; add the missing index, or the one that was dropped.
Evidence:
    `seq_scan` and `seq_tup_read` of pg_stat_all_tables. The seconds are an estimate: the table's share of all blocks that
    were requested (pg_statio_all_tables) × the time on CPUs and in reads.
Source:
    PostgreSQL's manual on the cumulative statistics views.
"""

from __future__ import annotations

from plimsoll.rules._events import CPU, SINGLE
from plimsoll.rules._interval import Interval, cells_of, cells_of_waits
from plimsoll.rules._rule import Found, Rule
from plimsoll.rules._tables import BLOCKS_VIEW, all_blocks, cell_of, heap_blocks, is_scanned, name_of

_SHARE_MIN = 0.1


def _find(interval: Interval) -> Found | None:
    scanned = sorted(filter(is_scanned, interval.tables), key=lambda one: -heap_blocks([one]))
    asked = all_blocks(interval)
    if not scanned or not asked or interval.db_cpu is None:
        return None
    share = heap_blocks(scanned) / asked
    spent_s = share * sum(interval.parts.get(part, 0.0) for part in (CPU, SINGLE))
    if (interval.share(spent_s) or 0.0) < _SHARE_MIN:
        return None
    worst, reads = scanned[0], interval.waits_of(SINGLE)
    rows = (worst.rows_scanned or 0) / worst.sequential_scans
    return Found(
        reason=f"{name_of(worst)} was read from end to end {worst.sequential_scans:,} times, {rows:,.0f} rows each time; "
        f"{100 * share:.0f} % of all blocks that were asked for are of such reading",
        cells=(
            cell_of(worst, "seq_scan", worst.sequential_scans),
            cell_of(worst, "seq_tup_read", worst.rows_scanned or 0),
            cell_of(worst, "heap blocks", heap_blocks([worst]), BLOCKS_VIEW),
            *cells_of(interval.db_cpu),
            *cells_of_waits(reads),
        ),
        db_time_s=spent_s,
        events=("CPU", *(wait.event for wait in reads)),
    )


RULE = Rule(
    title="Sequential scans read whole tables",
    family="reads",
    advice="Find the statements that read the table, and give them the index that they lack.",
    disproof="The statements need most of the rows, as reports do.",
    find=_find,
    systems=("postgresql",),
)
