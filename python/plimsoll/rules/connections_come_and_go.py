"""Connecting takes a good part of DB time.

What it finds:
    Connection management takes 5 % of DB time or more.
Why it matters:
    Sessions are made and ended for each piece of work.
What to do:
    A pool of connections.
Evidence:
    `connection management call elapsed time` of the time model; logons.
Source:
    robert-guangzhou's review list.
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.05
_STATISTIC = "connection management call elapsed time"


def _find(interval: Interval) -> Found | None:
    spent = interval.find("time_model", "statistic", _STATISTIC, "time_s")
    share = None if spent is None else interval.share(spent.value)
    if spent is None or share is None or share < _SHARE_MIN:
        return None
    return Found(
        reason=f"connecting took {spent.value:,.0f} s, {100 * share:.1f} % of DB time",
        cells=cells_of(spent, interval.db_time, interval.statistic("logons cumulative")),
        db_time_s=spent.value,
        events=(_STATISTIC,),
    )


RULE = Rule(
    title="Connections come and go",
    family="parsing",
    advice="Keep connections in a pool.",
    disproof="A storm of connections after an outage, once.",
    find=_find,
)
