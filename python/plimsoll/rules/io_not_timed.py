"""PostgreSQL does not time its I/O.

What it finds:
    track_io_timing or track_wal_io_timing is off.
Why it matters:
    How long reads, writes and flushes of WAL take is unknown then, and nothing tells slow storage from much of it. Both are
    off by default, since reading the clock is slow on some hosts.
What to do:
    Measure the clock with `pg_test_timing`; where most readings take less than a microsecond, switch both on:
    `ALTER SYSTEM SET track_io_timing = on`, `ALTER SYSTEM SET track_wal_io_timing = on`, then `SELECT pg_reload_conf()`.
Evidence:
    The two settings.
Source:
    PostgreSQL's manual on run-time statistics, and on pg_test_timing.
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_TIMINGS = ("track_io_timing", "track_wal_io_timing")


def _find(interval: Interval) -> Found | None:
    server = interval.server
    if server is None:
        return None
    off = [name for name in _TIMINGS if server.settings.get(name) == "off"]
    if not off:
        return None
    commands = " ".join(f"ALTER SYSTEM SET {name} = on;" for name in off)
    return Found(
        reason=f"how long some I/O took is unknown: {' and '.join(off)} {'is' if len(off) == 1 else 'are'} off",
        cells=cells_of(*(server.setting(name) for name in off)),
        advice=f"Measure the clock with pg_test_timing, then: {commands} SELECT pg_reload_conf().",
    )


RULE = Rule(
    title="I/O is not timed",
    family="interval",
    advice="Measure the clock with pg_test_timing, then switch track_io_timing and track_wal_io_timing on.",
    disproof="Reading the clock takes more than a microsecond on this host.",
    find=_find,
    severity="hint",
    systems=("postgresql",),
)
