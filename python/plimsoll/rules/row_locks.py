"""Sessions wait for each other's locks.

What it finds:
    Waits for locks take 2 % of DB time or more.
Why it matters:
    One session holds a lock that others want. Storage has no part in it, unless the holder waits for storage.
What to do:
    Find the holder and what it does between its change and its commit; index foreign keys where it is a table lock (`TM`).
Evidence:
    Waits and time for `enq: TX - row lock contention`, `enq: TM - contention` and their like.
Source:
    gtsproj's rules WAIT_007 to 013; OSPRep on enqueues.
"""

from __future__ import annotations

from plimsoll.rules._events import LOCKS
from plimsoll.rules._finders import part_waited_for
from plimsoll.rules._interval import WATCHED
from plimsoll.rules._rule import Rule

_SHARE_MIN = 0.02

RULE = Rule(
    title="Sessions wait for locks",
    family="contention",
    advice="Find what the holder does between its change and its commit.",
    disproof="The holder itself waits for commits or reads.",
    find=part_waited_for(LOCKS, _SHARE_MIN),
    systems=("oracle", *WATCHED),
)
