"""`plimsoll store thin`: snapshots that a collector kept, thinned as they age."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from plimsoll.base.errors import ExitStatus, WorldError
from plimsoll.context import Context
from plimsoll.facts import Note, SnapshotSeries, ThinnedSeries
from plimsoll.flows.kept_days import Ages, Before, Thinner, by_clock, day_of, planned
from plimsoll.flows.kept_time import KeptTime
from plimsoll.flows.snapshots import kept_series
from plimsoll.requests.store import ThinRequest

_STAGE = "thinning"


@dataclass(frozen=True)
class Thinning:
    """What became of each series, and why some were not thinned."""

    series: list[ThinnedSeries]
    notes: tuple[Note, ...] = ()

    @property
    def status(self) -> ExitStatus:
        return ExitStatus.DONE_IN_PART if self.notes else ExitStatus.DONE


def thin(ctx: Context, asked: ThinRequest) -> Thinning:
    """Each series that was named, or all; one that holds what cannot be read stops no other.

    Raises UsageError `series-unknown`, `series-ambiguous`.
    """
    named = {kept_series(ctx, name) for name in asked.series}
    done: list[ThinnedSeries] = []
    notes: list[Note] = []
    for one in ctx.store.snapshot_series():
        if named and one.series not in named:
            continue
        try:
            done.append(_one(ctx, one, asked))
        except WorldError as error:
            if error.id != "store-damaged":
                raise
            message = f"{one.series} is thinned no further than to what cannot be read: {error.message}"
            notes.append(Note(code="series-damaged", message=message))
    return Thinning(done, tuple(notes))


def _one(ctx: Context, one: SnapshotSeries, asked: ThinRequest) -> ThinnedSeries:
    """Nothing goes that is old by our clock alone, and that is said."""
    kept_time, of_clock = KeptTime(ctx, one.series, ctx.clock.now()), by_clock(ctx)

    def before(age_s: float) -> datetime:
        return min(of_clock(age_s), kept_time.before(age_s))

    for age_s in (asked.keep_s, asked.hours_after_s, asked.days_after_s):
        doubt = None if age_s is None else kept_time.doubt(age_s, of_clock(age_s))
        if doubt is not None:
            ctx.remark(_STAGE, doubt, warning=True)
            break
    ages = Ages(asked.hours_after_s, asked.days_after_s)
    forgotten = None if asked.keep_s is None else before(asked.keep_s)
    return (_planned if asked.dry_run else _thinned)(ctx, one, ages, before, forgotten)


def _planned(
    ctx: Context, one: SnapshotSeries, ages: Ages, before: Before, forgotten: datetime | None
) -> ThinnedSeries:
    """What is to be forgotten is not thinned, too. The last day is not over, and stays until it is noted."""
    forgotten = None if forgotten is None else min(forgotten, day_of(one.last_at))
    days = [day for day in planned(ctx, one.series, ages, before) if forgotten is None or day.end > forgotten]
    removed = sum(day.removed for day in days)
    gone = 0 if forgotten is None else _older(ctx, one.series, forgotten)
    return _told(one, days=len(days), removed=removed, forgotten=gone, size_bytes=None)


def _older(ctx: Context, series: str, before: datetime) -> int:
    return sum(kept.snapshot.taken_at < before for kept in ctx.store.snapshots(series, until=before))


def _thinned(
    ctx: Context, one: SnapshotSeries, ages: Ages, before: Before, forgotten: datetime | None
) -> ThinnedSeries:
    """Days that are over are noted first, so that nothing is forgotten without a trace."""
    thinner, removed, days = Thinner(ctx, one.series, ages, before), 0, set[datetime]()
    while (day := thinner.step()) is not None:
        removed += day.removed
        days |= {day.begin} if day.removed else set()
        ctx.progress(_STAGE, f"{one.series}: {day.begin:%Y-%m-%d}, {removed:,} snapshots removed")
    ctx.cancel.check()  # what was thinned stays so, and the next one goes on
    if forgotten is not None:
        forgotten = min(forgotten, thinner.noted_until or forgotten)
    gone = 0 if forgotten is None else _older(ctx, one.series, forgotten)
    ctx.store.forget_snapshots(one.series, forgotten or one.first_at)
    left = [after for after in ctx.store.snapshot_series() if after.series == one.series]
    size_bytes = left[0].size_bytes if left else 0
    return _told(one, days=len(days), removed=removed, forgotten=gone, size_bytes=size_bytes)


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
