"""The log buffer of PostgreSQL was full.

What it finds:
    Sessions had to write WAL because its buffers were full.
Why it matters:
    They wait for a write in the middle of a transaction, not only at commit. Off on Aurora, whose server writes no data
    files and has no log device of its own.
What to do:
    Look at the write time of WAL first, then raise wal_buffers: `ALTER SYSTEM SET wal_buffers`, then restart the server.
Evidence:
    `wal_buffers_full` of pg_stat_wal as a share of all writes of WAL. The same share of the waits for WAL is taken as the
    cost, which is an estimate. It is a finding where that is 2 % of DB time or more.
Source:
    PostgreSQL's manual on pg_stat_wal, and on wal_buffers.
"""

from __future__ import annotations

from plimsoll.rules._commits import FLUSH, SHARE_MIN
from plimsoll.rules._interval import Interval, cells_of, cells_of_waits
from plimsoll.rules._rule import Found, Rule

_COUNT = "pg_stat_wal.wal_buffers_full"


def _find(interval: Interval) -> Found | None:
    full, writes, wait = interval.statistic(_COUNT), interval.log_writes, interval.wait(FLUSH)
    if full is None or not full.value:
        return None
    reason = f"the log buffer was full {full.value:,.0f} times"
    if writes is None or not writes.value or wait is None:
        return Found(reason=reason, cells=cells_of(full), is_hint=True)
    cost_s = wait.seconds * min(1.0, full.value / writes.value)
    return Found(
        reason=f"{reason}, beside {writes.value:,.0f} writes of it",
        cells=cells_of(full, writes) + cells_of_waits([wait]),
        db_time_s=cost_s,
        events=(FLUSH,),
        is_hint=(interval.share(cost_s) or 0.0) < SHARE_MIN,
    )


RULE = Rule(
    title="WAL buffers were full",
    family="log configuration",
    advice="Look at the log's write time first, then raise wal_buffers: ALTER SYSTEM SET wal_buffers = '64MB', and restart.",
    disproof="A single load made all of them.",
    find=_find,
    systems=("postgresql",),
    not_on=("aurora",),
)
