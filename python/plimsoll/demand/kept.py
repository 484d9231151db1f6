"""Demand from snapshots that a collector kept: over days and weeks, several runs of the collector, and restarts of the server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from plimsoll.base import limits
from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_seconds
from plimsoll.demand import classes, deltas, intervals
from plimsoll.demand.apart import PUT_BACK, PutBacks, apart, seen_from
from plimsoll.demand.counted import Counted
from plimsoll.demand.held_back import held_back, held_back_note
from plimsoll.demand.late import with_late_pairs
from plimsoll.demand.sieve import Sieve
from plimsoll.facts import Database, Demand, DemandInterval, KeptSnapshot, Note

_MISSED_FACTOR = 1.75
"""An interval so many times as long as the usual one has a snapshot missing in it."""
_STEP_S_MIN = 1.0
"""Of the server's clock: by less clocks are put right."""
_TIMINGS = ("track_io_timing", "track_wal_io_timing")


@dataclass(frozen=True)
class Stretch:
    """Some time without a gap: the snapshots at its ends, and the seconds between them."""

    first: KeptSnapshot
    last: KeptSnapshot
    duration_s: float


def demand_of_kept(series: Iterable[KeptSnapshot]) -> Demand | None:
    """The demand between each two neighbours, in the order of time; None for fewer than two. Each is looked at once, and let go.

    Raises UsageError `series-long`.
    """
    return demand_and_stretches(series)[0]


def demand_and_stretches(series: Iterable[KeptSnapshot]) -> tuple[Demand | None, tuple[Stretch, ...]]:
    """The same with the stretches that lie between its gaps. Raises as `demand_of_kept` does."""
    sieve = Sieve()
    gathered = _Gathered(sieve)
    for kept in sieve.taken(series):
        gathered.add(kept)
    return gathered.demand(), tuple(gathered.stretches)


class _Gathered:
    def __init__(self, sieve: Sieve) -> None:
        self._sieve = sieve
        self._put_backs = PutBacks()
        self._before: KeptSnapshot | None = None
        self._intervals: list[DemandInterval] = []
        self._added_up: list[bool] = []
        self._counted = Counted()
        self._temp_bytes = 0.0
        self._changes: list[Note] = []
        self._steps: list[tuple[DemandInterval, float]] = []
        self.stretches: list[Stretch] = []

    def add(self, kept: KeptSnapshot) -> None:
        before, self._before = self._before, kept
        reason = PUT_BACK if self._put_backs.is_next(kept) else None
        if before is None:
            return
        if len(self._intervals) >= limits.SERIES_INTERVALS_MAX:
            message = f"the series has more than {limits.SERIES_INTERVALS_MAX:,} intervals in that time"
            raise UsageError("series-long", message, "Name a shorter time with --since and --until.")
        made, delta, timed = between_kept(before, kept, reason)
        self._intervals.append(made)
        self._added_up += [before.removed_after > 0]
        self._changes += _changes(before, kept)
        if isinstance(delta, deltas.Delta):
            if abs(delta.clock_step_s or 0.0) >= _STEP_S_MIN:
                self._steps.append((made, delta.clock_step_s or 0.0))
            self._temp_bytes += classes.sorting(kept.database).temp_bytes(delta)
            self._counted.add(delta, timed)
            self._stretch(before, kept, delta.duration_s)

    def _stretch(self, before: KeptSnapshot, after: KeptSnapshot, duration_s: float) -> None:
        """Goes on with the last stretch, unless there is a gap behind it."""
        if self.stretches and self.stretches[-1].last is before:
            last = self.stretches.pop()
            before, duration_s = last.first, last.duration_s + duration_s
        self.stretches.append(Stretch(before, after, duration_s))

    def demand(self) -> Demand | None:
        last = self._before
        if last is None or not self._intervals:
            return None
        hands_in_late = classes.sorting(last.database).hands_in_late
        found = with_late_pairs(self._intervals) if hands_in_late else self._intervals
        usual_s = median([one.duration_s for one in found if one.gap is None] or [found[0].duration_s])
        held = held_back(found)
        return Demand(
            database=last.database,
            resolution_s=round(usual_s, 3),
            intervals=tuple(found),
            peak=intervals.peak(found),
            mean=intervals.mean(found),
            held_back=held,
            counts=self._counted.totals,
            io=self._counted.io,
            notes=(
                *held_back_note(held),
                *last.notes,
                *classes.notes(last.database, self._temp_bytes),
                *_gap_notes(found),
                *_thinned_notes(self._added_up),
                *_missed_notes(
                    [one for one, is_sum in zip(found, self._added_up, strict=True) if not is_sum]
                ),
                *self._sieve.notes(),
                *_step_notes(self._steps),
                *self._changes,
            ),
        )


