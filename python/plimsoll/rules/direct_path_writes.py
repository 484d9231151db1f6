"""Sessions wait for writes past the cache.

What it finds:
    Direct path writes take 5 % of DB time or more.
Why it matters:
    Loads and rebuilds bypass the cache, and their sessions wait for the writes.
What to do:
    Storage that acknowledges large writes sooner, or loads at another time.
Evidence:
    Waits and time for `direct path write`.
Source:
    gtsproj's rules on direct path events.
"""

from __future__ import annotations

from plimsoll.rules._finders import waited_for
from plimsoll.rules._rule import Rule

_SHARE_MIN = 0.05

RULE = Rule(
    title="Sessions wait for direct path writes",
    family="writes",
    advice="Measure storage for large writes, or load at another time.",
    disproof="The waits are for space in the file, not for its device.",
    find=waited_for("direct path write", _SHARE_MIN),
)
