"""`plimsoll trend`: where series go, of reports, of stored demands, of kept snapshots and of CSV files."""

from __future__ import annotations

import math
import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from operator import sub
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from plimsoll.base.errors import UsageError, WorldError
from plimsoll.base.installing import extra_hint
from plimsoll.base.nearest import did_you_mean
from plimsoll.base.until_safe import UntilSafe
from plimsoll.context import Context, RunFilter
from plimsoll.demand.kept_points import DAYS_UNREADABLE, first_moment_s, points_of_days
from plimsoll.demand.point_file import is_point_file, read_points
from plimsoll.demand.points import (
    MAIN_METRICS,
    AllPoints,
    InstancePoints,
    SeriesKey,
    known_of_demand,
    known_of_reports,
    points_of_demands,
    points_of_reports,
    seconds_of,
)
from plimsoll.demand.series import PlacedIntervals, placed
from plimsoll.demand.told_apart import Known, Span, names_apart
from plimsoll.dialects import exports
from plimsoll.facts import Demand, KeptSnapshot, Note, Report, Run, Trend, TrendSeries, Unread
from plimsoll.flows.kept_days import noted_days
from plimsoll.flows.named import unread_of
from plimsoll.flows.record import make_run, saved
from plimsoll.flows.snapshots import kept_series
from plimsoll.requests.trend import TrendRequest

if TYPE_CHECKING:
    from plimsoll.predict.trend.series import Limit

IOPS = "iops"
_UTC = "times with a zone are taken to UTC, so that hours and weekdays are those of UTC"
_STALE_DAYS = 2
"""A series may end a day before others, where not all are taken at one hour."""
_MIX = "the line is of one mix of I/Os, and holds for the demand as far as that is its mix"


@dataclass
class _Gathered:
    """All points, of all that was named."""

    points: AllPoints = field(default_factory=dict)
    own: set[SeriesKey] = field(default_factory=set)
    """Series that somebody wrote down: these are all wanted."""
    notes: list[Note] = field(default_factory=list)
    unread: list[Report] = field(default_factory=list)
    bad_files: int = 0
    has_zones: bool = False
    """Whether some times have a zone, and are taken to UTC."""
    interrupted: bool = False
    unreached: int = 0
    """Files that were not read, or of which not all members were, since it was interrupted."""

    def add(self, points: AllPoints, notes: Sequence[Note]) -> None:
        """Points of one more source; what two have of one instance is one series."""
        for key, instances in points.items():
            held = self.points.setdefault(key, {})
            for name, one in instances.items():
                if name in held:
                    _extend(held[name], one)
                else:
                    held[name] = one
        self.notes += notes

    def add_more(self, what: str, points: AllPoints, notes: Sequence[Note]) -> None:
        """The same of what may have been told by another source: then it says so."""
        told = _told_elsewhere(what, points, self.points, "what was read before")
        self.add(points, [*notes, *told])


def _extend(held: InstancePoints, more: InstancePoints) -> None:
    for name in ("begin_s", "duration_s", "value", "weight"):
        getattr(held, name).extend(getattr(more, name))


@dataclass(frozen=True)
class Trended:
    """The run, and the reports that could not be read."""

    run: Run
    unread: tuple[Report, ...] = ()


def trend_of(ctx: Context, asked: TrendRequest, until: ExitStack | None = None) -> Trended:
    """Judges, stores and returns. What is kept of the reading is forgotten when `until` ends well, or else when the trend is in the
    store and on its page.

    Raises UsageError `limit-unreadable`, `metric-unknown`, `trend-nothing`, `line-none`,
    and what reading and asking raise; WorldError `extra-missing`."""
    if until is not None:
        return _trended(ctx, asked, until)
    with UntilSafe() as own:
        found = _trended(ctx, asked, own)
        own.look_at(found.run.notes)
        return found


def _trended(ctx: Context, asked: TrendRequest, until: ExitStack) -> Trended:
    judged = _judge()
    started_at = ctx.clock.now()
    limits, said = _limits(ctx, asked)
    found = _gathered(ctx, asked, until)
    wanted = _wanted(found, asked, limits)
    series, notes = [], [*found.notes, *said]
    for key in wanted:
        if not found.interrupted:  # else it is said of what was read until then
            ctx.cancel.check()
        one = judged(key, found.points[key], limits.get(key.metric))
        notes += one.notes
        series += [] if one.series is None else [one.series]
    notes += _ended_earlier(series)
    trend = Trend(
        series=tuple(series),
        unread=len(found.unread) + found.bad_files + len(wanted) - len(series),
        notes=tuple(notes),
    )
    unread = unread_of(found.unread, found.unreached)
    run = _kept(ctx, trend, started_at, unread, interrupted=found.interrupted)
    if asked.out is not None and trend.series:
        from plimsoll.flows.report import write_report

        write_report(run, Path(asked.out))
    return Trended(run, tuple(found.unread))


