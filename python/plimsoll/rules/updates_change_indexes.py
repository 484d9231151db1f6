"""Updates of PostgreSQL have to tell every index.

What it finds:
    Of a table's updates, a thousand or more, less than half were heap-only (HOT).
Why it matters:
    An update that changes no indexed column, and whose new row version fits into the same block, leaves all indexes alone
    (HOT). Any other adds an entry to every index: more WAL, more dirty blocks, more work for vacuum.
What to do:
    Leave room in the blocks (a fillfactor of 70 to 90), and drop indexes that no query uses on columns that change.
Evidence:
    `n_tup_hot_upd` and `n_tup_upd` of pg_stat_all_tables. There is no wait event for it, so that this is a hint.
Source:
    PostgreSQL's manual on heap-only tuples.
"""

from __future__ import annotations

from plimsoll.facts import RelationCounters
from plimsoll.rules._interval import Interval
from plimsoll.rules._rule import Found, Rule
from plimsoll.rules._tables import cell_of, name_of

_UPDATES_MIN = 1000
_HOT_SHARE_MAX = 0.5


def _find(interval: Interval) -> Found | None:
    found = [one for one in interval.tables if _is_cold(one)]
    if not found:
        return None
    worst = max(found, key=lambda one: one.rows_updated)
    hot = worst.rows_hot_updated or 0
    return Found(
        reason=f"of {worst.rows_updated:,} updates of {name_of(worst)} {hot:,} stayed within their block",
        cells=(
            cell_of(worst, "n_tup_upd", worst.rows_updated),
            cell_of(worst, "n_tup_hot_upd", hot),
        ),
    )


def _is_cold(table: RelationCounters) -> bool:
    hot = table.rows_hot_updated
    return (
        hot is not None and table.rows_updated >= _UPDATES_MIN and hot < _HOT_SHARE_MAX * table.rows_updated
    )


RULE = Rule(
    title="Updates are not HOT",
    family="writes",
    advice="Leave room in the blocks (fillfactor), and drop indexes on columns that change and that nobody asks for.",
    disproof="The table has no index, or the updates change what it is found by.",
    find=_find,
    severity="hint",
    systems=("postgresql",),
)
