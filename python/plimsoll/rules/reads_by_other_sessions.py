"""Sessions wait for a block that another session is reading.

What it finds:
    Waits for `read by other session` take 3 % of DB time or more.
Why it matters:
    Many sessions want the same blocks at the same time: usually one statement that scans, in many sessions.
What to do:
    Find the statement in SQL ordered by Reads, and the segment in Segments by Physical Reads.
Evidence:
    Waits and time for that event, and DB time.
Source:
    gtsproj's rule WAIT_015.
"""

from __future__ import annotations

from plimsoll.rules._events import SHARED
from plimsoll.rules._finders import part_waited_for
from plimsoll.rules._rule import Rule

_SHARE_MIN = 0.03

RULE = Rule(
    title="Sessions wait for the same blocks to be read",
    family="reads",
    advice="Find the statement that many sessions run at once, and cut its reads.",
    disproof="Each session reads blocks of its own.",
    find=part_waited_for(SHARED, _SHARE_MIN),
)
