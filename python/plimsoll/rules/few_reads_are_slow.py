"""Most reads are fast, and a few are very slow.

What it finds:
    In the histogram of single-block reads half or more are faster than 2 ms, and a tenth or more take 32 ms or longer.
Why it matters:
    The average describes neither group. A likely reason is a cache that answers most reads, while its misses wait for
    something that is overloaded.
What to do:
    Look at what is behind the cache: a RAID rebuild, a full queue, one slow file.
Evidence:
    Buckets of `db file sequential read` in the wait event histogram.
Source:
    C. Shallahamer on histograms of waits (2016): averages hide a tail of 10 % above 32 ms.
"""

from __future__ import annotations

from plimsoll.reports.figures.quantity import Quantity
from plimsoll.rules._events import ONE_BLOCK
from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_FAST_US, _FAST_SHARE = 2_000.0, 0.5
_SLOW_US, _SLOW_SHARE = 32_000.0, 0.1


def _find(interval: Interval) -> Found | None:
    fast: list[Quantity] = []
    slow: list[Quantity] = []
    for row in interval.rows("wait_histogram"):
        percent = (
            interval.number("wait_histogram", row, "percent")
            if (row["event"] or "").startswith(ONE_BLOCK)
            else None
        )
        if percent is None:
            continue
        if row["bucket_end_us"] is not None and row["bucket_end_us"] <= _FAST_US:
            fast.append(percent)
        elif row["bucket_begin_us"] is not None and row["bucket_begin_us"] >= _SLOW_US:
            slow.append(percent)
    fast_share, slow_share = (sum(one.value for one in some) / 100.0 for some in (fast, slow))
    if fast_share < _FAST_SHARE or not _SLOW_SHARE <= slow_share <= 1.0:
        return None
    reason = f"{100 * fast_share:.0f} % of single-block reads took less than 2 ms, and {100 * slow_share:.0f} % took 32 ms or more"
    return Found(reason=reason, cells=cells_of(*fast, *slow))


RULE = Rule(
    title="A few reads are very slow",
    family="reads",
    advice="Look at what lies behind the cache that answers most reads: a rebuild, a full queue, one slow file.",
    disproof="The slow reads are all of one short time, such as a backup.",
    find=_find,
    severity="hint",
)
