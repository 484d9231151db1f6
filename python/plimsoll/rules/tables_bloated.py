"""Reads of PostgreSQL fetch versions of rows that nobody needs.

What it finds:
    Reads of dead rows (old row versions), in tables with a fifth or more of them, take 5 % of DB time or more.
Why it matters:
    Each block that is read brings dead rows along, and they take up cache. A sequential scan reads less when the table
    shrinks.
What to do:
    Find what keeps vacuum from removing them: a long-running transaction, a replication slot, a threshold that is too high
    for the table. Space already lost comes back only by VACUUM FULL or a rebuild of the table.
Evidence:
    `n_dead_tup` and `n_live_tup` of pg_stat_all_tables. The seconds are an estimate: the share of dead rows × the table's
    share of all blocks read × the time in reads. Only where the table is read by sequential scans do its reads shrink in
    that proportion; else this is a hint. Free space that vacuum has left in the table is not seen.
Source:
    PostgreSQL's manual on routine vacuuming.
"""

from __future__ import annotations

from plimsoll.facts import RelationCounters
from plimsoll.rules._events import SINGLE
from plimsoll.rules._interval import Interval, cells_of_waits, total_s
from plimsoll.rules._rule import Found, Rule
from plimsoll.rules._tables import BLOCKS_VIEW, blocks_read, cell_of, is_scanned, name_of

_DEAD_SHARE_MIN = 0.2
_SHARE_MIN = 0.05
_ROWS_MIN = 1000


def _find(interval: Interval) -> Found | None:
    reads, all_read = interval.waits_of(SINGLE), blocks_read(interval)
    bloated = sorted(filter(_is_bloated, interval.tables), key=lambda one: -one.heap_blocks_read)
    if not bloated or not all_read:
        return None
    in_vain = sum(_dead_share(one) * one.heap_blocks_read for one in bloated) / all_read
    spent_s = in_vain * total_s(reads)
    if (interval.share(spent_s) or 0.0) < _SHARE_MIN:
        return None
    worst = bloated[0]
    return Found(
        reason=f"{100 * _dead_share(worst):.0f} % of the rows of {name_of(worst)} are old versions, and it makes up "
        f"{100 * worst.heap_blocks_read / all_read:.0f} % of the blocks that were read",
        cells=(
            cell_of(worst, "n_dead_tup", worst.rows_dead or 0),
            cell_of(worst, "n_live_tup", worst.rows_live or 0),
            cell_of(worst, "heap_blks_read", worst.heap_blocks_read, BLOCKS_VIEW),
            *cells_of_waits(reads),
        ),
        db_time_s=spent_s,
        events=tuple(wait.event for wait in reads),
        is_hint=not is_scanned(worst),
    )


def _is_bloated(table: RelationCounters) -> bool:
    rows = (table.rows_live or 0) + (table.rows_dead or 0)
    return rows >= _ROWS_MIN and _dead_share(table) >= _DEAD_SHARE_MIN


def _dead_share(table: RelationCounters) -> float:
    if table.rows_live is None or table.rows_dead is None:
        return 0.0
    return table.rows_dead / max(1, table.rows_live + table.rows_dead)


RULE = Rule(
    title="Reads fetch dead rows",
    family="reads",
    advice="Find what keeps vacuum from the table, then rebuild it once: VACUUM FULL does, and locks the table until it is done.",
    disproof="The table's file is no larger than its rows need.",
    find=_find,
    systems=("postgresql",),
)
