"""Several databases over time, stacked: what each asks of a storage, with the line above it where it is known.

Of many moments each step shows the busiest of its own. Where one of the databases is not known the picture is left open, for the
sum is not known either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plimsoll.base.units import format_rate, moment_form
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._demand_line import line_iops, line_text
from plimsoll.charts._marks import data_of, marked, words_at
from plimsoll.charts._scales import duration_labels, duration_ticks, rate_axis
from plimsoll.charts._theme import NARROW_PX, colour, finish, plot_width
from plimsoll.facts import Consolidation, SumStep

HEIGHT_PX = 200
ROWS_MAX = 60
"""Rows of the table; of more steps the busiest are shown."""
_ROLES = ("small_read", "small_write", "redo_write", "temp_read", "large_read", "large_write", "temp_write")
"""Colours that are told apart, in the order of the stack from the bottom."""
_OTHERS = "all others"
_LINE_IN_VIEW = 4.0
"""A line further above all else than this would press the stack flat; the words still give it."""


@dataclass(frozen=True)
class _Layer:
    """One of the stack, and which of the databases are in it."""

    name: str
    numbers: tuple[int, ...]

    def of(self, step: SumStep) -> float:
        return sum(step.iops[number] for number in self.numbers)


def applies(subject: Subject) -> bool:
    """Whether what all ask for is known of any step."""
    found = subject.run.consolidation
    return found is not None and any(step.iops for step in found.steps)


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide."""
    alt, found = altair_module(), subject.run.consolidation
    assert found is not None, "applies() has looked"
    start = found.begin_time
    span_s = (found.steps[-1].end_time - start).total_seconds()
    top = max(sum(step.iops) for step in found.steps)
    line = line_iops(subject)
    line = line if line is not None and line <= _LINE_IN_VIEW * top else None
    x = _x_axis(alt, found, span_s, width_px)
    y = rate_axis(alt, max(1.08 * top, 1.12 * (line or 0.0), 1e-9), "I/Os per second")
    layers = [*_gaps(alt, found, x), _areas(alt, found, x, y, width_px)]
    if line is not None:
        layers += _rule(alt, line, f"line {line_text(subject, line)}/s", span_s, x, y)
    return finish(alt.layer(*layers).properties(width=plot_width(width_px), height=HEIGHT_PX))


def _x_axis(alt: Any, found: Consolidation, span_s: float, width_px: int) -> Any:
    unit, labels = duration_labels(span_s)
    axis = {
        "values": duration_ticks(span_s, 5 if width_px < NARROW_PX else 10),
        "labelExpr": labels,
        "title": unit.replace("the start", f"{found.begin_time:%Y-%m-%d %H:%M:%S}"),
        "grid": False,
        "titlePadding": 6,
    }
    return alt.X("x:Q").scale(domain=[0, span_s], nice=False).axis(axis)


def _layers(found: Consolidation) -> list[_Layer]:
    """As many as there are colours, the largest peaks apart from the others."""
    count = len(found.databases)
    if count <= len(_ROLES):
        return [_Layer(one.name, (number,)) for number, one in enumerate(found.databases)]
    by_peak = sorted(range(count), key=lambda number: -(found.databases[number].peak_iops or 0.0))
    shown = sorted(by_peak[: len(_ROLES) - 1])
    rest = tuple(number for number in range(count) if number not in shown)
    return [*(_Layer(found.databases[number].name, (number,)) for number in shown), _Layer(_OTHERS, rest)]


def _areas(alt: Any, found: Consolidation, x: Any, y: Any, width_px: int) -> Any:
    layers = _layers(found)
    legend = {
        "orient": "top",
        "columns": 2 if width_px < NARROW_PX else 4,
        "offset": 30,
        "symbolSize": 110,
        "symbolOpacity": 1,
    }
    scale = alt.Scale(
        domain=[layer.name for layer in layers], range=[colour(role) for role in _ROLES[: len(layers)]]
    )
    chart = alt.Chart(data_of(alt, _stack(found, layers)))
    return marked(chart, "area", opacity=1, line=False, interpolate="step-after").encode(
        x=x,
        y=y,
        y2=alt.Y2("y2:Q"),
        color=alt.Color("database:N", scale=scale, legend=legend),
        detail=alt.Detail("segment:N"),
    )


