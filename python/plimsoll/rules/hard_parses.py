"""Statements are parsed anew too often.

What it finds:
    Hard parses take 5 % of DB time or more.
Why it matters:
    CPU and latches go into plans that are used once. Storage has no part in it.
What to do:
    Bind variables, or cursor_sharing; a shared pool that keeps what was parsed.
Evidence:
    `hard parse elapsed time` of the time model.
Source:
    Oravision's rules (5 % of DB time).
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.05
_STATISTIC = "hard parse elapsed time"


def _find(interval: Interval) -> Found | None:
    spent = interval.find("time_model", "statistic", _STATISTIC, "time_s")
    share = None if spent is None else interval.share(spent.value)
    if spent is None or share is None or share < _SHARE_MIN:
        return None
    return Found(
        reason=f"hard parses took {spent.value:,.0f} s, {100 * share:.1f} % of DB time",
        cells=cells_of(spent, interval.db_time),
        db_time_s=spent.value,
        events=(_STATISTIC,),
    )


RULE = Rule(
    title="Statements are parsed anew",
    family="parsing",
    advice="Use bind variables, and a shared pool that keeps what was parsed.",
    disproof="The statements are of a kind that runs once: a report, a load.",
    find=_find,
)
