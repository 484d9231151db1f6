"""Demand from snapshots that somebody else took, for example while a proof was driving the database."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import median

from plimsoll.demand import classes, intervals
from plimsoll.demand.held_back import held_back, held_back_note
from plimsoll.facts import Database, Demand, Snapshot


def demand_of_snapshots(database: Database, snapshots: Sequence[Snapshot]) -> Demand | None:
    """The demand between each two of them; None for fewer than two."""
    pairs = list(itertools.pairwise(snapshots))
    if not pairs:
        return None
    found = [intervals.between(before, after, database)[0] for before, after in pairs]
    known = [interval.duration_s for interval in found if interval.gap is None]
    held = held_back(found)
    return Demand(
        database=database,
        resolution_s=round(median(known), 3) if known else found[0].duration_s,
        intervals=tuple(found),
        peak=intervals.peak(found),
        mean=intervals.mean(found),
        held_back=held,
        notes=(*held_back_note(held), *classes.notes(database, 0.0)),
    )