def _stack(found: Consolidation, layers: Sequence[_Layer]) -> list[dict[str, Any]]:
    """Where the steps of the stacked areas start, and where the last of each run of known steps ends."""
    values: list[dict[str, Any]] = []
    segment = 0
    for step, after in zip(found.steps, [*found.steps[1:], None], strict=True):
        if not step.iops:
            segment += 1
            continue
        moments = [step.begin_time] if after is not None and after.iops else [step.begin_time, step.end_time]
        for moment in moments:
            at_s, base = (moment - found.begin_time).total_seconds(), 0.0
            for layer in layers:
                upper = base + layer.of(step)
                values.append({"x": at_s, "y": base, "y2": upper, "database": layer.name, "segment": segment})
                base = upper
    return values


def _gaps(alt: Any, found: Consolidation, x: Any) -> list[Any]:
    values = [
        {
            "x": (step.begin_time - found.begin_time).total_seconds(),
            "x2": (step.end_time - found.begin_time).total_seconds(),
        }
        for step in found.steps
        if not step.iops
    ]
    if not values:
        return []
    band = marked(alt.Chart(data_of(alt, values)), "rect", color=colour("gap"))
    return [band.encode(x=x, x2=alt.X2("x2:Q"))]


def _rule(alt: Any, iops: float, text: str, span_s: float, x: Any, y: Any) -> list[Any]:
    values = [{"x": 0.0, "x2": span_s, "y": iops, "text": text}]
    rule = marked(alt.Chart(data_of(alt, values)), "rule", color=colour("line"), strokeWidth=2)
    style = {"align": "left", "dx": 4, "dy": -9, "fontWeight": "bold"}
    return [rule.encode(x=x, x2=alt.X2("x2:Q"), y=y), *words_at(alt, values, "line", x, y, **style)]


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    found = subject.run.consolidation
    if found is None or not applies(subject):
        return "Nothing is known of what databases ask for together."
    at_most = [f"{one.name} {format_rate(one.peak_iops)}" for one in found.databases]
    parts = [
        f"I/Os per second of {len(found.databases)} databases, each step with the busiest moment in it.",
        f"The most at once is {format_rate(found.peak_iops)}; alone they come to {', '.join(at_most)}.",
    ]
    line = line_iops(subject)
    if line is not None:
        above = ", which lies above this picture" if line > _LINE_IN_VIEW * (found.peak_iops or 0.0) else ""
        parts.append(f"The line of the storage at the mix that decides is {line_text(subject, line)}{above}.")
    if found.unknown_s:
        parts.append("Where one of them is not known the picture is left open.")
    return " ".join(parts)


def table(subject: Subject) -> Table:
    """The steps by time; of many, the busiest."""
    found = subject.run.consolidation
    layers = [] if found is None else _layers(found)
    steps = [] if found is None else sorted(found.steps, key=lambda step: -sum(step.iops))[:ROWS_MAX]
    steps.sort(key=lambda step: step.begin_time)
    form = moment_form(step.begin_time for step in steps)
    columns = ("from", *(f"{layer.name}, I/Os per s" for layer in layers), "all, I/Os per s")
    rows = tuple(_row(step, layers, form) for step in steps)
    return Table(columns, rows, (False, *(True for _ in columns[1:])))


def _row(step: SumStep, layers: Sequence[_Layer], form: str) -> tuple[str, ...]:
    moment = step.begin_time.strftime(form)
    if not step.iops:
        return (moment, *("unknown" for _ in layers), "unknown")
    return (moment, *(format_rate(layer.of(step)) for layer in layers), format_rate(sum(step.iops)))


CHART = Chart(
    title="The databases over time",
    help="What each of several databases asked of storage, stacked, in I/Os per second.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
