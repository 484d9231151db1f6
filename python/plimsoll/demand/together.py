"""Demands of several databases, aligned in time, as one demand: what they ask of a storage that they share.

Between two moments at which any of them begins a new interval, each asks for the mean of the interval that it is in. What they ask
for together is the sum, and nothing is said of a moment at which one of them is not known. Nothing is smoothed: the sum of finer
and coarser intervals has the boundaries of both, and is no more exact than the coarser ones.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import DEMAND_INTERVALS_MAX, DEMANDS_MAX
from plimsoll.base.units import format_rate, format_seconds
from plimsoll.demand import intervals
from plimsoll.demand.late import sure
from plimsoll.demand.summed import (
    burst_factor_of_all,
    cached_share_of_all,
    class_of_all,
    database_of_all,
    held_back_of_all,
    in_words,
    known_sum,
    sum_of,
)
from plimsoll.demand.told_apart import Known, data_of, names_apart
from plimsoll.facts import Database, Demand, DemandInterval, Note
from plimsoll.facts.demand import CONTAINER_MARK, CONTAINER_ROOT, LOCAL_TIMES, LOWER_BOUND, DemandClassName

SHARED_SHARE_MIN = 0.5
"""Of the shortest demand's time: with less in common, most of what is known of it would be judged by nothing."""
_APART_S = 0.1
"""Of one demand's intervals: clocks make as much between two that follow each other."""
_OVERLAP_MAX = 0.1
"""Of the shorter of two intervals: clocks and rounding make as much."""
_STEPS_ALIKE = 2.0
"""Of the finest demand's intervals: what is up to twice as long hides hardly more."""
_ROUNDING = 1e-6
"""Of a mean of equal rates."""
STEPS_SAID_S = 5.0
"""What is known in longer intervals than this is said to be: Plimsoll itself watches second by second."""
LEAST_S = 1e-3
"""Boundaries nearer to each other are one: shorter parts come from rounding."""


CLASS_FIGURES = ("ops_per_s", "bytes_per_s", "syncs_per_s")
_Figure = Callable[[DemandInterval], float | None]
_Parts = Sequence[DemandInterval | None]
"""What each of several asked for; None where that is not known."""


@dataclass(frozen=True)
class Moment:
    """A span between two boundaries."""

    begin_time: datetime
    duration_s: float
    parts: tuple[DemandInterval, ...]
    """What each demand asked for, in their order; empty where one of them is not known."""

    @property
    def end_time(self) -> datetime:
        """Where it ends."""
        return self.begin_time + timedelta(seconds=self.duration_s)

    @property
    def middle(self) -> datetime:
        """By which it is known what it lies in."""
        return self.begin_time + timedelta(seconds=self.duration_s / 2)


@dataclass(frozen=True)
class Together:
    """Demands by the names of their databases, which are unlike each other, in the time that all of them have in common."""

    names: tuple[str, ...]
    demands: tuple[Demand, ...]
    series: tuple[Series, ...]
    begin: datetime
    end: datetime
    moments: tuple[Moment, ...]

    @property
    def known(self) -> tuple[Moment, ...]:
        """The moments at which all of them are known."""
        return tuple(moment for moment in self.moments if moment.parts)

    def sum_of(self, chosen: Sequence[int]) -> Demand:
        """What those of these numbers ask for together, where all of these are known. Raises UsageError `demands-bursts`."""
        names = [self.names[number] for number in chosen]
        demands = [self.demands[number] for number in chosen]
        series = [self.series[number] for number in chosen]
        begin, end = self._span(series)
        moments = tuple(_moments(series, begin, end))
        found = [_sum_at(series, moment) for moment in moments]
        known = [moment for moment in moments if moment.parts]
        database, alike = database_of_all(names, demands)
        left_out = (*_not_shared(series, begin, end), *_unjudged_peaks(series, known, found))
        return Demand(
            database=database,
            resolution_s=max(one.step_s for one in series),
            intervals=tuple(found),
            peak=intervals.peak(found),
            mean=intervals.mean(found),
            burst_factor=burst_factor_of_all(names, demands),
            held_back=held_back_of_all(names, demands),
            cached_read_share=cached_share_of_all(demands),
            notes=(
                *_own_notes(names, demands),
                *alike,
                *_clock_note(names, demands),
                *_steps_note(names, demands),
                *left_out,
            ),
        )

    def _span(self, series: Sequence[Series]) -> tuple[datetime, datetime]:
        """The time that these have in common; where it has more intervals than are judged, that of all of them."""
        begin, end = _common(series)
        return (
            (begin, end)
            if len(_edges(series, begin, end)) <= DEMAND_INTERVALS_MAX
            else (self.begin, self.end)
        )


