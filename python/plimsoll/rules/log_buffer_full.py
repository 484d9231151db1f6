"""The log buffer is full.

What it finds:
    Sessions wait for `log buffer space` for 1 % of DB time or more.
Why it matters:
    Redo is made faster than it is written.
What to do:
    Look at the log's write time first: a slow log fills any buffer. Then make the buffer larger.
Evidence:
    Waits and time for that event.
Source:
    OSPRep and Oravision on this event.
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval
from plimsoll.rules._rule import Found, Rule, of_waits

_SHARE_MIN = 0.01


def _find(interval: Interval) -> Found | None:
    return of_waits(
        interval,
        [wait for event, wait in interval.foreground.items() if event == "log buffer space"],
        _SHARE_MIN,
        "",
    )


RULE = Rule(
    title="The log buffer is full",
    family="log configuration",
    advice="Look at the log's write time first, then make log_buffer larger.",
    disproof="The buffer is doubled and the waits stay.",
    find=_find,
)