def _ended_earlier(series: Sequence[TrendSeries]) -> Iterator[Note]:
    """Of series with a limit that end before others do: their days left are not those of the others."""
    ends = [datetime.fromisoformat(one.end_time) for one in series]
    for one, end in zip(series, ends, strict=True):
        days = (max(ends) - end).days
        if days >= _STALE_DAYS and one.limit_value is not None and not one.refused:
            what = f"{one.metric} of {one.database} ends {days:,} days before the last series"
            message = f"{what}: its days left count from {end:%Y-%m-%d}"
            yield Note(code="ended-earlier", message=message)


def _judge() -> Any:
    """The function that judges a series. Raises WorldError `extra-missing`."""
    try:
        from plimsoll.predict.trend.series import judged
    except ImportError as error:
        message = "numpy is not installed, which trends are computed with"
        raise WorldError("extra-missing", message, extra_hint("trends")) from error
    return judged


def _kept(ctx: Context, trend: Trend, started_at: datetime, unread: Unread | None, interrupted: bool) -> Run:
    """Stored where there is anything to keep."""
    count = len(trend.series)
    names = len({one.database for one in trend.series})
    title = f"trend of {count:,} series of {names:,} database{'' if names == 1 else 's'}"
    parts: dict[str, Any] = {
        "trend": trend,
        "unread": unread,
        "notes": trend.notes,
        "interrupted": interrupted,
    }
    run = make_run(ctx, "trend", title, started_at, **parts)
    return saved(ctx, run) if count else run


def _limits(ctx: Context, asked: TrendRequest) -> tuple[dict[str, Limit], list[Note]]:
    """By metric. Raises UsageError `limit-unreadable`, `limit-twice`, `line-none`."""
    from plimsoll.predict.trend.series import Limit

    found: dict[str, Limit] = {}
    for option, words in (("limit", asked.limits), ("floor", asked.floors)):
        for word in words:
            metric, value = _limit(option, word)
            if metric in found:
                raise _twice(metric)
            found[metric] = Limit(value, "as stated", is_floor=option == "floor")
    if asked.line is None:
        return found, []
    if IOPS in found:
        raise _twice(IOPS)
    found[IOPS] = _line_limit(ctx, asked.line, Limit)
    return found, [Note(code="line-mix", message=_MIX)]


def _twice(metric: str) -> UsageError:
    return UsageError("limit-twice", f"{metric} has two limits", "Name one limit for each metric.")


def _limit(option: str, word: str) -> tuple[str, float]:
    metric, mark, number = word.partition("=")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not mark or not metric.strip() or not math.isfinite(value):
        hint = "Write METRIC=VALUE, such as iops=40000; the value has the metric's own unit."
        raise UsageError("limit-unreadable", f"--{option}: '{word}' names no metric and value", hint)
    return metric.strip(), value


def _line_limit(ctx: Context, name: str, limit: type[Limit]) -> Limit:
    run = ctx.store.load(name)
    iops = None if run.line is None else run.line.safe_iops
    if iops is None:
        hint = "Runs of plimsoll line do, where an objective held; see plimsoll store list."
        raise UsageError("line-none", f"run {run.id} holds no line", hint)
    return limit(iops, f"the line of run {run.id}")


def _gathered(ctx: Context, asked: TrendRequest, until: ExitStack) -> _Gathered:
    found = _Gathered()
    paths = asked.paths
    is_named = bool(paths or asked.snapshots) or asked.prometheus is not None
    kept = [path for path in paths if exports.is_export(path)]
    files = [path for path in paths if path not in kept and is_point_file(path)]
    runs = [path for path in paths if path not in (*kept, *files) and _is_run(path)]
    reports = [path for path in paths if path not in (*kept, *files, *runs)]
    _take_files(found, files)
    _take_exports(ctx, found, kept, asked)
    demands = _demands(ctx, runs) if is_named else _all_demands(ctx)
    read = _reports_read(ctx, found, reports, until) if reports else None
    with ctx.store.kept_open() if asked.snapshots else nullcontext():
        _take_databases(ctx, found, demands, asked, read)
    if not found.points and not found.unread:
        # Of what was left nobody knows what it holds.
        ctx.cancel.check()
        raise _nothing(is_named, found.notes)
    if found.has_zones:
        found.notes.append(Note(code="times-utc", message=_UTC))
    return found


