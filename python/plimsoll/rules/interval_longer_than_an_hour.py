"""The interval is longer than an hour.

What it finds:
    More than an hour lies between the two snapshots.
Why it matters:
    Averages hide peaks: half an hour in which nobody could work is a tenth of an interval of five hours.
What to do:
    Advise on intervals of 15 to 60 minutes around the time in question.
Evidence:
    Elapsed time and DB time.
Source:
    MOS 1359094.1 and the Statspack survival guide of Akadia.
"""

from __future__ import annotations

from plimsoll.rules._interval import WATCHED, Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_ELAPSED_S_MAX = 3600.0 * 1.1


def _find(interval: Interval) -> Found | None:
    if interval.elapsed_s is None or interval.elapsed_s <= _ELAPSED_S_MAX:
        return None
    reason = (
        f"{interval.elapsed_s / 3600:,.1f} hours lie between the snapshots: shorter peaks are averaged away"
    )
    return Found(reason=reason, cells=cells_of(interval.db_time))


RULE = Rule(
    title="The interval is longer than an hour",
    family="interval",
    advice="Advise on intervals of 15 to 60 minutes about the time in question.",
    disproof="The load is the same all the time.",
    find=_find,
    severity="hint",
    systems=("oracle", *WATCHED),
)
