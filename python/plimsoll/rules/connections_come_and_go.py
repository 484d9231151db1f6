"""Connecting takes a good part of DB time.

What it finds:
    Connection management takes 5 % of DB time or more.
Why it matters:
    Sessions are created and ended for each piece of work.
What to do:
    Use a connection pool.
Evidence:
    `connection management call elapsed time` of the time model; logons.
Source:
    robert-guangzhou's review list.
"""

from __future__ import annotations

from plimsoll.rules._finders import time_spent
from plimsoll.rules._rule import Rule

_SHARE_MIN = 0.05
_STATISTIC = "connection management call elapsed time"

RULE = Rule(
    title="Sessions connect too often",
    family="parsing",
    advice="Keep connections in a pool.",
    disproof="It was a single reconnect storm after an outage.",
    find=time_spent(_STATISTIC, "connecting", _SHARE_MIN, "logons cumulative"),
)
