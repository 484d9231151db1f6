"""Sessions of PostgreSQL force data files to stable storage themselves.

What it finds:
    Client backends called fsync on data files.
Why it matters:
    A session hands that work to the checkpointer. It does it itself, and waits, only where the checkpointer's queue of
    requests is full. Off on Aurora, whose server writes no data files.
What to do:
    Raise shared_buffers, to which the length of the queue is in proportion: `ALTER SYSTEM SET shared_buffers`, then restart.
    Until then, put files that change on storage whose fsync is fast.
Evidence:
    `fsyncs` and `fsync_time` of client backends in pg_stat_io, object relation; before 16 `buffers_backend_fsync` of
    pg_stat_bgwriter.
Source:
    PostgreSQL's manual on pg_stat_io and pg_stat_bgwriter.
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_SESSIONS = "client backend"
_BEFORE_16 = "pg_stat_bgwriter.buffers_backend_fsync"


def _find(interval: Interval) -> Found | None:
    server = interval.server
    of_io = None if server is None else server.io_sum("fsyncs", _SESSIONS)
    count = interval.statistic(_BEFORE_16) if of_io is None else of_io
    if count is None or not count.value:
        return None
    reason = f"sessions called fsync on data files {count.value:,.0f} times"
    spent = None if server is None or not server.is_timed else server.io_sum("fsync_time_ms", _SESSIONS)
    if spent is None:
        return Found(reason=reason, cells=cells_of(count))
    return Found(
        reason=f"{reason}, and waited {spent.value / 1000:,.1f} s for it",
        cells=cells_of(count, spent),
        db_time_s=spent.value / 1000,
    )


RULE = Rule(
    title="Backends fsync data files themselves",
    family="writes",
    advice="Give shared_buffers more room, which makes the checkpointer's queue longer: ALTER SYSTEM SET shared_buffers, restart.",
    disproof="A single load made all of them.",
    find=_find,
    severity="hint",
    systems=("postgresql",),
    not_on=("aurora",),
)
