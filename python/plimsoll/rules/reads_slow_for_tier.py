"""Reads are slow for what the data lies on.

What it finds:
    A single-block read takes at least four times as long as is usual for the storage that was named with `--storage`.
Why it matters:
    4 ms is good for a disk, and on NVMe a sign that something is wrong. One limit for all kinds of storage hides the
    second.
What to do:
    Look for a queue, a cache that is switched off, a lost path, or other load on the same device; measure the device by
    itself.
Evidence:
    Waits and time for `db file sequential read`.
Source:
    The usual latencies of storage as `plimsoll advise --storage` has them; OSPRep calls 20 ms slow, which is four times a
    disk's 5 ms.
"""

from __future__ import annotations

from plimsoll.predict.faster_storage import ABOVE_TIER_FACTOR
from plimsoll.rules import _saving
from plimsoll.rules._interval import Interval, Wait, cells_of
from plimsoll.rules._rule import Found, Rule

_EVENT = "db file sequential read"
_WAITS_MIN = 1000
"""The mean of fewer reads says nothing."""


def _find(interval: Interval) -> Found | None:
    wait, tier = interval.wait(_EVENT), interval.storage.now
    if wait is None or tier is None or not _is_counted(wait) or wait.mean_us is None:
        return None
    if wait.mean_us < ABOVE_TIER_FACTOR * tier.read_us:
        return None
    doubts = tuple(doubt.message for doubt in interval.doubts if "small read" in doubt.message)
    return Found(
        reason=f"one single-block read took {wait.mean_us:,.0f} µs, and {tier.name} needs {tier.read_us:,.0f} µs ({tier.source})",
        cells=wait.cells + cells_of(interval.db_time),
        db_time_s=wait.seconds,
        storage_saves_s=_saving.of_read(interval, wait),
        events=(wait.event,),
        against=doubts,
    )


def _is_counted(wait: Wait) -> bool:
    return wait.waits is not None and wait.waits.value >= _WAITS_MIN


RULE = Rule(
    title="Reads are slow for this storage",
    family="reads",
    advice="Look for a queue, a lost path or neighbours, and measure the device by itself with `plimsoll line`.",
    disproof="The device's own counters show reads as fast as they should be.",
    find=_find,
    not_on=("exadata",),
)
