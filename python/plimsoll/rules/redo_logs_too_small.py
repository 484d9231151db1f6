"""The log wraps before its checkpoint is done.

What it finds:
    Sessions wait for `log file switch (checkpoint incomplete)` for 2 % of DB time or more.
Why it matters:
    All sessions that change data stop until the checkpoint of the oldest log file is complete. It looks like slow storage,
    but usually the logs are too small.
What to do:
    Make the log files larger, or add more; only if that changes nothing, look at the database writers.
Evidence:
    Waits and time for that event; log switches per hour where they are printed.
Source:
    Oracle's tuning guide on this event; K. Closson's articles on DBWR, where it grew from 828 to 1,939 s.
"""

from __future__ import annotations

from plimsoll.rules._finders import waited_for
from plimsoll.rules._interval import Interval
from plimsoll.rules._rule import Rule

EVENT = "log file switch (checkpoint incomplete)"
_SHARE_MIN = 0.02
CAUSES_SHARE_MIN = 0.05
"""From here on what sessions wait for the writers is the fault of the log."""


def words_of(interval: Interval) -> str | None:
    """That the wait is a part of DB time that shows; None where it is not."""
    wait = interval.wait(EVENT)
    share = None if wait is None else interval.share(wait.seconds)
    if wait is None or share is None or share < CAUSES_SHARE_MIN:
        return None
    return f"sessions waited {wait.seconds:,.0f} s for '{EVENT}'"


RULE = Rule(
    title="Redo logs are too small",
    family="log configuration",
    advice="Make the redo logs larger or add groups, so that a checkpoint has time to finish before the log comes round.",
    disproof="Log switches are rarer than one in twenty minutes, or the wait stays with logs of twice the size.",
    find=waited_for(EVENT, _SHARE_MIN),
)
