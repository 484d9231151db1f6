"""Commits wait for a standby.

What it finds:
    The log writer's waits for a synchronous standby account for half of `log file sync` or more.
Why it matters:
    The wait is in the commit and not in the local write of the log. A faster local log changes nothing.
What to do:
    Shorten the way to the standby, speed up its log, or choose a mode that does not wait for it.
Evidence:
    Time for `SYNC Remote Write` and its relatives beside `log file sync`.
Source:
    Oracle's manual on Data Guard redo transport: a commit in SYNC waits for the standby's acknowledgement.
"""

from __future__ import annotations

from plimsoll.rules._commits import SHARE_MIN, SYNC, commits_of
from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule


def _find(interval: Interval) -> Found | None:
    commits = commits_of(interval)
    share = None if commits is None else interval.share(commits.sync.seconds)
    if commits is None or share is None or share < SHARE_MIN or commits.cause != "replication":
        return None
    return Found(
        reason=(
            f"sessions waited {commits.sync.seconds:,.0f} s for '{SYNC}', {100 * share:.1f} % of DB time, "
            f"{100 * commits.remote_share:.0f} % of it for the standby"
        ),
        cells=commits.cells + cells_of(interval.db_time),
        db_time_s=commits.sync.seconds,
        events=(SYNC,),
        against=commits.against,
    )


RULE = Rule(
    title="Commits wait for a standby",
    family="commits",
    advice="Shorten the way to the standby or choose a mode that does not wait for it; a faster local log changes nothing.",
    disproof="Commits stay slow while the standby is detached.",
    find=_find,
)
