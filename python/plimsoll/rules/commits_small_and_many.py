"""Commits are small and many.

What it finds:
    More than 500 commits a second, or a commit or rollback for fewer than 30 user calls, while commits take 2 % of DB time
    or more.
Why it matters:
    Each commit waits for the log. Fewer and larger transactions wait less often.
What to do:
    Commit in batches where the application allows it; use array inserts.
Evidence:
    `user commits`, `user rollbacks` and `user calls`; `log file sync`.
Source:
    Oravision's rules (more than 500 commits a second); a common rule of 30 user calls for each commit.
"""

from __future__ import annotations

from plimsoll.rules._commits import SHARE_MIN, SYNC
from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_PER_SECOND_MIN = 500.0
_CALLS_MIN = 30.0


def _find(interval: Interval) -> Found | None:
    sync, commits = interval.wait(SYNC), interval.statistic("user commits")
    share = None if sync is None else interval.share(sync.seconds)
    rate = interval.per_second("user commits")
    if (
        sync is None
        or commits is None
        or share is None
        or share < SHARE_MIN
        or not commits.value
        or rate is None
    ):
        return None
    calls, backs = interval.statistic("user calls"), interval.statistic("user rollbacks")
    ends = commits.value + (0.0 if backs is None else backs.value)
    each = None if calls is None else calls.value / ends
    if rate < _PER_SECOND_MIN and (each is None or each >= _CALLS_MIN):
        return None
    told = "" if each is None else f", one for {each:.1f} calls of users"
    reason = f"{rate:,.0f} transactions commit each second{told}, and waiting for it is {100 * share:.1f} % of DB time"
    return Found(reason=reason, cells=sync.cells + cells_of(commits, calls, backs))


RULE = Rule(
    title="Commits are small and many",
    family="commits",
    advice="Commit in batches where the application allows it.",
    disproof="Each is a customer's own transaction.",
    find=_find,
    severity="hint",
)
