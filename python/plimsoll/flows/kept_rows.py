"""What rows of counters gained between two snapshots of a series that a collector kept, and in a whole span."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from plimsoll.base import limits
from plimsoll.context import Context
from plimsoll.demand.apart import apart
from plimsoll.demand.deltas import Gap
from plimsoll.demand.gained_rows import (
    Gained,
    RowsState,
    empty_before,
    ends,
    gained,
    was_reset,
)
from plimsoll.demand.kept import Stretch
from plimsoll.demand.kept_sizes import sizes_about
from plimsoll.demand.server_rows import relations_of, seen_of, sizes_of, statements_of
from plimsoll.demand.summed_rows import SummedRows, names_of
from plimsoll.demand.wait_looks import seen_waits
from plimsoll.facts import KeptRows, KeptRowsKind, KeptSnapshot, RelationSizes, SeenWaits, ServerRows

_REACH = timedelta(seconds=limits.ROWS_REACH_S)
_RESET_TOGETHER: frozenset[KeptRowsKind] = frozenset({"statements"})
"""Kinds whose time of a reset is one of all rows, so that what they have gained since then is known."""
_NO_ROWS = "no rows were kept with a snapshot at its end"


def gained_between(
    ctx: Context, kind: KeptRowsKind, before: KeptSnapshot, after: KeptSnapshot
) -> Gained | Gap | None:
    """What each row of that kind gained, or why it is not known; None where no rows of that kind were kept with one of the two."""
    found = _ends(ctx, kind, before, after)
    if found is None:
        return None
    reason = apart(before, after)
    return gained(before.snapshot, after.snapshot, *found) if reason is None else Gap(reason)


def rows_of_span(ctx: Context, stretches: Sequence[Stretch]) -> ServerRows | None:
    """What was kept row by row in these stretches, which are in the order of time; None where nothing was."""
    if not stretches:
        return None
    statements, relations = (_summed(ctx, kind, stretches) for kind in ("statements", "relations"))
    first, last = stretches[0].first, stretches[-1].last
    found = ServerRows(
        waits=_waits(ctx, first, last),
        statements=None if statements is None else statements_of(statements),
        relations=None if relations is None else relations_of(relations),
        sizes=_sizes(ctx, first, last, relations),
    )
    return None if found == ServerRows() else found


def _summed(ctx: Context, kind: KeptRowsKind, stretches: Sequence[Stretch]) -> SummedRows | None:
    """None where no rows of that kind were kept."""
    sums, is_kept = SummedRows(), False
    chosen = sorted(stretches, key=lambda one: -one.duration_s)[: limits.STRETCHES_MAX]
    if len(chosen) < len(stretches):
        longest = (
            f"the {len(chosen):,} longest of {len(stretches):,} stretches between restarts and other gaps"
        )
        sums.miss(f"rows are read of {longest} alone")
    for stretch in sorted(chosen, key=lambda one: one.last.snapshot.taken_at):
        found = _ends(ctx, kind, stretch.first, stretch.last)
        if found is None:
            sums.miss(_NO_ROWS)
            continue
        is_kept = True
        sums.names = {**sums.names, **names_of(found[1])}
        _add(sums, stretch, *found)
    return sums if is_kept else None


def _add(sums: SummedRows, stretch: Stretch, first: RowsState, last: RowsState) -> None:
    found = gained(stretch.first.snapshot, stretch.last.snapshot, first, last)
    seconds = stretch.duration_s
    if isinstance(found, Gap):
        sums.miss(found.reason)
        reset_at = last.of.reset_at
        if last.of.kind not in _RESET_TOGETHER or reset_at is None or not was_reset(first.of, last.of):
            return
        seconds = min(seconds, (stretch.last.snapshot.taken_at - reset_at).total_seconds())
        found = gained(stretch.first.snapshot, stretch.last.snapshot, empty_before(last), last)
    if isinstance(found, Gained):
        sums.add(found, seconds)


def _waits(ctx: Context, first: KeptSnapshot, last: KeptSnapshot) -> SeenWaits | None:
    begin, end = first.snapshot.taken_at, last.snapshot.taken_at
    parts = [part for part in ctx.store.kept_rows(last.series, "waits", begin, end) if part.taken_at > begin]
    return seen_of(seen_waits(parts)) if parts else None


def _sizes(
    ctx: Context, first: KeptSnapshot, last: KeptSnapshot, relations: SummedRows | None
) -> RelationSizes | None:
    """None where none were kept, and where the one is another server than the other."""
    begin, end = first.snapshot.taken_at, last.snapshot.taken_at
    if first.snapshot.system_identifier != last.snapshot.system_identifier:
        return None
    # Of a long span its ends alone: within a day all relations were asked for, unless there are very many.
    windows = ((begin - _REACH, min(begin + _REACH, end)), (end - _REACH, end))
    firsts, lasts = sizes_about(_parts(ctx, last.series, "sizes", windows), begin)
    if not lasts:
        return None
    return sizes_of(firsts, lasts, {} if relations is None else relations.names)


def _ends(
    ctx: Context, kind: KeptRowsKind, before: KeptSnapshot, after: KeptSnapshot
) -> tuple[RowsState, RowsState] | None:
    begin, end = before.snapshot.taken_at, after.snapshot.taken_at
    windows = ((begin - _REACH, begin), (end - _REACH, end))
    return ends(_parts(ctx, after.series, kind, windows), begin, end)


def _parts(
    ctx: Context, series: str, kind: KeptRowsKind, windows: Sequence[tuple[datetime, datetime]]
) -> Iterator[KeptRows]:
    """The parts of these times, which begin and end one after the other: each part once, in the order of time."""
    read_until: datetime | None = None
    for since, until in windows:
        for part in ctx.store.kept_rows(
            series, kind, since if read_until is None else max(since, read_until), until
        ):
            if read_until is None or part.taken_at > read_until:
                yield part
        read_until = until if read_until is None else max(until, read_until)