def _sum_at(series: Sequence[Series], moment: Moment) -> DemandInterval:
    """A gap, with the first reason, where one of them is not known."""
    names: dict[DemandClassName, None] = {}
    for part in moment.parts:
        names.update(dict.fromkeys(part.classes))
    return DemandInterval(
        begin_time=moment.begin_time,
        end_time=moment.end_time,
        duration_s=moment.duration_s,
        classes={
            name: class_of_all(name, [part.classes[name] for part in moment.parts if name in part.classes])
            for name in names
        },
        iops=known_sum([part.iops for part in moment.parts]),
        mb_per_s=known_sum([part.mb_per_s for part in moment.parts]),
        commits_per_s=sum_of([part.commits_per_s for part in moment.parts]) if moment.parts else None,
        gap=None if moment.parts else _why_unknown(series, moment.middle),
    )


def together(demands: Sequence[Demand]) -> Together:
    """Two demands or more, aligned. Raises UsageError `demands-many`, `demands-twice`, `demands-clocks`, `demands-apart`."""
    if len(demands) > DEMANDS_MAX:
        message = f"{len(demands):,} demands were given, and at most {DEMANDS_MAX} are aligned"
        raise UsageError("demands-many", message, "Judge fewer of them together.")
    _check_names(demands)
    names = tuple(names_apart(Known.of(demand.database) for demand in demands))
    _check_clocks(names, demands)
    series = tuple(Series.of(name, demand) for name, demand in zip(names, demands, strict=True))
    begin, end = _common(series)
    moments = tuple(_moments(series, begin, end))
    _check_shared(series, sum(one.duration_s for one in moments if one.parts))
    return Together(names, tuple(demands), series, begin, end, moments)


@dataclass(frozen=True)
class Series:
    """A demand's intervals in the order of time, by what was surely asked for, with the moments at which they begin."""

    name: str
    found: tuple[DemandInterval, ...]
    begins: tuple[datetime, ...]
    ends: tuple[datetime, ...]
    """Each where the next one begins, where that is hardly later."""
    step_s: float

    @staticmethod
    def of(name: str, demand: Demand) -> Series:
        found = sorted(map(_in_utc, sure(demand.intervals)), key=lambda one: one.begin_time)
        known = [one for one in found if one.gap is None]
        if not known:
            raise UsageError(
                "demands-apart",
                f"nothing is known of what {name} asked for",
                "Leave it out, or learn it anew.",
            )
        _check_order(name, known)
        ends = [one.end_time for one in found]
        for number, (one, other) in enumerate(pairwise(found)):
            if abs((other.begin_time - one.end_time).total_seconds()) <= _APART_S:
                ends[number] = other.begin_time
        step_s = max(demand.resolution_s, *(one.duration_s for one in known))
        return Series(name, tuple(found), tuple(one.begin_time for one in found), tuple(ends), step_s)

    @property
    def known(self) -> list[DemandInterval]:
        """Those that are no gaps."""
        return [one for one in self.found if one.gap is None]

    @property
    def begin(self) -> datetime:
        """From when on something is known."""
        return self.known[0].begin_time

    @property
    def end(self) -> datetime:
        """Until when."""
        return max(one.end_time for one in self.known)

    def at(self, moment: datetime) -> DemandInterval | None:
        """The interval that it is in; None between two of them."""
        number = bisect_right(self.begins, moment) - 1
        return self.found[number] if number >= 0 and moment < self.ends[number] else None


