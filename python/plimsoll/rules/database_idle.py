"""The database has next to nothing to do.

What it finds:
    Average active sessions are below 0.05 for each CPU, and below one.
Why it matters:
    So few waits say nothing about a bottleneck, and there is next to no time to save.
What to do:
    Advise on an interval in which users complain.
Evidence:
    DB time and elapsed time; the number of CPUs.
Source:
    Oravision's rules: below 0.05 average active sessions for each CPU there is nothing to tune.
"""

from __future__ import annotations

from plimsoll.rules._interval import WATCHED, Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_SESSIONS_PER_CPU = 0.05
_SESSIONS = 1.0
"""Where one session is always at work, somebody waits, however many CPUs there are."""


def is_idle(interval: Interval) -> bool:
    """Whether it is so; not where DB time or the length of the interval is unknown."""
    sessions = interval.sessions
    return sessions is not None and sessions < min(_SESSIONS, _SESSIONS_PER_CPU * (interval.cpus or 1.0))


def _find(interval: Interval) -> Found | None:
    sessions = interval.sessions
    if sessions is None or not is_idle(interval):
        return None
    cpus = (
        "at least one CPU"
        if interval.cpus is None
        else f"{interval.cpus:,.0f} CPU{'' if interval.cpus == 1 else 's'}"
    )
    return Found(
        reason=f"{sessions:.3f} average active sessions on {cpus}: the database is idle",
        cells=cells_of(interval.db_time),
        db_time_s=None if interval.db_time is None else interval.db_time.value,
    )


RULE = Rule(
    title="The database is idle",
    family="interval",
    advice="Advise on an interval in which users complain.",
    disproof="The interval holds a short burst: take shorter intervals.",
    find=_find,
    systems=("oracle", *WATCHED),
)