def _is_run(path: str) -> bool:
    """Whether it can be no file: a run's id, or a word for one."""
    return "/" not in path and "." not in path and path != "-" and not os.path.exists(path)


def _nothing(is_named: bool, notes: Sequence[Note]) -> UsageError:
    """With what was wrong first, as nobody else would tell it."""
    if is_named:
        why = f": {notes[0].message}" if notes else ""
        hint = "Name reports, stored demands, series of snapshots, CSV files or exports of monitoring."
        return UsageError("trend-nothing", f"what was named holds no value{why}", hint)
    hint = "Name reports, folders of them or CSV files, or keep demands with `plimsoll demand`."
    return UsageError("trend-nothing", "nothing was named, and the store holds no demand", hint)


def _take_files(found: _Gathered, paths: Sequence[str]) -> None:
    for path in paths:
        read = read_points(path)
        found.notes += _told_elsewhere(path, read.points, found.points)
        found.add(read.points, read.notes)
        found.own |= set(read.points)
        found.bad_files += read.bad_lines > 0
        found.has_zones |= read.has_zones


def _told_elsewhere(
    what: str, points: AllPoints, before: AllPoints, where: str = "a file before it"
) -> list[Note]:
    """That what was read before has values of the same moments, or of moments among them."""
    count = 0
    for key, instances in points.items():
        for name, own in instances.items():
            held = before.get(key, {}).get(name)
            count += 0 if held is None else _told_already(own.begin_s, held.begin_s)
    if not count:
        return []
    are = "value is of a moment" if count == 1 else "values are of moments"
    message = f"{what}: {count:,} {are} of which {where} has one too; values of one moment are averaged"
    return [Note(code="told-twice", message=message)]


def _told_already(own: Sequence[float], held: Sequence[float]) -> int:
    """How many moments are those of `held`, or lie half of its step away at most, as where two databases have one name."""
    moments = sorted(set(held))
    near_s = median(map(sub, moments[1:], moments)) / 2 if len(moments) > 1 else 0.0
    ends = [-math.inf, *moments, math.inf]
    places = (bisect_left(ends, moment) for moment in own)
    return sum(
        min(ends[place] - moment, moment - ends[place - 1]) <= near_s
        for place, moment in zip(places, own, strict=True)
    )


def _take_exports(ctx: Context, found: _Gathered, paths: Sequence[str], asked: TrendRequest) -> None:
    """What monitoring kept. Series of reads and writes are often files of their own: what follows from several comes last."""
    read = exports.Found()
    for path in paths:
        exports.read(path, read)
    if asked.prometheus is not None:
        from plimsoll.flows.prometheus import ask_prometheus

        ask_prometheus(ctx, asked, read)
    exports.derive(read)
    found.add_more("exports of monitoring", read.points, read.notes)
    found.own |= read.asked
    found.bad_files += read.off_files
    found.has_zones |= read.has_zones


def _reports_read(ctx: Context, found: _Gathered, paths: Sequence[str], until: ExitStack) -> PlacedIntervals:
    from plimsoll.flows.demand_reports import intervals_of_reports, read_source_in_short

    named = [Path(path) for path in paths]
    read = intervals_of_reports(ctx, named, read_source_in_short, until=until)
    found.notes += read.notes
    found.unread += read.unread
    found.interrupted = read.interrupted
    found.unreached = read.unreached
    return placed(read.intervals)


def _take_databases(
    ctx: Context,
    found: _Gathered,
    demands: Sequence[Demand],
    asked: TrendRequest,
    reported: PlacedIntervals | None,
) -> None:
    """Stored demands, series of kept snapshots, each once, however they were named, and reports: told apart by one set of names."""
    series = _newest_of_series(ctx, asked)
    of_reports = [] if reported is None else known_of_reports(reported)
    of_demands = list(map(known_of_demand, demands))
    known = [*of_demands, *_known_of_series(ctx, series, of_demands), *of_reports]
    names = iter(names_apart(known))
    _take_demands(found, demands, list(islice(names, len(demands))))
    for one, name in zip(series, islice(names, len(series)), strict=True):
        _take_series(ctx, found, one, name, asked)
    if reported is not None:
        named = dict(zip(of_reports, names, strict=True))
        found.add_more("reports", *points_of_reports(reported, named))


