"""Sessions of PostgreSQL wait for a synchronous standby.

What it finds:
    Active sessions wait for SyncRep for 2 % of DB time or more.
Why it matters:
    The local WAL is written already. A faster local disk changes nothing.
What to do:
    Shorten the network path to the standby, make its log faster, or ask for a weaker guarantee (synchronous_commit,
    synchronous_standby_names).
Evidence:
    Samples of pg_stat_activity (SyncRep).
Source:
    PostgreSQL's manual on synchronous replication.
"""

from __future__ import annotations

from plimsoll.rules._commits import SHARE_MIN, STANDBY
from plimsoll.rules._finders import waited_for
from plimsoll.rules._interval import WATCHED
from plimsoll.rules._rule import Rule

RULE = Rule(
    title="Sessions wait for a synchronous standby",
    family="commits",
    advice="Shorten the way to the standby, or ask for less of it; a faster local log changes nothing.",
    disproof="Commits stay slow with synchronous_standby_names empty.",
    find=waited_for(STANDBY, SHARE_MIN),
    systems=WATCHED,
)
