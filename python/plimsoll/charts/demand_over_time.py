"""The demand over time: what each class asked of storage, stacked, with the line above it where it is known.

A line is that of a mix. Where several mixes stand for the demand, each line is drawn at the moment of its own mix alone.

The upper panel counts I/Os, the lower one bytes: a class that is small in one may be large in the other. Where nothing is
known, because the server restarted or its counters were set back, the picture is left open rather than drawn at zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from plimsoll.base.units import format_mb, format_rate, format_seconds, format_share, moment_form
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._demand_line import burst_factor, line_iops, line_text
from plimsoll.charts._marks import data_of, marked, words_at
from plimsoll.charts._scales import duration_labels, duration_ticks, rate_axis
from plimsoll.charts._theme import NARROW_PX, colour, finish, plot_width
from plimsoll.facts import Demand, DemandInterval, MixVerdict

HEIGHT_PX, LOWER_HEIGHT_PX = 190, 110
STEPS_MAX, NARROW_STEPS_MAX = 180, 90
ROWS_MAX = 60
"""Rows of the table; a longer demand is shown by its busiest intervals."""
CLASSES = ("small_read", "large_read", "small_write", "large_write", "redo_write", "temp_read", "temp_write")
"""In the order of the stack, from the bottom."""


def applies(subject: Subject) -> bool:
    """Whether any interval has a known demand."""
    demand = subject.run.demand
    return demand is not None and any(_is_known(interval) for interval in demand.intervals)


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide: I/Os per second above, MB per second below."""
    alt, frame = altair_module(), _frame(subject, width_px)
    upper = _panel(alt, frame, _OPERATIONS, HEIGHT_PX, is_last=False)
    lower = _panel(alt, frame, _BYTES, LOWER_HEIGHT_PX, is_last=True)
    return finish(alt.vconcat(upper, lower, spacing=18))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    demand = subject.run.demand
    if demand is None or not applies(subject):
        return "No demand is known."
    known = [interval for interval in demand.intervals if _is_known(interval)]
    busiest = demand.peak or max(known, key=lambda interval: interval.iops or 0.0)
    shares = sorted(_classes(busiest, _OPERATIONS).items(), key=lambda item: -item[1])
    most = ", ".join(
        f"{_title(name)} {format_share(value / (busiest.iops or 1))}" for name, value in shares[:3]
    )
    parts = [
        f"Demand by class in {len(known)} intervals of {format_seconds(demand.resolution_s)}.",
        f"The busiest asked for {format_rate(busiest.iops)} I/Os per second ({most}).",
    ]
    open_ = len(demand.intervals) - len(known)
    if open_:
        parts.append(f"Nothing is known of {open_} further intervals, which are left open.")
    parts += _line_words(subject, busiest.iops or 0.0)
    parts += _moment_words(subject)
    return " ".join(parts)


def _line_words(subject: Subject, busiest_iops: float) -> list[str]:
    line = line_iops(subject)
    if line is None:
        return []

    def said(iops: float, at_least: bool = False) -> str:
        beyond = ", which lies above this picture" if iops > _LINE_IN_VIEW * busiest_iops else ""
        return f"{'at least ' if at_least else ''}{line_text(subject, iops)}{beyond}"

    mixes = _mixes_with_lines(subject)
    if len(mixes) < 2:
        return [f"The line of the storage is {said(line)}."]
    decides, *others = [said(_beside_demand(subject, mix), mix.at_least) for mix in mixes]
    return [
        f"For the mix that decides the line of the storage is {decides}; for the others {', '.join(others)}."
    ]


def _moment_words(subject: Subject) -> list[str]:
    """When it is decided, and when the other mixes' largest intervals began."""
    verdict = subject.run.verdict
    moments = [mix.begin_time for mix in verdict.mixes if mix.begin_time] if verdict else []
    form = _moment_form(subject.run.demand, moments)
    begun = [moment.strftime(form) for moment in moments]
    if not begun:
        return []
    decides, *others = dict.fromkeys(begun)
    beside = f"; the other mixes are marked at {', '.join(others)}" if others else ""
    return [f"The verdict is decided at {decides}{beside}."]