def _newest_of_series(ctx: Context, asked: TrendRequest) -> dict[str, KeptSnapshot]:
    """Of each series that was named its newest snapshot."""
    named = dict.fromkeys(kept_series(ctx, name) for name in asked.snapshots)
    return {one: kept for one in named if (kept := ctx.store.newest_snapshot(one)) is not None}


def _known_of_series(
    ctx: Context, series: Mapping[str, KeptSnapshot], others: Sequence[Known]
) -> Iterator[Known]:
    """With their time where another one has their name and data: to find it out takes a look at the store for each."""
    own = [Known.of(newest.database) for newest in series.values()]
    counts = Counter((one.name, one.data) for one in (*own, *others))
    for known, (name, newest) in zip(own, series.items(), strict=True):
        is_alone = counts[known.name, known.data] == 1
        yield known if is_alone else Known.of(newest.database, [_span_of(ctx, name, newest)])


def _span_of(ctx: Context, series: str, newest: KeptSnapshot) -> Span:
    """From its first interval, or snapshot, on."""
    day = next(ctx.store.kept_rows(series, "intervals"), None)
    oldest = next(ctx.store.snapshots(series), newest)
    begins = [seconds_of(oldest.snapshot.taken_at), None if day is None else first_moment_s(day)]
    return min(one for one in begins if one is not None), seconds_of(newest.snapshot.taken_at)


def _take_series(ctx: Context, found: _Gathered, series: str, name: str, asked: TrendRequest) -> None:
    by_class = not {*asked.metrics, *map(_metric_of, (*asked.limits, *asked.floors))} <= {*MAIN_METRICS}
    points, notes = points_of_days(name, noted_days(ctx, series), by_class)
    found.add_more(f"snapshots of {series}", points, notes)
    found.bad_files += any(note.code == DAYS_UNREADABLE for note in notes)
    found.has_zones = True


def _metric_of(word: str) -> str:
    return word.partition("=")[0].strip()


def _demands(ctx: Context, runs: Sequence[str]) -> list[Demand]:
    return [_demand_of(ctx.store.load(name)) for name in runs]


def _demand_of(run: Run) -> Demand:
    if run.demand is None:
        hint = "Runs of plimsoll demand do; see plimsoll store list."
        raise UsageError("demand-none", f"run {run.id} holds no demand", hint)
    return run.demand


def _all_demands(ctx: Context) -> list[Demand]:
    kept = ctx.store.summaries(wanted=RunFilter(kind="demand"))
    runs = (ctx.store.load(one.id) for one in reversed(kept))
    return [run.demand for run in runs if run.demand is not None]


def _take_demands(found: _Gathered, demands: Sequence[Demand], names: Sequence[str]) -> None:
    if demands:
        found.add_more("stored demands", *points_of_demands(demands, names))
        found.has_zones |= any(
            one.begin_time.tzinfo is not None for demand in demands for one in demand.intervals
        )


def _wanted(found: _Gathered, asked: TrendRequest, limits: Mapping[str, Limit]) -> list[SeriesKey]:
    """By database and metric. Raises UsageError `metric-unknown`."""
    known = {key.metric for key in found.points}
    for metric in (*asked.metrics, *limits):
        if known and metric not in known:
            hint = f"{did_you_mean(metric, sorted(known))}There are {', '.join(sorted(known))}."
            raise UsageError("metric-unknown", f"no series is of the metric '{metric}'", hint)
    return sorted(
        (key for key in found.points if _is_wanted(key, found, asked, limits)),
        key=lambda key: (key.database, _rank(key.metric), key.metric),
    )


def _is_wanted(key: SeriesKey, found: _Gathered, asked: TrendRequest, limits: Mapping[str, Limit]) -> bool:
    if asked.metrics:
        return key.metric in asked.metrics or key.metric in limits
    return key in found.own or key.metric in MAIN_METRICS or key.metric in limits


def _rank(metric: str) -> int:
    return MAIN_METRICS.index(metric) if metric in MAIN_METRICS else len(MAIN_METRICS)
