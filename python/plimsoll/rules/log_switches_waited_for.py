"""Sessions wait while the log is switched.

What it finds:
    Sessions wait for `log file switch completion`, or for private redo to be flushed at a switch, for 2 % of DB time or more.
Why it matters:
    Each switch closes one file and opens the next, with writes to the control files and the data file headers, while all
    sessions that change data stop. What counts is how often that happens, and where the control files are.
What to do:
    Make the redo logs larger, so that they switch less often; then look at the write time of the control files.
Evidence:
    Waits and time for `log file switch completion` and `log file switch (private strand flush incomplete)`.
Source:
    Oracle's reference of wait events; SolarWinds' page on log file switches.
"""

from __future__ import annotations

from plimsoll.rules._finders import of_waits
from plimsoll.rules._interval import Interval
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.02
_EVENTS = ("log file switch completion", "log file switch (private strand flush incomplete)")


def _find(interval: Interval) -> Found | None:
    waits = [interval.foreground[event] for event in _EVENTS if event in interval.foreground]
    return of_waits(interval, waits, _SHARE_MIN)


RULE = Rule(
    title="Sessions wait for log switches",
    family="log configuration",
    advice="Make the redo logs larger, so that they are switched less often, and look at writes of the control files.",
    disproof="Switches are rarer than one in twenty minutes, and each takes long: then it is the control files.",
    find=_find,
)
