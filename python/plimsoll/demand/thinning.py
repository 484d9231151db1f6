"""Which snapshots of a day stay when it is thinned, and what becomes of the rest.

Counters are totals: without the snapshots between them two others tell the sum of all their intervals, exactly. So thinning only
removes, and never writes a counter. What a sum would hide stays at both ends: gaps, steps of clocks, changes of settings, times in
which no snapshot was taken, and the busiest intervals of the day.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from plimsoll.demand.apart import apart, seen_from
from plimsoll.demand.day_intervals import busiest, lines_of, moment_key
from plimsoll.demand.deltas import Gap, difference
from plimsoll.demand.points import seconds_of
from plimsoll.facts import KeptRows, KeptSnapshot


@dataclass
class Thinned:
    """What becomes of a day's snapshots, by when they were taken."""

    stay: set[datetime] = field(default_factory=set[datetime])
    gone: list[datetime] = field(default_factory=list[datetime])
    changed: list[KeptSnapshot] = field(default_factory=list[KeptSnapshot])
    """Those that stay, and say from now on how many that followed them are gone."""


def thinned(
    day: KeptRows, moments: Sequence[datetime], snapshots: Iterable[KeptSnapshot], step_s: float
) -> Thinned:
    """Of a day with these intervals. `moments` are those of which intervals are made; the last of them, and of `snapshots`, is the
    next day's first, and none of the day's.

    Each step keeps its first snapshot, and the day its last; those that no interval is made of go. A few snapshots are held at
    once.
    """
    ends = {moments[place] for place in _ends(day, moments, step_s)}
    counted = frozenset(moments)
    found = Thinned()
    run = _Run()
    for one in snapshots:
        if one.snapshot.taken_at not in counted:
            found.gone.append(one.snapshot.taken_at)
            continue
        run.add(one)
        if one.snapshot.taken_at in ends:
            run.close(found)
    return found


def _ends(day: KeptRows, moments: Sequence[datetime], step_s: float) -> set[int]:
    """The places of those that stay whatever lies between them."""
    places = {moment_key(moment): place for place, moment in enumerate(moments)}
    lines = list(lines_of(day))
    wanted = [*busiest(lines), *(one for one in lines if one.parted)]
    begins = {places[one.key] for one in wanted if one.key in places}
    last_of_day = max(0, len(moments) - 2)
    return {
        *_firsts(moments, step_s),
        last_of_day,
        len(moments) - 1,
        *begins,
        *(place + 1 for place in begins),
    }


def _firsts(moments: Sequence[datetime], step_s: float) -> Iterator[int]:
    before: float | None = None
    for place, moment in enumerate(moments):
        step = seconds_of(moment) // step_s
        if step != before:
            yield place
        before = step


class _Run:
    """From one that stays to the next."""

    def __init__(self) -> None:
        self._first: KeptSnapshot | None = None
        self._last: KeptSnapshot | None = None
        self._between: list[datetime] = []
        self._gone = 0

    def add(self, one: KeptSnapshot) -> None:
        if self._last is not None and self._last is not self._first:
            self._between.append(self._last.snapshot.taken_at)
            self._gone += 1 + self._last.removed_after
        self._first, self._last = self._first or one, one

    def close(self, found: Thinned) -> None:
        """The last one stays. What lies between goes where the difference of the two is that of all in between."""
        first, last = self._first, self._last
        assert first is not None, "one was added"
        assert last is not None, "one was added"
        if first is not last:
            found.stay.add(first.snapshot.taken_at)
        if self._between:
            self._take_out(found, first, last)
        self._first, self._last, self._between, self._gone = last, last, [], 0

    def _take_out(self, found: Thinned, first: KeptSnapshot, last: KeptSnapshot) -> None:
        if apart(first, last) or isinstance(difference(seen_from(first, last), last.snapshot), Gap):
            found.stay |= set(self._between)
            return
        found.gone += self._between
        found.changed.append(first.but(removed_after=first.removed_after + self._gone))
