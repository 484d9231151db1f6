"""The buffer hit ratio is low.

What it finds:
    Fewer than 90 % of buffer gets are hits, while reads into the cache take a tenth of DB time or more.
Why it matters:
    A low hit ratio proves no cause, and a high one no health. It is a hint next to the waits.
What to do:
    See the buffer pool advisory, and the statements with most reads.
Evidence:
    Buffer Hit % of Instance Efficiency; waits for reads.
Source:
    OSPRep (95 %, 90 %); the oracle-l list (2006): a hit ratio is no measure of performance.
"""

from __future__ import annotations

from plimsoll.rules._events import MULTI, SINGLE
from plimsoll.rules._interval import Interval, cells_of, cells_of_waits, total_s
from plimsoll.rules._rule import Found, Rule

_HIT_PERCENT_MIN = 90.0
_SHARE_MIN = 0.1
_LABELS = ("Buffer Hit %", "Buffer  Hit   %", "Buffer Hit")


def _find(interval: Interval) -> Found | None:
    waits = interval.waits_of(SINGLE, MULTI)
    share = interval.share(total_s(waits))
    found = (interval.find("instance_efficiency", "statistic", label, "percent") for label in _LABELS)
    percent = next((one for one in found if one is not None), None)
    if percent is None or share is None or share < _SHARE_MIN or percent.value >= _HIT_PERCENT_MIN:
        return None
    reason = f"{percent.value:.1f} % of gets were found in the cache, and reads into it are {100 * share:.0f} % of DB time"
    return Found(reason=reason, cells=cells_of(percent) + cells_of_waits(waits[:1]))


RULE = Rule(
    title="The buffer hit ratio is low",
    family="cache",
    advice="See the advisory of the buffer pool, and the statements that read most.",
    disproof="The advisory gains nothing by a larger cache.",
    find=_find,
    severity="hint",
)
