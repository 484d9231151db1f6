"""Series over weeks, as points: of intervals that reports print, of demands that are kept, and of rows that somebody wrote.

A point is a value from a moment on, for some seconds. Where it is a mean, such as a latency, its weight is how much it is a mean
of, so that a mean over a day is none of means. What is not known makes no point.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import compress
from math import nan
from typing import NamedTuple, Protocol

from plimsoll.demand.told_apart import Known, names_apart
from plimsoll.facts import (
    ClassDemand,
    Demand,
    DemandInterval,
    Note,
    ReportedInterval,
)
from plimsoll.facts.demand import LOWER_BOUND

MAIN_METRICS = ("iops", "mb_per_s", "commits_per_s")
"""Of reports and demands, those that are shown where none is named."""
TIME_METRICS = ("db_time_s_per_s", "db_cpu_s_per_s")
"""Of reports, as their intervals call them: what sessions spent in the database, and of that on CPUs."""
_UNKNOWN = "unknown"


class SeriesKey(NamedTuple):
    """What tells series apart; several instances make one series."""

    database: str
    metric: str


@dataclass
class InstancePoints:
    """The points of one instance: seconds since 1970 by its clock, length (NaN: not known), value, weight (NaN: an amount)."""

    begin_s: array[float] = field(default_factory=lambda: array("d"))
    duration_s: array[float] = field(default_factory=lambda: array("d"))
    value: array[float] = field(default_factory=lambda: array("d"))
    weight: array[float] = field(default_factory=lambda: array("d"))

    def add(self, begin_s: float, duration_s: float, value: float, weight: float = nan) -> None:
        """One more point."""
        self.begin_s.append(begin_s)
        self.duration_s.append(duration_s)
        self.value.append(value)
        self.weight.append(weight)

    def extend(self, begin_s: Sequence[float], duration_s: Sequence[float], value: Sequence[float]) -> None:
        """Many more amounts."""
        self.begin_s.extend(begin_s)
        self.duration_s.extend(duration_s)
        self.value.extend(value)
        self.weight.extend(array("d", (nan,)) * len(value))


AllPoints = dict[SeriesKey, dict[str, InstancePoints]]
"""By series and instance."""


def add_point(
    to: AllPoints,
    key: SeriesKey,
    instance: str,
    begin_s: float,
    duration_s: float,
    value: float,
    weight: float = nan,
) -> None:
    """One more point of an instance of a series."""
    instances = to.setdefault(key, {})
    if instance not in instances:
        instances[instance] = InstancePoints()
    instances[instance].add(begin_s, duration_s, value, weight)


def seconds_of(moment: datetime) -> float:
    """Seconds since 1970 by the moment's own clock: of one with a zone by UTC."""
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return (moment - _EPOCH).total_seconds()


def moment_of(seconds: float) -> str:
    """The way back, as ISO 8601 text."""
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat(timespec="seconds")


_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - a clock without a zone


class _Figure(NamedTuple):
    """A value of one interval. `basis` is what it is a sum of: sums of other things are not its series."""

    metric: str
    value: float
    weight: float = nan
    basis: str = ""


class _Timed(NamedTuple):
    """An interval of whatever source, with its figures."""

    database: str
    instance: str
    begin_s: float
    duration_s: float
    figures: tuple[_Figure, ...]


_Named = Mapping[Known, str]


class OfReports(Protocol):
    """A `ReportedDemand`, or the same in little room."""

    @property
    def intervals(self) -> Sequence[ReportedInterval]:
        """Of thousands each is made anew when it is asked for."""
        ...

    @property
    def notes(self) -> Sequence[Note]:
        """What is doubtful about them."""
        ...


def known_of_reports(found: OfReports) -> list[Known]:
    """The databases whose numbers they print."""
    numbered = (one for one in found.intervals if one.db_id is not None)
    return list(dict.fromkeys(_known(one) for one in numbered))


def _known(one: ReportedInterval) -> Known:
    return Known(one.full_name or _UNKNOWN, str(one.db_id))


def points_of_reports(found: OfReports, named: _Named | None = None) -> tuple[AllPoints, list[Note]]:
    """The points of intervals that reports print; gaps make none. `named`: what `known_of_reports` are called."""
    if named is None:
        known = known_of_reports(found)
        named = dict(zip(known, names_apart(known), strict=True))
    whose = [_whose(one, named) for one in found.intervals]
    usable = [one for one in whose if one is not None]
    notes = gaps_note(len(whose) - len(usable))
    whole = {one.database for one in usable if one.scope == "cluster"}
    own = [one is not None and (one.scope != "instance" or one.database not in whole) for one in whose]
    if sum(own) < len(usable):
        message = f"{len(usable) - sum(own):,} reports of single instances are left out: there are others of their cluster"
        notes.append(Note(code="instances-left-out", message=message))
    called = _instance_names(one for one in compress(whose, own) if one is not None)
    made, doubts = _gathered(
        lambda: (_reported(one, called, named) for one in compress(found.intervals, own))
    )
    return made, [*notes, *doubts, *_lower_bound(found.notes)]


class _Whose(NamedTuple):
    """Whose an interval is."""

    database: str
    scope: str
    instance: str | None
    instance_number: int | None


def _whose(one: ReportedInterval, named: _Named) -> _Whose | None:
    """None of one without known rates or times."""
    if one.gap is not None or not one.begin_time or not one.duration_s:
        return None
    return _Whose(_name_of(one, named), one.scope, one.instance, one.instance_number)


