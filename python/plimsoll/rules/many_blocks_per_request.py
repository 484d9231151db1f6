"""A request is for many blocks: the database scans.

What it finds:
    A read request is for four blocks or more, on average.
Why it matters:
    Counts of blocks look like many I/Os, while the disks see a fraction of them. Throughput matters more than latency. Off
    on Exadata, whose cells filter what they read, so that blocks and requests cannot be compared.
What to do:
    Judge such storage by megabytes a second; look for full scans that should not be.
Evidence:
    `physical reads` and `physical read IO requests`.
Source:
    M. Ault's walk through a report for Tier Zero (2012), where 16 blocks went with one request; OSPRep's WR_TS_BLKRD.
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_BLOCKS_MIN = 4.0
_PER_SECOND_MIN = 10.0
"""Of fewer requests it does not matter."""


def _find(interval: Interval) -> Found | None:
    blocks, requests = interval.statistic("physical reads"), interval.statistic("physical read IO requests")
    if (
        blocks is None
        or requests is None
        or (interval.per_second("physical read IO requests") or 0.0) < _PER_SECOND_MIN
    ):
        return None
    each = blocks.value / requests.value
    if each < _BLOCKS_MIN:
        return None
    reason = f"{blocks.value:,.0f} blocks were read with {requests.value:,.0f} requests, {each:.1f} with each"
    return Found(reason=reason, cells=cells_of(blocks, requests))


RULE = Rule(
    title="Requests are for many blocks each",
    family="reads",
    advice="Judge storage by megabytes a second here, and look for scans that should not be.",
    disproof="The requests are prefetches of index range scans.",
    find=_find,
    severity="hint",
    not_on=("exadata",),
)