def table(subject: Subject) -> Table:
    """The intervals by time; of a long demand, the busiest."""
    demand = subject.run.demand
    intervals = list(demand.intervals) if demand else []
    if len(intervals) > ROWS_MAX:
        busiest = sorted(intervals, key=lambda interval: -(interval.iops or 0.0))[:ROWS_MAX]
        intervals = sorted(busiest, key=lambda interval: interval.begin_time)
    names = [name for name in CLASSES if any(name in interval.classes for interval in intervals)]
    columns = ("from", *(f"{_title(name)}, per s" for name in names), "all, I/Os per s", "MB per s")
    form = _moment_form(demand)
    rows = tuple(_row(interval, names, form) for interval in intervals)
    return Table(columns, rows, (False, *(True for _ in columns[1:])))


def _moment_form(demand: Demand | None, others: Sequence[datetime] = ()) -> str:
    """With the date where the demand passes midnight."""
    intervals = demand.intervals if demand else ()
    ends = [one.begin_time for one in (*intervals[:1], *intervals[-1:])]
    return moment_form([*ends, *others])


def _row(interval: DemandInterval, names: Sequence[str], form: str) -> tuple[str, ...]:
    by_name = {str(name): demand for name, demand in interval.classes.items()}
    cells = [format_rate(by_name[name].ops_per_s) if name in by_name else "unknown" for name in names]
    mb = format_mb(interval.mb_per_s)
    begin = interval.begin_time.strftime(form) + (f" ({interval.gap})" if interval.gap else "")
    return (begin, *cells, format_rate(interval.iops), mb)


@dataclass(frozen=True)
class _Measure:
    field: str
    scale: float
    title: str


_OPERATIONS = _Measure("ops_per_s", 1.0, "I/Os per second")
_BYTES = _Measure("bytes_per_s", 1e-6, "MB per second")
_LINE_IN_VIEW = 4.0
"""A line further above the peak than this would press the demand flat; the words still give it."""
_LINE_SHARE = 0.18
"""Of the time: over so much of it is the line of one mix of several drawn."""


@dataclass(frozen=True)
class _Step:
    """What is drawn in one piece: an interval's classes over the time from `begin_s` to `end_s`."""

    begin_s: float
    end_s: float
    interval: DemandInterval


@dataclass(frozen=True)
class _Line:
    """A line of the storage over the time of which it is drawn."""

    begin_s: float
    end_s: float
    iops: float
    text: str


@dataclass(frozen=True)
class _Frame:
    names: tuple[str, ...]
    segments: tuple[tuple[_Step, ...], ...]
    byte_segments: tuple[tuple[_Step, ...], ...]
    """The same times; of steps drawn as one it is the one with the most bytes, so that no scan is lost among many small I/Os."""
    gaps: tuple[tuple[float, float], ...]
    span_s: float
    start: str
    lines: tuple[_Line, ...]
    moments: tuple[float, ...]
    """When the mixes' largest intervals began, seconds from the start; the one that decides first."""
    width_px: int

    def x(self, alt: Any, is_last: bool) -> Any:
        unit, labels = duration_labels(self.span_s)
        ticks = duration_ticks(self.span_s, 5 if self.width_px < NARROW_PX else 10)
        title = unit.replace("the start", self.start) if is_last else None
        axis = {
            "values": ticks,
            "labelExpr": labels,
            "title": title,
            "grid": False,
            "labels": is_last,
            "titlePadding": 6,
        }
        return alt.X("x:Q").scale(domain=[0, self.span_s], nice=False).axis(axis)


def _frame(subject: Subject, width_px: int) -> _Frame:
    demand = subject.run.demand
    assert demand is not None
    start = demand.intervals[0].begin_time
    steps = [
        _Step((i.begin_time - start).total_seconds(), (i.end_time - start).total_seconds(), i)
        for i in demand.intervals
    ]
    limit = NARROW_STEPS_MAX if width_px < NARROW_PX else STEPS_MAX
    segments, gaps = _split(steps)
    group = math.ceil(len(steps) / limit)
    names = tuple(name for name in CLASSES if _asked(demand, name))
    zone = f" {start:%Z}" if start.tzinfo else ""
    by_ios, by_bytes = (
        tuple(tuple(_thin(segment, group, measure)) for segment in segments)
        for measure in (_OPERATIONS, _BYTES)
    )
    return _Frame(
        names, by_ios, by_bytes, tuple(gaps), steps[-1].end_s,
        f"{start.strftime(_moment_form(demand))}{zone}", _lines(subject, start, steps[-1].end_s),
        _moments(subject, start, steps[-1].end_s), width_px,
    )  # fmt: skip


