"""More requests reach the disks than they can answer.

What it finds:
    The mean rate of requests over the interval is more than 90 a second for each disk that was named with `--spindles`. Up
    to 150 it is a hint.
Why it matters:
    A disk answers 90 to 150 small requests a second. Beyond that they queue, and latency is mostly time in the queue. Off
    on Exadata, whose cells answer most requests from flash.
What to do:
    More disks, solid-state storage, or fewer requests.
Evidence:
    `physical read total IO requests` and `physical write total IO requests`.
Source:
    M. Ault's walk through a report for Tier Zero (2012): requests against 90 to 150 a second for each disk.
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_PER_DISK = (90.0, 150.0)


def _find(interval: Interval) -> Found | None:
    disks = interval.storage.spindles
    counts = [interval.statistic(f"physical {op} total IO requests") for op in ("read", "write")]
    known = [one for one in counts if one is not None]
    if disks is None or len(known) < len(counts) or not interval.elapsed_s:
        return None
    rate = sum(one.value for one in known) / interval.elapsed_s
    low, high = (disks * one for one in _PER_DISK)
    if rate < low:
        return None
    where = "more than" if rate > high else "within"
    reason = f"{rate:,.0f} requests a second, {where} the {low:,.0f} to {high:,.0f} of {disks:,} disks"
    return Found(reason=reason, cells=cells_of(*known), is_hint=rate <= high)


RULE = Rule(
    title="More requests than the disks can answer",
    family="reads",
    advice="More disks, storage without moving parts, or fewer requests.",
    disproof="A cache in the array answers most of them: reads take less than one revolution of a disk.",
    find=_find,
    not_on=("exadata",),
)