def _in_utc(interval: DemandInterval) -> DemandInterval:
    """A clock without a zone is taken as if it were UTC, as reports' times are."""
    begin, end = (_utc(moment) for moment in (interval.begin_time, interval.end_time))
    return interval.model_copy(update={"begin_time": begin, "end_time": end})


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _check_names(demands: Sequence[Demand]) -> None:
    """That each database is there once, and each server."""
    seen: dict[tuple[str, str], Database] = {}
    servers: dict[tuple[str, str], str] = {}
    for one in (demand.database for demand in demands):
        identity = one.name.removesuffix(f"{CONTAINER_MARK}{CONTAINER_ROOT}"), data_of(one)
        if identity in seen:
            message = f"two of the demands are of the database {one.name}"
            raise UsageError("demands-twice", message, _hint_of_twice(seen[identity], one))
        seen[identity] = one
        server = _server_of(one)
        if server in servers:
            message = (
                f"{servers[server]} and {one.name} are of one server, which counts all its databases as one"
            )
            hint = "Name one of the two: its demand is that of the server."
            raise UsageError("demands-twice", message, hint)
        if server is not None:
            servers[server] = one.name
    _check_containers(seen)


def _hint_of_twice(one: Database, other: Database) -> str:
    hint = "Name each database once; how one of them changes with time is for plimsoll trend."
    if one.kind == "oracle" and one.location != other.location:
        hint += " Where they are two pluggable databases that an older plimsoll watched, learn what they ask for anew."
    return hint


def _check_containers(seen: Mapping[tuple[str, str], Database]) -> None:
    """That none is in another one of them, whose counters are of all that it holds."""
    for (name, data), one in seen.items():
        whole, mark, _ = name.partition(CONTAINER_MARK)
        if mark and one.kind == "oracle" and (whole, data) in seen:
            message = f"{name} is a pluggable database of {whole}, whose demand is that of all its databases"
            hint = f"Name {whole} alone, or its pluggable databases without it."
            raise UsageError("demands-twice", message, hint)


def _server_of(one: Database) -> tuple[str, str] | None:
    """The number of its data, which a standby has from its primary, and where a connection led to.

    None of a report, and of Oracle, which counts for each pluggable database.
    """
    place = one.location.rpartition("@")[2]
    server = place.removesuffix(f"/{one.name}")
    if one.system_identifier is None or server == place or one.kind == "oracle":
        return None
    return one.system_identifier, server


def _check_order(name: str, known: Sequence[DemandInterval]) -> None:
    """That its intervals follow each other: of two at the same time it is not known whether they add up."""
    for one, other in pairwise(known):
        shared_s = (min(one.end_time, other.end_time) - other.begin_time).total_seconds()
        if shared_s > _OVERLAP_MAX * min(one.duration_s, other.duration_s):
            message = f"two intervals of {name} tell of the time from {other.begin_time:%Y-%m-%d %H:%M:%S}"
            raise UsageError("demands-twice", message, "Name reports of it that follow each other.")


def _is_local(demand: Demand) -> bool:
    """Whether its clock's zone is not known."""
    naive = any(one.begin_time.tzinfo is None for one in demand.intervals)
    return naive or any(note.code == LOCAL_TIMES for note in demand.notes)


def _check_clocks(names: Sequence[str], demands: Sequence[Demand]) -> None:
    """That all clocks have a known zone, or none of them."""
    local = [name for name, demand in zip(names, demands, strict=True) if _is_local(demand)]
    if local and len(local) < len(names):
        zoned = next(name for name in names if name not in local)
        message = f"the zone of the clock of {local[0]} is not known, and that of {zoned} is: they cannot be aligned"
        raise UsageError(
            "demands-clocks", message, "Take all of them from reports, or watch all of the databases."
        )


