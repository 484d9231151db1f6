"""`plimsoll store thin`: snapshots that a collector kept, thinned as they age."""

from __future__ import annotations

from datetime import datetime

from plimsoll.context import Context
from plimsoll.facts import SnapshotSeries, ThinnedSeries
from plimsoll.flows.kept_days import Ages, Thinner, planned
from plimsoll.flows.snapshots import kept_series
from plimsoll.flows.wanted import moment_before
from plimsoll.requests.store import ThinRequest

_STAGE = "thinning"


def thin(ctx: Context, asked: ThinRequest) -> list[ThinnedSeries]:
    """Each series that was named, or all. Raises UsageError `series-unknown`, `series-ambiguous`."""
    named = {kept_series(ctx, name) for name in asked.series}
    before = None if asked.keep_s is None else moment_before(ctx, asked.keep_s)
    wanted = [one for one in ctx.store.snapshot_series() if one.series in named or not named]
    ages = Ages(asked.hours_after_s, asked.days_after_s)
    return [(_planned if asked.dry_run else _thinned)(ctx, one, ages, before) for one in wanted]


def _planned(ctx: Context, one: SnapshotSeries, ages: Ages, before: datetime | None) -> ThinnedSeries:
    """What is to be forgotten is not thinned, too."""
    days = [day for day in planned(ctx, one.series, ages) if before is None or day.end > before]
    forgotten = 0 if before is None else _older(ctx, one.series, before)
    removed = sum(day.removed for day in days)
    return _told(one, days=len(days), removed=removed, forgotten=forgotten, size_bytes=None)


def _older(ctx: Context, series: str, before: datetime) -> int:
    return sum(kept.snapshot.taken_at < before for kept in ctx.store.snapshots(series, until=before))


def _thinned(ctx: Context, one: SnapshotSeries, ages: Ages, before: datetime | None) -> ThinnedSeries:
    """Days that are over are noted first, so that nothing is forgotten without a trace."""
    thinner, removed, days = Thinner(ctx, one.series, ages), 0, set[datetime]()
    while (day := thinner.step()) is not None:
        removed += day.removed
        days |= {day.begin} if day.removed else set()
        ctx.progress(_STAGE, f"{one.series}: {day.begin:%Y-%m-%d}, {removed:,} snapshots removed")
    forgotten = 0 if before is None else _older(ctx, one.series, before)
    ctx.store.forget_snapshots(one.series, before or one.first_at)
    left = [after for after in ctx.store.snapshot_series() if after.series == one.series]
    size_bytes = left[0].size_bytes if left else 0
    return _told(one, days=len(days), removed=removed, forgotten=forgotten, size_bytes=size_bytes)


def _told(
    one: SnapshotSeries, *, days: int, removed: int, forgotten: int, size_bytes: int | None
) -> ThinnedSeries:
    return ThinnedSeries(
        series=one.series,
        snapshots=one.snapshots,
        removed=removed,
        forgotten=forgotten,
        days=days,
        size_bytes_before=one.size_bytes,
        size_bytes=size_bytes,
    )
