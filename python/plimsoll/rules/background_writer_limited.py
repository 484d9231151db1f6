"""The background writer of PostgreSQL may not write as much as it would.

What it finds:
    It broke off 1 % of its rounds or more since it had written bgwriter_lru_maxpages pages.
Why it matters:
    Pages that it leaves are written by sessions, which wait for them, or by the next checkpoint. Off on Aurora, whose server
    writes no data files.
What to do:
    Raise bgwriter_lru_maxpages: `ALTER SYSTEM SET bgwriter_lru_maxpages`, then `SELECT pg_reload_conf()`.
Evidence:
    `maxwritten_clean` of pg_stat_bgwriter, beside the time ÷ bgwriter_delay, which is the most rounds that there can be.
Source:
    PostgreSQL's manual on the background writer, and on pg_stat_bgwriter.
"""

from __future__ import annotations

from plimsoll.databases import setting_seconds
from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.01


def _find(interval: Interval) -> Found | None:
    server, stopped = interval.server, interval.statistic("pg_stat_bgwriter.maxwritten_clean")
    delay_s = None if server is None else setting_seconds(server.settings.get("bgwriter_delay"))
    if server is None or stopped is None or not delay_s:
        return None
    rounds = server.counted_s / delay_s
    if stopped.value < _SHARE_MIN * rounds or not stopped.value:
        return None
    pages, delay = server.setting("bgwriter_lru_maxpages"), server.setting("bgwriter_delay")
    return Found(
        reason=f"the background writer broke off {stopped.value:,.0f} of at most {rounds:,.0f} rounds at bgwriter_lru_maxpages",
        cells=cells_of(stopped, pages, delay),
    )


RULE = Rule(
    title="The background writer is held back",
    family="writes",
    advice="Raise bgwriter_lru_maxpages: ALTER SYSTEM SET bgwriter_lru_maxpages = 1000; SELECT pg_reload_conf().",
    disproof="Sessions write next to no pages themselves.",
    find=_find,
    severity="hint",
    systems=("postgresql",),
    not_on=("aurora",),
)
