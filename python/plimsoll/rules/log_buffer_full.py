"""The log buffer is full.

What it finds:
    Sessions wait for `log buffer space` for 2 % of DB time or more.
Why it matters:
    Redo is generated faster than it is written.
What to do:
    Look at the write time of the log first: a slow log fills any buffer. Then make the log buffer larger.
Evidence:
    Waits and time for that event.
Source:
    OSPRep and Oravision on this event.
"""

from __future__ import annotations

from plimsoll.rules._finders import waited_for
from plimsoll.rules._rule import Rule

_SHARE_MIN = 0.02

RULE = Rule(
    title="The log buffer is full",
    family="log configuration",
    advice="Look at the log's write time first, then make log_buffer larger.",
    disproof="The buffer is doubled and the waits stay.",
    find=waited_for("log buffer space", _SHARE_MIN),
)