def _lines(subject: Subject, start: datetime, span_s: float) -> tuple[_Line, ...]:
    """One over all the time; of several mixes each about its own moment, the one that decides first."""
    mixes, line = _mixes_with_lines(subject), line_iops(subject)
    if len(mixes) < 2:
        return () if line is None else (_Line(0.0, span_s, line, f"line {line_text(subject, line)}/s"),)
    found, half_s = [], _LINE_SHARE * span_s / 2
    for mix in mixes:
        assert mix.begin_time is not None, "only such are taken"
        at_s = min(max((mix.begin_time - start).total_seconds(), half_s), span_s - half_s)
        iops = _beside_demand(subject, mix)
        text = f"line {'≥ ' if mix.at_least else ''}{line_text(subject, iops)}/s"
        found.append(_Line(at_s - half_s, at_s + half_s, iops, text))
    return tuple(found)


def _mixes_with_lines(subject: Subject) -> list[MixVerdict]:
    verdict = subject.run.verdict
    mixes = verdict.mixes if verdict is not None else ()
    return [mix for mix in mixes if mix.line_iops is not None and mix.begin_time is not None]


def _beside_demand(subject: Subject, mix: MixVerdict) -> float:
    return (mix.line_iops or 0.0) / burst_factor(subject)


def _moments(subject: Subject, start: datetime, span_s: float) -> tuple[float, ...]:
    """Those that lie within the picture, each once."""
    verdict = subject.run.verdict
    begun = [mix.begin_time for mix in verdict.mixes if mix.begin_time is not None] if verdict else []
    places = ((moment - start).total_seconds() for moment in begun)
    return tuple(dict.fromkeys(place for place in places if 0 <= place <= span_s))


def _asked(demand: Demand, name: str) -> bool:
    return any(_classes(interval, _OPERATIONS).get(name) for interval in demand.intervals)


def _split(steps: Iterable[_Step]) -> tuple[list[list[_Step]], list[tuple[float, float]]]:
    """Runs of known steps, and the spans between them of which nothing is known."""
    segments: list[list[_Step]] = [[]]
    gaps: list[tuple[float, float]] = []
    for step in steps:
        if _is_known(step.interval):
            segments[-1].append(step)
        elif segments[-1] or not gaps:
            gaps.append((step.begin_s, step.end_s))
            segments.append([])
        else:
            gaps[-1] = (gaps[-1][0], step.end_s)
    return [segment for segment in segments if segment], gaps


def _thin(segment: Sequence[_Step], group: int, measure: _Measure) -> Iterable[_Step]:
    """Each `group` steps as one that shows the busiest of them, so that no peak is lost."""
    for index in range(0, len(segment), group):
        part = segment[index : index + group]
        busiest = max(part, key=lambda step: sum(_classes(step.interval, measure).values()))
        yield _Step(part[0].begin_s, part[-1].end_s, busiest.interval)


def _classes(interval: DemandInterval, measure: _Measure) -> dict[str, float]:
    values = {str(name): getattr(demand, measure.field) for name, demand in interval.classes.items()}
    return {name: value * measure.scale for name, value in values.items() if value is not None}


def _is_known(interval: DemandInterval) -> bool:
    return interval.gap is None and interval.iops is not None


def _title(name: str) -> str:
    return name.replace("_", " ")


def _panel(alt: Any, frame: _Frame, measure: _Measure, height_px: int, is_last: bool) -> Any:
    values, top = _stack(frame, measure)
    lines = [line for line in frame.lines if measure is _OPERATIONS and line.iops <= _LINE_IN_VIEW * top]
    top = max(top * 1.08, *(line.iops * 1.12 for line in lines), 1e-9)
    x, y = frame.x(alt, is_last), rate_axis(alt, top, measure.title, count=4 if not is_last else 3)
    layers = [
        *_gaps(alt, frame, x, height_px, has_words=not is_last),
        _areas(alt, frame, values, x, y, has_legend=not is_last),
    ]
    if lines:
        layers += _line_rules(alt, lines, x, y)
    layers += _moment_rules(alt, frame, x, has_words=not is_last)
    return alt.layer(*layers).properties(width=plot_width(frame.width_px), height=height_px)