def _clock_note(names: Sequence[str], demands: Sequence[Demand]) -> Iterator[Note]:
    if len(names) > 1 and all(map(_is_local, demands)):
        message = (
            f"the clocks of {in_words(names)} are taken to be in one zone, which their reports do not print"
        )
        yield Note(code="clocks-alike", message=message)


def _steps_note(names: Sequence[str], demands: Sequence[Demand]) -> Iterator[Note]:
    """That the sum hides what its coarser intervals hide."""
    ordered = sorted(zip(names, demands, strict=True), key=lambda pair: pair[1].resolution_s)
    finest, coarsest = ordered[0], ordered[-1]
    long_s, short_s = (demand.resolution_s for _, demand in (coarsest, finest))
    if long_s > _STEPS_ALIKE * short_s:
        message = (
            f"{coarsest[0]} is known as means of {format_seconds(long_s)}, and {finest[0]} of {format_seconds(short_s)}:"
            " whether peaks meet within the longer ones is not seen"
        )
        yield Note(code="steps-unlike", message=message)
    elif len(demands) > 1 and long_s > STEPS_SAID_S:
        message = (
            f"{in_words(names)} are known as means of {format_seconds(long_s)}: whether their bursts meet within"
            " these is not seen"
        )
        yield Note(code="steps-long", message=message)


def _moments(series: Sequence[Series], begin: datetime, end: datetime) -> Iterator[Moment]:
    """The time that all have in common, cut at each boundary of each of them."""
    edges = _edges(series, begin, end)
    if begin >= end:
        return
    if len(edges) - 1 > DEMAND_INTERVALS_MAX:
        message = f"together they have {len(edges) - 1:,} intervals, and at most {DEMAND_INTERVALS_MAX:,} are judged"
        raise UsageError("demands-many", message, "Name demands of less time, or in longer intervals.")
    at = begin
    for edge in edges[1:]:
        duration_s = (edge - at).total_seconds()
        if duration_s < LEAST_S:
            continue
        moment = Moment(at, duration_s, ())
        parts = [one.at(moment.middle) for one in series]
        known = tuple(part for part in parts if part is not None and part.gap is None)
        yield replace(moment, parts=known) if len(known) == len(series) else moment
        at = edge


def _common(series: Sequence[Series]) -> tuple[datetime, datetime]:
    return max(one.begin for one in series), min(one.end for one in series)


def _edges(series: Sequence[Series], begin: datetime, end: datetime) -> list[datetime]:
    """Both ends, and each boundary of each of them between."""
    return sorted(
        {begin, end, *(edge for one in series for edge in (*one.begins, *one.ends) if begin < edge < end)}
    )


def _check_shared(series: Sequence[Series], known_s: float) -> None:
    """That they have enough time in common."""
    shortest = min(series, key=_known_s)
    if known_s >= SHARED_SHARE_MIN * _known_s(shortest):
        return
    spans = "; ".join(
        f"{one.name} from {one.begin:%Y-%m-%d %H:%M:%S} to {one.end:%Y-%m-%d %H:%M:%S}" for one in series[:3]
    )
    common = f"only {format_seconds(known_s)}" if known_s else "no time"
    message = (
        f"the demands have {common} in common in which all of them are known, less than half of what {shortest.name} has: {spans}"
        f"{' …' if len(series) > 3 else ''}"
    )
    hint = "Watch the databases at the same time, or name reports of the same days."
    raise UsageError("demands-apart", message, hint)


def _known_s(series: Series) -> float:
    return sum(one.duration_s for one in series.known)


def _why_unknown(series: Sequence[Series], middle: datetime) -> str:
    for one in series:
        found = one.at(middle)
        if found is None:
            return f"{one.name} was not watched"
        if found.gap is not None:
            return f"of {one.name}: {found.gap}"
    raise AssertionError("one of them is not known")


