"""The days of a series of kept snapshots: what each was asked for, and how thinning goes through them, oldest first.

Each day is changed in a transaction of its own, and in the same way whoever does it: what was killed is gone on with later, and
ends as if it had not been. A day is noted as it goes and anew when it is over, later thinned to hours, and at last to what a day
needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain, islice, takewhile
from typing import NamedTuple

from plimsoll.base import limits
from plimsoll.base.errors import WorldError
from plimsoll.context import Context, ThinnedDay
from plimsoll.demand.day_intervals import (
    COLUMNS,
    STEP,
    gone_on,
    intervals_of_day,
    lines_of,
    moment_key,
    running_until,
)
from plimsoll.demand.sieve import taken
from plimsoll.demand.thinned_rows import added_up, chained_anew, followed, newest_of_each_share
from plimsoll.demand.thinning import Thinned, thinned
from plimsoll.facts import KeptRows, KeptRowsKind, KeptSnapshot
from plimsoll.flows.wanted import moment_before

HOUR_S, DAY_S = 3_600.0, 86_400.0
_DAY = timedelta(days=1)
_TICK = timedelta(microseconds=1)
"""What the store's times are told to."""
_CHAINED: tuple[KeptRowsKind, ...] = ("slru", "statements", "relations", "host")
_ALL: frozenset[KeptRowsKind] = frozenset({*_CHAINED, "sizes", "waits", "intervals"})


Before = Callable[[float], datetime]
"""Before which moment snapshots are so many seconds old."""


class Ages(NamedTuple):
    """How old a day is when it is thinned to hours, and to a day."""

    hours_s: float = limits.THINNED_TO_HOURS_S
    days_s: float = limits.THINNED_TO_DAYS_S


class Stage(NamedTuple):
    """How far a day is thinned, and from which age on; 0: its intervals are noted, and nothing goes."""

    step_s: float
    age_s: float


def by_clock(ctx: Context) -> Before:
    """By our clock alone: `kept_time` holds it against the snapshots."""
    return lambda age_s: moment_before(ctx, age_s)


def stages(ages: Ages) -> tuple[Stage, ...]:
    """In the order in which a day passes through them."""
    return Stage(0.0, 0.0), Stage(HOUR_S, ages.hours_s), Stage(DAY_S, ages.days_s)


@dataclass(frozen=True)
class _Day:
    """A day of a series as it is kept."""

    ctx: Context
    series: str
    begin: datetime

    @property
    def end(self) -> datetime:
        return self.begin + _DAY

    def own(self) -> Iterator[KeptSnapshot]:
        """All that were taken in it."""
        return self.ctx.store.snapshots(self.series, self.begin, self.end - _TICK)

    def counted(self) -> Iterator[KeptSnapshot]:
        """Those of its own that intervals are made of, and the first such one after it."""
        for one in counted_since(self.ctx, self.series, self.begin):
            yield one
            if one.snapshot.taken_at >= self.end:
                return

    def holds(self, kept: KeptSnapshot) -> bool:
        """Whether it was taken in it."""
        return self.begin <= kept.snapshot.taken_at < self.end

    def moments(self) -> list[datetime]:
        """Of those that are counted."""
        return [one.snapshot.taken_at for one in self.counted()]

    def with_next(self, after: datetime) -> Iterator[KeptSnapshot]:
        """All of its own, and the one of that moment, with which its last interval ends."""
        return chain(self.own(), islice(self.ctx.store.snapshots(self.series, after), 1))

    def intervals(self) -> KeptRows | None:
        """What was noted of it when it was over; None: nothing yet."""
        noted = self.noted()
        return None if noted is None or _is_running(noted) else noted

    def noted(self) -> KeptRows | None:
        """The same, or what was noted of it so far. Raises WorldError `store-damaged`."""
        noted = next(self.ctx.store.kept_rows(self.series, "intervals", self.begin, self.begin), None)
        if noted is not None and noted.columns == COLUMNS and not _is_sound(noted):
            message = f"what was noted of {self.begin:%Y-%m-%d} of {self.series} is damaged"
            raise WorldError(
                "store-damaged", message, "Take the store from a copy, or collect into another one."
            )
        return noted

    def rows(self, kind: KeptRowsKind) -> Iterator[KeptRows]:
        return self.ctx.store.kept_rows(self.series, kind, self.begin, self.end - _TICK)

    def rows_before(self, kind: KeptRowsKind) -> Iterator[KeptRows]:
        """Those that the first of its own may follow."""
        first = next(self.rows(kind), None)
        if first is None or first.after is None:
            return iter(())
        return self.ctx.store.kept_rows(self.series, kind, self.begin - _DAY, self.begin - _TICK)

    def followed(self, kind: KeptRowsKind) -> set[datetime]:
        """Moments of its own that rows of the next day follow."""
        later = self.ctx.store.kept_rows(self.series, kind, self.end, self.end + _DAY)
        return {moment for moment in followed(later) if self.begin <= moment < self.end}


