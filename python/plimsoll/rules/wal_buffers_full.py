"""The log buffer of PostgreSQL was full.

What it finds:
    Sessions had to write the log because its buffer was full.
Why it matters:
    They wait for a write in the middle of their work, not at its end.
    Off on Aurora, whose server writes no data files and has no log device of its own.
What to do:
    Raise wal_buffers; look at the log's write time first.
Evidence:
    `wal_buffers_full` of pg_stat_wal.
Source:
    PostgreSQL's manual on pg_stat_wal.
"""

from __future__ import annotations

from plimsoll.rules._finders import counted
from plimsoll.rules._rule import Rule

RULE = Rule(
    title="The log buffer was full",
    family="log configuration",
    advice="Look at the log's write time first, then raise wal_buffers.",
    disproof="A single load made all of them.",
    find=counted("pg_stat_wal.wal_buffers_full", "the log buffer was full {} times"),
    severity="hint",
    systems=("postgresql",),
    not_on=("aurora",),
)
