"""Commits wait for anything but the writes of the log.

What it finds:
    Sessions wait for `log file sync`, and writes of the log account for less than half of that wait, even at two writes for
    each commit.
Why it matters:
    A faster log device changes little. Likely reasons: the log writer waits for a CPU, it wakes many sessions after each
    write, or these sessions wait for a CPU themselves.
What to do:
    Look at the run queue, raise the log writer's priority, commit less often, run fewer sessions at once.
Evidence:
    Waits and time for `log file sync` and `log file parallel write`; where a report prints only the top waits and the log's
    write is not among them, the last of these, which it cannot exceed.
Source:
    K. Closson, articles on LGWR (2006); N. Savinov on log writers that lack CPU.
"""

from __future__ import annotations

from dataclasses import replace

from plimsoll.rules._commits import Commits, cells_of_missing
from plimsoll.rules._finders import of_commits, with_saving
from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule


def _find(interval: Interval) -> Found | None:
    waited = of_commits(interval, "scheduling", "group commit", "mostly not I/O")
    if waited is None:
        return None
    commits, found = waited
    most = f"at most {100 * (commits.io_share or 0.0):.0f} % of the wait is I/O"
    return with_saving(
        interval,
        replace(
            found,
            reason=f"{found.reason}; {_write(interval, commits)}, so that {most}",
            cells=found.cells + cells_of_missing(interval) + cells_of(interval.busy),
        ),
    )


def _write(interval: Interval, commits: Commits) -> str:
    if commits.write_us is None and interval.least_printed is not None:
        return f"the log's writes are not among the first waits, the last of which is {interval.least_printed.value:,.0f} s"
    each = "" if commits.sync.mean_us is None else f" of {commits.sync.mean_us:,.0f} µs for a commit"
    group = "" if commits.group_size is None else f", for {commits.group_size:.1f} commits"
    return f"one write of the log took {commits.write_us or 0.0:,.0f} µs{each}{group}"


RULE = Rule(
    title="Commits wait, and mostly not for the log device",
    family="commits",
    advice="Look at the run queue and the log writer's priority; commit less often; a faster log device changes little.",
    disproof="Commits become fast with the log on faster storage and nothing else changed.",
    find=_find,
)