def _stack(frame: _Frame, measure: _Measure) -> tuple[list[dict[str, Any]], float]:
    """Where the steps of the stacked areas start, and the highest stack. An unknown class adds nothing to its stack."""
    values, top = [], 0.0
    segments = frame.segments if measure is _OPERATIONS else frame.byte_segments
    for index, segment in enumerate(segments):
        ends = [(step.begin_s, step.interval) for step in segment] + [
            (segment[-1].end_s, segment[-1].interval)
        ]
        for x, interval in ends:
            found, base = _classes(interval, measure), 0.0
            for name in frame.names:
                upper = base + found.get(name, 0.0)
                values.append({"x": x, "y": base, "y2": upper, "class": _title(name), "segment": index})
                base = upper
            top = max(top, base)
    return values, top


def _areas(alt: Any, frame: _Frame, values: list[dict[str, Any]], x: Any, y: Any, has_legend: bool) -> Any:
    columns = 3 if frame.width_px < NARROW_PX else 7
    legend = (
        {"orient": "top", "columns": columns, "offset": 16, "symbolSize": 110, "symbolOpacity": 1}
        if has_legend
        else None
    )
    scale = alt.Scale(
        domain=[_title(name) for name in frame.names], range=[colour(name) for name in frame.names]
    )
    areas = marked(alt.Chart(data_of(alt, values)), "area", opacity=1, line=False, interpolate="step-after")
    return areas.encode(
        x=x,
        y=y,
        y2=alt.Y2("y2:Q"),
        color=alt.Color("class:N", scale=scale, legend=legend),
        detail=alt.Detail("segment:N"),
    )


def _gaps(alt: Any, frame: _Frame, x: Any, height_px: int, has_words: bool) -> list[Any]:
    if not frame.gaps:
        return []
    values = [
        {"x": begin, "x2": end, "middle": (begin + end) / 2, "text": "unknown"} for begin, end in frame.gaps
    ]
    band = marked(alt.Chart(data_of(alt, values)), "rect", color=colour("gap")).encode(x=x, x2=alt.X2("x2:Q"))
    if not has_words:
        return [band]
    at = alt.X("middle:Q").scale(domain=[0, frame.span_s], nice=False)
    words = marked(alt.Chart(data_of(alt, values)), "text", color=colour("muted"), angle=270)
    return [band, words.encode(x=at, y=alt.YValue(height_px / 2), text=alt.Text("text:N"))]


def _line_rules(alt: Any, lines: Sequence[_Line], x: Any, y: Any) -> list[Any]:
    values = [{"x": line.begin_s, "x2": line.end_s, "y": line.iops, "text": line.text} for line in lines]
    rules = marked(alt.Chart(data_of(alt, values)), "rule", color=colour("line"), strokeWidth=2)
    style = {"align": "left", "dx": 4, "dy": -9, "fontWeight": "bold"}
    return [rules.encode(x=x, x2=alt.X2("x2:Q"), y=y), *words_at(alt, values, "line", x, y, **style)]


def _moment_rules(alt: Any, frame: _Frame, x: Any, has_words: bool) -> list[Any]:
    """Upright rules at the moments of the mixes; the one that decides is drawn through, and says so."""
    if not frame.moments:
        return []
    decides, *others = ({"x": moment, "text": "decides"} for moment in frame.moments)
    style = {"color": colour("demand"), "strokeWidth": 1.6}
    layers = [marked(alt.Chart(data_of(alt, [decides])), "rule", **style).encode(x=x)]
    if others:
        layers.append(marked(alt.Chart(data_of(alt, others)), "rule", strokeDash=[3, 4], **style).encode(x=x))
    if has_words:
        to_the_left = frame.moments[0] > frame.span_s / 2
        side = {"align": "right", "dx": -5} if to_the_left else {"align": "left", "dx": 5}
        # Above the plot, where no line of the storage has its words; not above the title of the axis.
        place = alt.YValue(9 if frame.moments[0] < 0.15 * frame.span_s else -7)
        layers += words_at(alt, [decides], "demand", x, place, fontWeight="bold", **side)
    return layers


CHART = Chart(
    title="The demand over time",
    help="What each class of I/O asked of storage, stacked, in I/Os and in MB per second.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
