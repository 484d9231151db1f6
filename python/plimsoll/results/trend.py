"""Where the load of databases goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll import charts
from plimsoll.base.errors import ExitStatus
from plimsoll.base.sentences import capital
from plimsoll.base.units import format_rate, format_share
from plimsoll.charts import Subject, Table
from plimsoll.charts._trend import in_order
from plimsoll.facts import Run, Trend, TrendSeries
from plimsoll.results._blocks import Block, Figure, Grid, Points, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind, RunColumn
from plimsoll.results._unread_files import data_with_unread
from plimsoll.results._words import sentence

SERIES_SHOWN_MAX = 20
"""On a terminal; --json and the page have them all."""
_EVENTS_SHOWN_MAX = 5
_ON_PAGE_MAX = 500
_CHARTS = ("trend-over-time", "days-left", "load-by-hour")
_UNKNOWN = "–"


def first_of(found: Trend) -> TrendSeries | None:
    """The series that says most."""
    return next(iter(in_order(found)), None)


def _answer(found: Trend) -> str:
    first = first_of(found)
    if first is None:
        return "cannot tell: no value was found"
    others = [one for one in found.series if one is not first]
    said = f"{first.metric} of {first.database}: {first.reason}{_more(others)}"
    return f"cannot tell: {said}" if first.refused else said


def _more(others: Sequence[TrendSeries]) -> str:
    """How many more there are, and of how many of them nothing is foretold."""
    if not others:
        return ""
    refused = sum(one.refused for one in others)
    which = "which" if refused == len(others) else f"{refused:,} of which"
    untold = f", of {which} nothing is foretold" if refused else ""
    return f"; {len(others):,} more series{untold}"


def _status(run: Run) -> ExitStatus:
    """5 where something was not read, or of a series nothing is foretold."""
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    found: Trend = run.results["trend"]
    in_part = found.unread or not found.series or any(one.refused for one in found.series)
    return ExitStatus.DONE_IN_PART if in_part else ExitStatus.DONE


def _blocks(run: Run) -> list[Block]:
    """The answer, a line for each series, then what happened in them."""
    found: Trend = run.results["trend"]
    answer = _answer(found)
    blocks: list[Block] = [Words(sentence(answer))]
    ordered = in_order(found)
    if ordered:
        blocks.append(Grid(_caption(ordered, SERIES_SHOWN_MAX), _table(ordered[:SERIES_SHOWN_MAX])))
    told = tuple(_told(ordered[:SERIES_SHOWN_MAX]))
    if told:
        blocks.append(Points(told))
    return blocks


def _caption(series: Sequence[TrendSeries], shown: int) -> str:
    few = len(series) > shown
    return f"The first {shown:,} of {len(series):,} series" if few else "The series"


def _table(series: Sequence[TrendSeries]) -> Table:
    columns = (
        "database",
        "metric",
        "days",
        "mean",
        "p95",
        "peak",
        "a day",
        "explained",
        "limit",
        "days left",
    )
    numeric = (False, False, *(True,) * 8)
    return Table(columns, tuple(map(_row, series)), numeric, ("explained", "peak", "days", "limit"))


def _row(one: TrendSeries) -> tuple[str, ...]:
    return (
        one.database,
        one.metric,
        f"{sum(day.mean is not None for day in one.days):,}",
        format_rate(one.mean),
        format_rate(one.p95),
        format_rate(one.peak),
        _UNKNOWN if one.slope_per_day is None else format_rate(one.slope_per_day),
        _UNKNOWN if one.r2 is None else format_share(max(0.0, one.r2)),
        _UNKNOWN if one.limit_value is None else format_rate(one.limit_value),
        days_left(one),
    )


def days_left(one: TrendSeries) -> str:
    """Days to the limit with their interval, in short."""
    if one.limit_value is None or one.refused:
        return _UNKNOWN
    beyond = f"> {one.horizon_days:,}"
    low, days, high = (
        beyond if value is None else f"{value:,.0f}"
        for value in (one.days_to_limit_low, one.days_to_limit, one.days_to_limit_high)
    )
    return days if low == high else f"{days} ({low} to {high})"


def _told(series: Sequence[TrendSeries]) -> Iterator[tuple[str, str]]:
    for one in series:
        yield f"{one.metric} of {one.database}", " ".join(_sentences(one))


def _sentences(one: TrendSeries) -> Iterator[str]:
    yield f"{'Cannot tell: ' if one.refused else ''}{one.reason if one.refused else capital(one.reason)}."
    if one.season is not None and one.season != "none":
        yield f"It repeats by {one.season}."
    for step in one.steps[-_EVENTS_SHOWN_MAX:]:
        yield f"Its level changed by {format_rate(step.change)} at {_moment(step.time)}."
    if one.anomalies:
        furthest = max(one.anomalies, key=lambda each: abs(each.deviations))
        times = "once" if len(one.anomalies) == 1 else f"{len(one.anomalies):,} times"
        yield (
            f"It was unlike the same hour of other weeks {times}, furthest at {_moment(furthest.time)}: "
            f"{format_rate(furthest.value)} in place of {format_rate(furthest.expected)}."
        )
    if one.gaps:
        are = "is a gap" if one.gaps == 1 else "are gaps"
        yield f"{one.gaps:,} of {one.gaps + one.points:,} steps {are}."
    if one.skew is not None:
        busiest = max(one.instances, key=lambda each: each.ratio)
        yield (
            f"Of {len(one.instances)} instances {busiest.instance or 'the unnamed one'} has most, {one.skew:.2f} times the mean."
        )


def _moment(time: str) -> str:
    return time.replace("T", " ").removesuffix(":00")


def _on_page(run: Run) -> list[Block]:
    """The pictures, and all that happened."""
    found: Trend = run.results["trend"]
    subject = Subject(run)
    blocks: list[Block] = [Figure(name) for name in _CHARTS if charts.load(name).applies(subject)]
    if len(found.series) > SERIES_SHOWN_MAX:
        every = in_order(found)[:_ON_PAGE_MAX]
        blocks.append(Grid(_caption(found.series, _ON_PAGE_MAX), _table(every), folded=True))
    return [*blocks, *_events(found.series), *_instances(found.series)]


def _events(series: Sequence[TrendSeries]) -> Iterator[Block]:
    rows = [
        (one.database, one.metric, _moment(step.time), "step", format_rate(step.change), "", "")
        for one in series
        for step in one.steps
    ]
    rows += [
        (
            one.database,
            one.metric,
            _moment(each.time),
            "unlike other weeks",
            format_rate(each.value - each.expected),
            format_rate(each.value),
            format_rate(each.expected),
        )
        for one in series
        for each in one.anomalies
    ]
    if rows:
        shown = sorted(rows, key=lambda row: row[2])[-_ON_PAGE_MAX:]
        columns = ("database", "metric", "time", "what", "by", "was", "usual")
        numeric = (False, False, False, False, True, True, True)
        yield Grid("What happened", Table(columns, tuple(shown), numeric), folded=True)


def _instances(series: Sequence[TrendSeries]) -> Iterator[Block]:
    rows = tuple(
        (
            one.database, one.metric, each.instance, _moment(each.begin_time), _moment(each.end_time), format_rate(each.mean),
            f"{each.ratio:.2f}",
        )
        for one in series
        for each in one.instances
    )  # fmt: skip
    if rows:
        columns = ("database", "metric", "instance", "from", "to", "mean", "times the mean")
        yield Grid("Instances", Table(columns, rows, (False,) * 5 + (True, True)), folded=True)


def _figures(run: Run) -> list[Quantity]:
    """Of the series that says most; neither more nor less of it is better."""
    first = first_of(run.results["trend"])
    if first is None:
        return []
    return [
        Quantity("trend.mean", f"mean of {first.metric}", "count", first.mean, None),
        Quantity("trend.p95", f"p95 of {first.metric}", "count", first.p95, None),
    ]


def _work(run: Run) -> dict[str, str]:
    found: Trend = run.results["trend"]
    return {"series": ", ".join(f"{one.metric} of {one.database}" for one in found.series)}


def _days_to_limit(run: Run) -> float | None:
    first = None if run.trend is None else first_of(run.trend)
    return None if first is None else first.days_to_limit


RESULT = ResultKind(
    fact=Trend,
    data=data_with_unread,
    rows=(TrendSeries,),
    rank=23,
    answer=_answer,
    status=_status,
    columns=(RunColumn("days_to_limit", "real", _days_to_limit),),
    title="Trend",
    help="Where each series goes: growth, season, steps, hours unlike themselves, and days until a limit.",
    page_rank=37,
    blocks=_blocks,
    on_page=_on_page,
    compared=Compared(figures=_figures, work=_work),
)
