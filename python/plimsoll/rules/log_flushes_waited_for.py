"""Sessions of PostgreSQL wait for the log to be written.

What it finds:
    Active sessions wait for a write or flush of WAL, their own or another session's, for 2 % of DB time or more.
Why it matters:
    A commit is done when its part of WAL is on stable storage. One flush serves all sessions that wait for it by then. Off
    on Aurora, whose server writes no data files and has no log device of its own.
What to do:
    Put pg_wal on storage that acknowledges writes sooner, or commit less often; use synchronous_commit=off where the last
    moments may be lost in a crash.
Evidence:
    Samples of pg_stat_activity (WALSync, WALWrite); the server's own time of a flush where track_wal_io_timing is on.
Source:
    PostgreSQL's manual on pg_stat_activity and WAL configuration; 2 % as for Oracle's commits.
"""

from __future__ import annotations

from dataclasses import replace

from plimsoll.rules._commits import FLUSH, FLUSH_TIME, SHARE_MIN
from plimsoll.rules._finders import waited_for, with_saving
from plimsoll.rules._interval import WATCHED, Interval
from plimsoll.rules._rule import Found, Rule

_waited_for = waited_for(FLUSH, SHARE_MIN)


def _find(interval: Interval) -> Found | None:
    found = _waited_for(interval)
    if found is None:
        return None
    timed = interval.behind(FLUSH_TIME)
    each_us = None if timed is None else timed.mean_us
    told = "" if each_us is None else f"; one write of the log took {each_us:,.0f} µs"
    return with_saving(interval, replace(found, reason=found.reason + told))


RULE = Rule(
    title="Sessions wait for log flushes",
    family="commits",
    advice="Put pg_wal on storage that acknowledges writes sooner, and measure it with `plimsoll io --rw log-write` before.",
    disproof="Commits stay slow with synchronous_commit=off.",
    find=_find,
    systems=WATCHED,
    not_on=("aurora",),
)
