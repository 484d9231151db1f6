"""Sessions wait for buffers of one tablespace.

What it finds:
    Waits for buffers of one tablespace, their number × their mean time, take 5 % of DB time or more.
Why it matters:
    A buffer is busy while another session reads, changes or writes it. Long waits mean that reads or writes of these files
    are slow; many short ones that sessions contend for the same blocks.
What to do:
    Where one wait is as long as a read, look at the storage of these files; where it is shorter, at what sessions do to the same
    blocks.
Evidence:
    Buffer Waits and their average time in Tablespace IO Stats.
Source:
    M. Ault's walk through a report for Tier Zero (2012): many waits of 4 ms for buffers of one tablespace.
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.05
_VIEW = "tablespace_io"


def _find(interval: Interval) -> Found | None:
    seconds = {
        row["row"]: row["buffer_waits"] * row["avg_buffer_wait_us"] / 1e6
        for row in interval.rows(_VIEW)
        if row["buffer_waits"] and row["avg_buffer_wait_us"] and row["tablespace"]
    }
    most = max(interval.rows(_VIEW), key=lambda row: seconds.get(row["row"], 0.0), default=None)
    share = None if most is None else interval.share(seconds.get(most["row"]))
    if most is None or share is None or not _SHARE_MIN <= share <= 1.0:
        return None
    waits, each = (interval.number(_VIEW, most, column) for column in ("buffer_waits", "avg_buffer_wait_us"))
    told = f"{most['buffer_waits']:,.0f} waits of {most['avg_buffer_wait_us'] / 1000:,.1f} ms"
    reason = f"sessions waited for buffers of {most['tablespace']}: {told}, {100 * share:.0f} % of DB time"
    return Found(reason=reason, cells=cells_of(waits, each, interval.db_time))


RULE = Rule(
    title="Buffers of one tablespace are busy",
    family="reads",
    advice="Where a wait is as long as a read, look at the storage of these files; else at what meets at their blocks.",
    disproof="The waits are for one block that all change: then 'buffer busy waits' names it.",
    find=_find,
    severity="hint",
)
