"""Commits wait for the writes of the log.

What it finds:
    Sessions wait for `log file sync`, and one or two writes of the log account for half of that wait or more.
Why it matters:
    Here, and only here, a faster log device shortens commits.
What to do:
    Put the log on storage that acknowledges writes sooner, and keep other load off it.
Evidence:
    Waits and time for `log file sync` and `log file parallel write`.
Source:
    K. Closson, articles on LGWR (2006); 2 % of DB time agrees best with ADDM's own finding on 98 reports.
"""

from __future__ import annotations

from plimsoll.rules import _saving
from plimsoll.rules._commits import SHARE_MIN, SYNC, commits_of
from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule


def _find(interval: Interval) -> Found | None:
    commits = commits_of(interval)
    share = None if commits is None else interval.share(commits.sync.seconds)
    if (
        commits is None
        or share is None
        or share < SHARE_MIN
        or commits.cause != "I/O"
        or commits.write_us is None
    ):
        return None
    saved = _saving.of_commits(interval)
    return Found(
        reason=(
            f"sessions waited {commits.sync.seconds:,.0f} s for '{SYNC}', {100 * share:.1f} % of DB time, "
            f"{commits.sync.mean_us or 0.0:,.0f} µs each, and one write of the log took {commits.write_us:,.0f} µs"
        ),
        cells=commits.cells + cells_of(interval.db_time),
        db_time_s=commits.sync.seconds,
        storage_saves_s=None if saved is None else saved[0],
        storage_saves_s_max=None if saved is None else saved[1],
        events=(SYNC,),
        against=commits.against,
    )


RULE = Rule(
    title="Commits wait for writes of the log",
    family="commits",
    advice="Put the log on storage that acknowledges writes sooner, and measure it with `plimsoll io --rw log-write` before.",
    disproof="The histogram of 'log file parallel write' is far below the wait; commits stay slow with the log in memory.",
    find=_find,
)
