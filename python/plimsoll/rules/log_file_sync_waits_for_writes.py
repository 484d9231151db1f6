"""Commits wait for the writes of the log.

What it finds:
    Sessions wait for `log file sync`, and two average writes of the log account for half of that wait or more. Where writes vary,
    as the wait event histogram shows, so does what is left of the write that a commit finds under way, and one write.
Why it matters:
    A faster log device shortens these commits. Where one write accounts for less than half of the wait, the range of what
    is saved shows how much is certain.
What to do:
    Put the log on storage that acknowledges writes sooner, and keep other load off it.
Evidence:
    Waits and time for `log file sync` and `log file parallel write`.
Source:
    K. Closson, articles on LGWR (2006). That it counts from 2 % of DB time on is our choice; how often ADDM names commits where it
    is found, and the reports in which it does not, are in docs/advise.md, Agreement with ADDM.
"""

from __future__ import annotations

from dataclasses import replace

from plimsoll.rules._commits import met_us
from plimsoll.rules._finders import of_commits, with_saving
from plimsoll.rules._interval import Interval
from plimsoll.rules._rule import Found, Rule


def _find(interval: Interval) -> Found | None:
    waited = of_commits(interval, "I/O")
    if waited is None:
        return None
    commits, found = waited
    write_us = commits.write_us
    if write_us is None:
        return None
    each = f"{commits.sync.mean_us or 0.0:,.0f} µs each, and one write of the log took {write_us:,.0f} µs"
    return with_saving(interval, replace(found, reason=f"{found.reason}, {each}{_met(interval, write_us)}"))


def _met(interval: Interval, write_us: float) -> str:
    """Where writes vary so much that what is left of one under way is longer than a whole one on average."""
    left_us = met_us(interval, write_us)
    return (
        ""
        if left_us <= write_us
        else f"; of one under way {left_us:,.0f} µs are left, since a few take very long"
    )


RULE = Rule(
    title="Commits wait for writes of the log",
    family="commits",
    advice="Put the log on storage that acknowledges writes sooner, and measure it with `plimsoll io --rw log-write` before.",
    disproof="The histogram of 'log file parallel write' is far below the wait; commits stay slow with the log in memory.",
    find=_find,
)
