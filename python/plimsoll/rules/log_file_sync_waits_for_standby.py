"""Commits wait for a standby.

What it finds:
    The log writer's waits for a synchronous standby account for half of `log file sync` or more.
Why it matters:
    The wait is part of the commit, but not of the local write of the log. A faster local log changes nothing.
What to do:
    Shorten the network path to the standby, make its log faster, or choose a protection mode that does not wait for it.
Evidence:
    Time for `SYNC Remote Write` and similar waits of the log writer, compared with `log file sync`.
Source:
    Oracle's manual on Data Guard redo transport: a commit in SYNC waits for the standby's acknowledgement.
"""

from __future__ import annotations

from dataclasses import replace

from plimsoll.rules._finders import of_commits
from plimsoll.rules._interval import Interval
from plimsoll.rules._rule import Found, Rule


def _find(interval: Interval) -> Found | None:
    waited = of_commits(interval, "replication")
    if waited is None:
        return None
    commits, found = waited
    return replace(found, reason=f"{found.reason}, {100 * commits.remote_share:.0f} % of it for the standby")


RULE = Rule(
    title="Commits wait for a standby",
    family="commits",
    advice="Shorten the way to the standby or choose a mode that does not wait for it; a faster local log changes nothing.",
    disproof="Commits stay slow while the standby is detached.",
    find=_find,
)
