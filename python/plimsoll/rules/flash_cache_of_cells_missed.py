"""Cells of Exadata read from disk what their flash cache does not hold.

What it finds:
    On Exadata fewer than 80 % of read requests were answered from flash, while single-block reads take a tenth of DB time
    or more.
Why it matters:
    A cell answers from flash in a fraction of a millisecond, and from disk in several.
What to do:
    See what fills the flash cache: objects that are pinned in it, backups and scans. Then compare with an hour in which
    users do not complain.
Evidence:
    `physical read requests optimized` and `physical read total IO requests`; waits for `cell single block physical read`.
Source:
    Oracle's manual on the Exadata Smart Flash Cache and on these statistics.
"""

from __future__ import annotations

from plimsoll.rules._events import SINGLE
from plimsoll.rules._interval import Interval, cells_of, cells_of_waits, total_s
from plimsoll.rules._rule import Found, Rule

_OPTIMIZED_MIN = 0.8
_SHARE_MIN = 0.1


def _find(interval: Interval) -> Found | None:
    waits = interval.waits_of(SINGLE)
    share = interval.share(total_s(waits))
    optimized, every = (
        interval.statistic(name)
        for name in ("physical read requests optimized", "physical read total IO requests")
    )
    if optimized is None or every is None or not every.value or share is None or share < _SHARE_MIN:
        return None
    from_flash = optimized.value / every.value
    if from_flash >= _OPTIMIZED_MIN:
        return None
    answered = f"{100 * from_flash:.0f} % of read requests were answered from flash"
    reason = f"{answered}, and single-block reads are {100 * share:.0f} % of DB time"
    return Found(reason=reason, cells=cells_of(optimized, every) + cells_of_waits(waits[:1]))


RULE = Rule(
    title="Cells read from disk",
    family="reads",
    advice="See what fills the flash cache of the cells, and compare with an hour in which users do not complain.",
    disproof="The requests that missed are those of a backup or of scans.",
    find=_find,
    severity="hint",
    only_on=("exadata",),
)