def _instance_names(found: Iterable[_Whose]) -> dict[tuple[str, int], str]:
    """By database and number, where a report tells both: AWR-Miner has numbers alone, and an instance must not count twice."""
    return {
        (one.database, one.instance_number): one.instance
        for one in found
        if one.instance and one.instance_number is not None
    }


def gaps_note(count: int) -> list[Note]:
    """Where there are gaps, how many."""
    if not count:
        return []
    message = f"{count:,} interval{'' if count == 1 else 's'} without known rates or times make gaps"
    return [Note(code="gap", message=message)]


def _lower_bound(notes: Iterable[Note]) -> list[Note]:
    return [note for note in notes if note.code == LOWER_BOUND][:1]


def _name_of(one: ReportedInterval, named: _Named) -> str:
    return named.get(_known(one)) or one.full_name or _UNKNOWN


def _reported(one: ReportedInterval, called: Mapping[tuple[str, int], str], named: _Named) -> _Timed:
    assert one.begin_time is not None, "the caller has looked"
    assert one.duration_s is not None, "the caller has looked"
    database, number = _name_of(one, named), one.instance_number
    by_number = "" if number is None else called.get((database, number), str(number))
    return _Timed(
        database,
        (one.instance or by_number) if one.scope == "instance" else "",
        seconds_of(datetime.fromisoformat(one.begin_time)),
        one.duration_s,
        tuple(_figures(one, one.duration_s)),
    )


def known_of_demand(demand: Demand) -> Known:
    """Its database, in the time that it tells of."""
    spans = [
        (seconds_of(one.begin_time), seconds_of(one.end_time)) for one in demand.intervals if one.gap is None
    ]
    return Known.of(demand.database, spans)


def points_of_demands(
    demands: Iterable[Demand], names: Sequence[str] | None = None
) -> tuple[AllPoints, list[Note]]:
    """The points of demands that were kept, by the names of their databases; an interval that several hold is there once."""
    kept = list(demands)
    called = names or names_apart(map(known_of_demand, kept))
    seen: set[tuple[str, datetime, float]] = set()
    timed: list[_Timed] = []
    gaps = 0
    for demand, name in zip(kept, called, strict=True):
        for one in demand.intervals:
            mark = (name, one.begin_time, one.duration_s)
            gaps += one.gap is not None
            if one.gap is None and mark not in seen:
                seen.add(mark)
                figures = tuple(_figures(one, one.duration_s))
                timed.append(_Timed(name, "", seconds_of(one.begin_time), one.duration_s, figures))
    made, doubts = _gathered(lambda: timed)
    bounds = _lower_bound(note for demand in kept for note in demand.notes)
    return made, [*gaps_note(gaps), *doubts, *bounds]


def _figures(one: ReportedInterval | DemandInterval, duration_s: float) -> Iterator[_Figure]:
    """All that an interval tells."""
    classes: Mapping[str, ClassDemand] = {str(name): found for name, found in one.classes.items()}
    operations = ",".join(name for name, found in classes.items() if found.ops_per_s is not None)
    sizes = ",".join(name for name, found in classes.items() if found.bytes_per_s is not None)
    if one.iops is not None:
        yield _Figure("iops", one.iops, basis=operations)
    if one.mb_per_s is not None:
        yield _Figure("mb_per_s", one.mb_per_s, basis=sizes)
    if one.commits_per_s is not None:
        yield _Figure("commits_per_s", one.commits_per_s)
    if isinstance(one, ReportedInterval):
        yield from _time_figures(one)
    for name, found in classes.items():
        yield from _class_figures(name, found, duration_s)


def _time_figures(one: ReportedInterval) -> Iterator[_Figure]:
    for metric in TIME_METRICS:
        value: float | None = getattr(one, metric)
        if value is not None:
            yield _Figure(metric, value)


def _class_figures(name: str, found: ClassDemand, duration_s: float) -> Iterator[_Figure]:
    if found.ops_per_s is not None:
        yield _Figure(f"{name}_per_s", found.ops_per_s)
    if found.bytes_per_s is not None:
        yield _Figure(f"{name}_mb_per_s", found.bytes_per_s / 1e6)
    if found.latency_us_mean is not None and found.ops_per_s:
        yield _Figure(f"{name}_latency_us", found.latency_us_mean, weight=found.ops_per_s * duration_s)


def _gathered(intervals: Callable[[], Iterable[_Timed]]) -> tuple[AllPoints, list[Note]]:
    """By series. A sum of other classes than most of its series are of would look like a step: it is left out, and said.

    `intervals` gives them all each time that it is called: they are gone through twice.
    """
    counts: dict[SeriesKey, Counter[str]] = {}
    for one in intervals():
        for figure in one.figures:
            counts.setdefault(SeriesKey(one.database, figure.metric), Counter())[figure.basis] += 1
    usual = {key: found.most_common(1)[0][0] for key, found in counts.items()}
    made: AllPoints = {}
    for one in intervals():
        for figure in one.figures:
            key = SeriesKey(one.database, figure.metric)
            if figure.basis == usual[key]:
                add_point(made, key, one.instance, one.begin_s, one.duration_s, figure.value, figure.weight)
    return made, list(other_bases(counts))


def other_bases(counts: Mapping[SeriesKey, Counter[str]]) -> Iterator[Note]:
    """What is left out of series because it is a sum of other classes than most of theirs."""
    for key, found in counts.items():
        other = found.total() - found.most_common(1)[0][1]
        if other:
            message = (
                f"{key.metric} of {key.database}: {other:,} of {found.total():,} intervals count other classes of I/O than most, "
                "and make gaps"
            )
            yield Note(code="classes-differ", message=message)
