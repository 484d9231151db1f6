"""Demand from snapshots that somebody else took, for example while a proof was driving the database."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import median

from plimsoll.base import limits
from plimsoll.demand import classes, intervals
from plimsoll.demand.counted import Counted
from plimsoll.demand.deltas import Delta
from plimsoll.demand.held_back import held_back, held_back_note
from plimsoll.facts import Database, Demand, DemandInterval, Snapshot


def demand_of_snapshots(
    database: Database, snapshots: Sequence[Snapshot], looks: Sequence[Snapshot] = ()
) -> Demand | None:
    """The demand between each two of them; None for fewer than two, and for a database whose snapshots are not sorted into classes.

    `looks` were taken in between, for what sessions were at; of their counters nothing is used, which come late in long statements.
    """
    pairs = list(itertools.pairwise(snapshots))
    if not pairs or not classes.is_sorted(database):
        return None
    made = [intervals.between(before, after, database) for before, after in pairs]
    found = [_looked_at(interval, looks) for interval, _ in made]
    known = [interval.duration_s for interval in found if interval.gap is None]
    held = held_back(found)
    counted = Counted()
    for _, delta in made:
        if isinstance(delta, Delta):
            counted.add(delta, database)
    return Demand(
        database=database,
        resolution_s=round(median(known), 3) if known else found[0].duration_s,
        intervals=tuple(found),
        peak=intervals.peak(found),
        mean=intervals.mean(found),
        held_back=held,
        counts=counted.totals,
        io=counted.io,
        notes=(*held_back_note(held), *classes.notes(database, 0.0)),
    )


def _looked_at(interval: DemandInterval, looks: Sequence[Snapshot]) -> DemandInterval:
    """With what sessions were at on average, where there were looks enough."""
    own = [look for look in looks if interval.begin_time < look.taken_at <= interval.end_time]
    if len(own) * limits.AT_WORK_S_MAX < interval.duration_s:
        return interval
    return interval.model_copy(update={"sessions_at_work": intervals.mean_at_work(own)})
