"""What a larger buffer cache would take off the DB time, by the database's own advisory."""

from __future__ import annotations

from plimsoll.facts.advice import StorageWhatIf
from plimsoll.reports.figures.evidence import Row
from plimsoll.rules._events import MULTI, SHARED, SINGLE
from plimsoll.rules._interval import Interval, total_s

_FACTOR_MAX = 2.05
"""Of the cache of now: the advisory's rows end there."""
_VIEW = "buffer_pool_advisory"


def largest(interval: Interval) -> Row | None:
    """The advisory's row of the largest cache that it goes to."""
    rows = [
        row
        for row in interval.rows(_VIEW)
        if row["size_factor"] is not None
        and row["physical_read_factor"] is not None
        and row["size_factor"] <= _FACTOR_MAX
    ]
    return max(rows, key=lambda row: row["size_factor"], default=None)


def of_cache(interval: Interval) -> StorageWhatIf | None:
    """Reads into the cache in proportion to the advisory's physical reads; direct reads stay as they are."""
    row = largest(interval)
    if row is None or row["size_factor"] <= 1.0:
        return None
    waited_s = total_s(interval.waits_of(SINGLE, MULTI, SHARED))
    saved_s = waited_s * max(0.0, 1.0 - row["physical_read_factor"])
    share = interval.share(saved_s)
    if share is None:
        return None
    return StorageWhatIf(
        name=f"buffer cache × {row['size_factor']:.2g}",
        saves_s=saved_s,
        saves_s_max=saved_s,
        saves_share=share,
        source="Buffer Pool Advisory",
    )