def between_kept(
    before: KeptSnapshot, after: KeptSnapshot, reason: str | None = None
) -> tuple[DemandInterval, deltas.Delta | deltas.Gap, Database]:
    """What was asked for between the two, of what counters, and by which settings that is known.

    `reason` says why nothing is, where other snapshots tell so.
    """
    timed = _timed_throughout(before.database, after.database)
    reason = reason or apart(before, after)
    if reason is not None:
        return intervals.gap(seen_from(before, after), after.snapshot, reason), deltas.Gap(reason), timed
    return *intervals.between(seen_from(before, after), after.snapshot, timed), timed


def is_set_otherwise(before: Database, after: Database) -> bool:
    """Whether somebody set anything otherwise between the two, or the server is of another release."""
    of_before, of_after = (
        (one.settings, one.version, one.version_number, one.io_timing) for one in (before, after)
    )
    return of_before != of_after


def _timed_throughout(before: Database, after: Database) -> Database:
    """The later one, timing its I/O only where it did so at both ends: else some of its I/Os have no time."""
    on = {name for name in _TIMINGS if before.settings.get(name) == after.settings.get(name) == "on"}
    timings = {name: "on" if name in on else "off" for name in _TIMINGS if name in after.settings}
    io_timing = after.io_timing if before.io_timing == after.io_timing else False
    return after.model_copy(update={"io_timing": io_timing, "settings": {**after.settings, **timings}})


def _changes(before: KeptSnapshot, after: KeptSnapshot) -> Iterator[Note]:
    """What somebody set otherwise between the two; of a setting that one of them does not tell nobody knows."""
    olds, news = before.database.settings, after.database.settings
    when = after.snapshot.taken_at.isoformat(timespec="seconds")
    for name in sorted(olds.keys() & news.keys()):
        if olds[name] != news[name]:
            message = f"{name} was {olds[name]} and is {news[name]} at {when}"
            yield Note(code="settings-changed", message=message)
    if before.database.version != after.database.version:
        message = (
            f"the server's version was {before.database.version} and is {after.database.version} at {when}"
        )
        yield Note(code="settings-changed", message=message)


def _gap_notes(found: list[DemandInterval]) -> Iterator[Note]:
    for one in found:
        if one.gap is not None:
            message = f"a gap of {format_seconds(one.duration_s)} from {_when(one)}: {one.gap}"
            yield Note(code="gap", message=message)


def _step_notes(steps: list[tuple[DemandInterval, float]]) -> Iterator[Note]:
    """Where the server's clock was set, by the first time that it went back: with its machine its counters may have, too."""
    if not steps:
        return
    one, step_s = next((found for found in steps if found[1] < 0), steps[0])
    way = "back" if step_s < 0 else "forward"
    when = one.end_time.isoformat(timespec="seconds")
    message = f"the server's clock was set {way} by {format_seconds(abs(step_s))} before {when}"
    more = f", and {len(steps) - 1:,} times more" if len(steps) > 1 else ""
    doubt = (
        ": if its machine was put back to an earlier state, what it had counted went back too, and that interval is wrong"
        if step_s < 0
        else ""
    )
    yield Note(code="clock-step", message=f"{message}{more}; our own was used{doubt}")


def _thinned_notes(added_up: list[bool]) -> Iterator[Note]:
    count = sum(added_up)
    if count:
        message = (
            f"{count:,} of {len(added_up):,} intervals are sums of several, whose snapshots were removed as they aged; the busiest"
            " interval of each day is there by itself"
        )
        yield Note(code="snapshots-thinned", message=message)


def longer_than_usual(duration_s: Sequence[float]) -> list[bool]:
    """In which of these intervals a snapshot is missing."""
    usual_s = median(duration_s) if duration_s else 0.0
    return [one > usual_s * _MISSED_FACTOR for one in duration_s]


def _missed_notes(found: list[DemandInterval]) -> Iterator[Note]:
    """Times in which nobody took snapshots: what was counted is known of them, and not when."""
    known = [one for one in found if one.gap is None]
    missed = longer_than_usual([one.duration_s for one in known])
    for one, is_longer in zip(known, missed, strict=True):
        if is_longer:
            message = (
                f"no snapshot was taken for {format_seconds(one.duration_s)} from {_when(one)}: what was asked for then is known"
                " as an average over that time only"
            )
            yield Note(code="snapshots-missed", message=message)


def _when(one: DemandInterval) -> str:
    return one.begin_time.isoformat(timespec="seconds")