@dataclass(frozen=True)
class Changed:
    """A day that was changed, and how many of its snapshots are gone."""

    begin: datetime
    removed: int

    @property
    def end(self) -> datetime:
        """When the next one begins."""
        return self.begin + _DAY


class Thinner:
    """Goes through a series, day by day. It holds nothing that a new one would not find out."""

    def __init__(self, ctx: Context, series: str, ages: Ages, before: Before) -> None:
        """Days are as old as `before` says."""
        self._ctx = ctx
        self._series = series
        self._stages = stages(ages)
        self._before = before
        self._next: dict[Stage, datetime] = {}
        self._far: dict[datetime, float] | None = None
        self._again: datetime | None = None

    def look_again(self, moment: datetime) -> None:
        """A snapshot was taken at a moment of a day that may be noted already, since its clock shows that day again."""
        begin = day_of(moment)
        self._again = min(begin, self._again or begin)
        self._next = {stage: min(begin, before) for stage, before in self._next.items()}

    def step(self) -> Changed | None:
        """The next day that is due at any stage; None: none is, or somebody asked to end."""
        for stage in self._stages:
            changed = self._step(stage)
            if changed is not None:
                return changed
        return None

    @property
    def noted_until(self) -> datetime | None:
        """When the first day begins that is not noted; None where there is no snapshot."""
        return self._next.get(self._stages[0]) or first_day(self._ctx, self._series)

    def note_on(self, until: datetime) -> bool:
        """Notes the day that is not over, up to its last snapshot, of which this is the moment: so a trend reads few of them. Says
        whether it did: once an hour at most, since what is noted is written anew each time.
        """
        begin = self.noted_until
        if begin is None:
            return False
        day = _Day(self._ctx, self._series, begin)
        running = day.noted()
        if running is not None and (running.columns != COLUMNS or (running.figures[STEP] or 0.0) > 0):
            return (
                False  # another release noted it, or snapshots of it are gone that only these lines tell of
            )
        since = None if running is None else running_until(running)
        is_others = running is not None and (since is None or since > until)
        if is_others:  # it was noted when the clock showed this day for the first time
            running = since = None
        if (until - (since or begin)).total_seconds() < HOUR_S and not is_others:
            return False
        more = takewhile(day.holds, counted_since(self._ctx, self._series, since or begin))
        made = gone_on(running, begin, more)
        if made is None or running_until(made) == since:
            return False
        own = [one.snapshot.taken_at for one in day.own()]
        return self._ctx.store.thin_snapshots(_noted_day(day, own, made))

    def _step(self, stage: Stage) -> Changed | None:
        begin = self._next.get(stage) or first_day(self._ctx, self._series)
        while begin is not None and self._is_due(begin, stage) and not self._ctx.cancel.is_set:
            day = _Day(self._ctx, self._series, begin)
            moments = [] if (is_done := self._is_done(day, stage)) else day.moments()
            if not is_done and (not moments or moments[-1] < day.end):
                return None  # no snapshot was taken since: the day's last interval has no end yet
            if is_done or moments[0] >= day.end:
                self._next[stage] = begin = day.end if is_done else day_of(moments[0])
                continue
            try:
                removed = _change(day, moments, stage.step_s, again=self._is_again(day))
            except _ChangedMeanwhileError:
                return None  # it is tried again, as is what raised
            self._next[stage] = begin = day.end
            if removed is not None:
                return Changed(day.begin, removed)
        return None

    def _is_due(self, begin: datetime, stage: Stage) -> bool:
        self._next.setdefault(stage, begin)
        return begin + _DAY <= self._before(stage.age_s)

    def _is_again(self, day: _Day) -> bool:
        """Whether its clock may have shown this day twice since it was noted."""
        return self._again is not None and day.begin >= self._again

    def _is_done(self, day: _Day, stage: Stage) -> bool:
        """By what was noted when this began: days are read for good reason only."""
        if self._is_again(day):
            return False
        if self._far is None:
            noted = self._ctx.store.kept_rows(self._series, "intervals")
            self._far = {one.taken_at: one.figures.get(STEP) or 0.0 for one in noted}
        return self._far.get(day.begin, -1.0) >= stage.step_s


def counted_since(ctx: Context, series: str, begin: datetime | None) -> Iterator[KeptSnapshot]:
    """Those that intervals are made of; the day before tells how far clocks and collectors had come."""
    return taken(ctx.store.snapshots(series, None if begin is None else begin - _DAY), begin)


def first_day(ctx: Context, series: str) -> datetime | None:
    """When the day of the oldest snapshot begins; None where there is none."""
    oldest = next(ctx.store.snapshots(series), None)
    return None if oldest is None else day_of(oldest.snapshot.taken_at)