def _own_notes(names: Sequence[str], demands: Sequence[Demand]) -> Iterator[Note]:
    """What is to be known of each, with its name."""
    for name, demand in zip(names, demands, strict=True):
        for note in demand.notes:
            yield Note(code=note.code, message=f"{name}: {note.message}")


def _not_shared(series: Sequence[Series], begin: datetime, end: datetime) -> Iterator[Note]:
    """What is known of some of them before all are known, or after."""
    outside = [
        (one, [part for part in one.known if part.end_time <= begin or part.begin_time >= end])
        for one in series
    ]
    lost = [
        f"{format_seconds(sum(part.duration_s for part in parts))} of {one.name}"
        for one, parts in outside
        if parts
    ]
    if lost:
        span = f"from {begin:%Y-%m-%d %H:%M:%S} to {end:%Y-%m-%d %H:%M:%S}"
        message = f"what all ask for together is known {span} at most; {in_words(lost)} lie outside, and take no part"
        yield Note(code="not-shared", message=message)


def _unjudged_peaks(
    series: Sequence[Series], known: Sequence[Moment], sums: Sequence[DemandInterval]
) -> Iterator[Note]:
    """That the sum is a lower bound: where not all of these are known, be it outside or in a gap, those that are asked for so much
    that all would ask for more than ever in the rest.
    """
    middles = [moment.middle for moment in known]
    judged = [[part for part in one.known if _holds_any(part, middles)] for one in series]
    looks = list(_unjudged(series, middles))
    for unit, figure in _FIGURES:
        peak = max((figure(part) or 0.0 for part in sums), default=0.0)
        means = [_mean(figure, parts) for parts in judged]
        asked = [
            sum(
                mean if part is None else figure(part) or 0.0 for part, mean in zip(parts, means, strict=True)
            )
            for _, parts in looks
        ]
        if asked and max(asked) > peak * (1 + _ROUNDING) > 0:
            yield _lower_bound(series, *looks[asked.index(max(asked))], unit, figure)
            return


def _lower_bound(
    series: Sequence[Series], begin: datetime, parts: _Parts, unit: str, figure: _Figure
) -> Note:
    names = [one.name for one, part in zip(series, parts, strict=True) if part is not None]
    most = sum(figure(part) or 0.0 for part in parts if part is not None)
    message = (
        f"{in_words(names)} {'alone' if len(names) == 1 else 'together'} asked for {format_rate(most)} {unit} from"
        f" {begin:%Y-%m-%d %H:%M:%S}, where not all are known: with what the others ask for on average, more than all together in"
        " any time that is judged"
    )
    return Note(code=LOWER_BOUND, message=message)


def _unjudged(series: Sequence[Series], middles: Sequence[datetime]) -> Iterator[tuple[datetime, _Parts]]:
    """Where not all are known, each span in which an interval lies that is judged nowhere, with what each asked for there."""
    first, last = min(one.begin for one in series), max(one.end for one in series)
    for begin, end in pairwise(_edges(series, first, last)):
        found = [one.at(begin + (end - begin) / 2) for one in series]
        parts = [None if part is None or part.gap is not None else part for part in found]
        if None in parts and any(part is not None and not _holds_any(part, middles) for part in parts):
            yield begin, parts


def _holds_any(part: DemandInterval, moments: Sequence[datetime]) -> bool:
    at = bisect_left(moments, part.begin_time)
    return at < len(moments) and moments[at] < part.end_time


_FIGURES: tuple[tuple[str, _Figure], ...] = (
    ("I/Os per second", lambda part: part.iops),
    ("MB per second", lambda part: part.mb_per_s),
)


def _mean(figure: _Figure, parts: Sequence[DemandInterval]) -> float:
    known = [(value, part.duration_s) for part in parts if (value := figure(part)) is not None]
    length_s = sum(duration_s for _, duration_s in known)
    return sum(value * duration_s for value, duration_s in known) / length_s if length_s else 0.0
