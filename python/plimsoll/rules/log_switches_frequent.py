"""The log switches too often.

What it finds:
    More than six log switches an hour.
Why it matters:
    Each switch starts a checkpoint, and can make sessions wait. Large enough logs switch about once in twenty minutes.
What to do:
    Make the redo logs larger.
Evidence:
    `log switches (derived)` in Instance Activity.
Source:
    OSPRep; the redo guide for Siebel (no more than five an hour at peak).
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_PER_HOUR_MAX = 6.0
_SWITCHES_MIN = 3.0
"""Of fewer a rate says nothing."""


def _find(interval: Interval) -> Found | None:
    for row in interval.rows("log_switches"):
        rate, count = (
            interval.number("log_switches", row, column) for column in ("switches_per_hour", "switches")
        )
        if rate is None or count is None or count.value < _SWITCHES_MIN or rate.value <= _PER_HOUR_MAX:
            continue
        return Found(reason=f"the log switched {rate.value:,.1f} times an hour", cells=cells_of(rate, count))
    return None


RULE = Rule(
    title="The log switches often",
    family="log configuration",
    advice="Make the redo logs larger: one switch in twenty minutes is enough.",
    disproof="archive_lag_target asks for them.",
    find=_find,
    severity="hint",
)