def day_of(moment: datetime) -> datetime:
    """When its day begins, in UTC."""
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _change(day: _Day, moments: list[datetime], step_s: float, again: bool) -> int | None:
    """Says how many snapshots went; None where the day is that far, or is of another release. Raises `_ChangedMeanwhileError`."""
    noted = day.intervals()
    if noted is not None and noted.columns != COLUMNS:
        return None
    own = [one.snapshot.taken_at for one in day.own()]
    if noted is None or (again and _is_of_others(noted, moments)):
        anew = _noted_day(day, own, intervals_of_day(day.begin, day.counted()))
        return _put(day, anew)
    if (noted.figures[STEP] or 0.0) >= step_s:
        return None
    found = thinned(noted, moments, day.with_next(moments[-1]), step_s)
    change = _thinned_day(day, own, found, noted.but(figures={STEP: step_s}), step_s)
    return _put(day, change)


class _ChangedMeanwhileError(Exception):
    """Somebody else changed the day since it was read."""


def _put(day: _Day, change: ThinnedDay) -> int:
    """In the place of what is there; says how many snapshots went."""
    if not day.ctx.store.thin_snapshots(change):
        raise _ChangedMeanwhileError
    return len(change.removed)


def _is_sound(noted: KeptRows) -> bool:
    """Whether its lines can be read."""
    try:
        return noted.figures.get(STEP) is not None and all(one.key for one in lines_of(noted))
    except (ValueError, IndexError):
        return False


def _is_of_others(noted: KeptRows, moments: Sequence[datetime]) -> bool:
    """Whether other snapshots are counted now than were when a day was noted that is not thinned: its clock showed that time again,
    and those of the second time count."""
    keys = [one.key for one in lines_of(noted)]
    return not noted.figures[STEP] and keys != [moment_key(moment) for moment in moments[:-1]]


def _noted_day(day: _Day, own: Iterable[datetime], noted: KeptRows) -> ThinnedDay:
    """In the place of what was noted so far; no snapshot goes."""
    seen: list[tuple[KeptRowsKind, datetime]] = [] if day.noted() is None else [(noted.kind, day.begin)]
    return ThinnedDay(
        day.series, day.begin, day.end, frozenset(own), frozenset(seen), frozenset({noted.kind}), (noted,)
    )


def _thinned_day(
    day: _Day, own: list[datetime], found: Thinned, noted: KeptRows, step_s: float
) -> ThinnedDay:
    seen: set[tuple[KeptRowsKind, datetime]] = {
        (kind, part.taken_at) for kind in _ALL for part in day.rows(kind)
    }
    rows_max = limits.THINNED_ROWS_MAX if step_s >= DAY_S else None
    rows = [noted]
    for kind in _CHAINED:
        parts = chain(day.rows_before(kind), day.rows(kind))
        rows += chained_anew(parts, day.begin, found.stay | day.followed(kind), rows_max)
    rows += added_up(day.rows("waits"), found.stay)
    rows += newest_of_each_share(list(day.rows("sizes")), rows_max)
    return ThinnedDay(
        series=day.series,
        begin=day.begin,
        end=day.end,
        seen=frozenset(own),
        seen_rows=frozenset(seen),
        kinds=_ALL,
        rows=tuple(rows),
        removed=tuple(found.gone),
        changed=tuple(found.changed),
    )


def planned(ctx: Context, series: str, ages: Ages, before: Before) -> Iterator[Changed]:
    """The days that thinning would take snapshots out of, and how many; nothing is changed."""
    begin = first_day(ctx, series)
    while begin is not None and begin + _DAY <= before(ages.hours_s):
        ctx.cancel.check()
        day = _Day(ctx, series, begin)
        moments = day.moments()
        if not moments or moments[-1] < day.end:
            return
        if moments[0] >= day.end:
            begin = day_of(moments[0])
            continue
        gone = _gone(day, moments, HOUR_S if day.end > before(ages.days_s) else DAY_S)
        if gone:
            yield Changed(begin, gone)
        begin += _DAY


def _gone(day: _Day, moments: list[datetime], step_s: float) -> int:
    noted = day.intervals() or intervals_of_day(day.begin, day.counted())
    if (noted.figures[STEP] or 0.0) >= step_s:
        return 0
    return len(thinned(noted, moments, day.with_next(moments[-1]), step_s).gone)


def _goes_on(ctx: Context, series: str, noted: KeptRows) -> bool:
    """Whether the day was not over when it was noted, and the snapshot is there from which on it was not."""
    until = running_until(noted)
    return until is not None and next(ctx.store.snapshots(series, until, until), None) is not None


def _is_running(noted: KeptRows) -> bool:
    """Whether the day was not over when it was noted."""
    return running_until(noted) is not None


def noted_days(ctx: Context, series: str) -> Iterator[KeptRows]:
    """What was asked for in all intervals: of days as far as they are noted what was, and of all after them as if it were one."""
    last: KeptRows | None = None
    for last in ctx.store.kept_rows(series, "intervals"):
        yield last
        if _goes_on(ctx, series, last):
            break  # days behind it are those that the clock showed before it was put back
    since = None if last is None else running_until(last) or last.taken_at + _DAY
    rest = intervals_of_day(since or ctx.clock.now(), counted_since(ctx, series, since))
    if rest.rows:
        yield rest
