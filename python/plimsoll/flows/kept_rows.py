"""What rows of counters gained between two snapshots of a series that a collector kept."""

from __future__ import annotations

from datetime import timedelta

from plimsoll.base import limits
from plimsoll.context import Context
from plimsoll.demand.deltas import Gap
from plimsoll.demand.gained_rows import Gained, ends, gained
from plimsoll.facts import KeptRowsKind, KeptSnapshot


def gained_between(
    ctx: Context, kind: KeptRowsKind, before: KeptSnapshot, after: KeptSnapshot
) -> Gained | Gap | None:
    """What each row of that kind gained, or why it is not known; None where no rows of that kind were kept with one of the two."""
    begin, end = before.snapshot.taken_at, after.snapshot.taken_at
    since = begin - timedelta(seconds=limits.ROWS_REACH_S)
    found = ends(ctx.store.kept_rows(after.series, kind, since, end), begin, end)
    return None if found is None else gained(before.snapshot, after.snapshot, *found)
