"""A prediction beside what became of it: the storage's line, and the I/Os per second that the database then did.

Two bars on one scale, and the error between them. A prediction that nobody measured afterwards would be an opinion.
"""

from __future__ import annotations

from typing import Any

from plimsoll.base.units import format_rate
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked
from plimsoll.charts._proof import error_text
from plimsoll.charts._scales import COUNT_LABELS
from plimsoll.charts._theme import NARROW_PX, RIGHT_PX, colour, finish
from plimsoll.facts import Prediction

BAR_PX, ROW_PX = 30, 56
_NAME_TOP_PX, _BAR_TOP_PX, _NAME_LEFT_PX = 8, 17, 82


def applies(subject: Subject) -> bool:
    """Whether both figures are known."""
    found = subject.run.prediction
    return found is not None and bool(found.line_iops) and bool(found.proved_iops)


def draw(subject: Subject, width_px: int) -> Any:
    """The two bars, `width_px` pixels wide."""
    alt, found = altair_module(), subject.run.prediction
    assert found is not None, "applies() has looked"
    assert found.line_iops, "applies() has looked"
    assert found.proved_iops, "applies() has looked"
    top = 1.12 * max(found.line_iops, found.proved_iops)
    ticks = 4 if width_px < NARROW_PX else 8
    axis = {"title": "I/Os per second", "labelExpr": COUNT_LABELS, "tickCount": ticks, "titlePadding": 6}
    x = alt.X("x:Q").scale(domain=[0, top], nice=False).axis(axis)
    plot_px = width_px - RIGHT_PX - 12
    layers = [
        *_row(alt, 0, "predicted: the line", found.line_iops, "high", x),
        *_row(alt, 1, "proved by the database", found.proved_iops, "held", x),
        _line(alt, found.line_iops, x),
        *_error(alt, found, plot_px),
    ]
    return finish(alt.layer(*layers).properties(width=plot_px, height=2 * ROW_PX + 4))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    found = subject.run.prediction
    if found is None:
        return "Nothing was predicted."
    line, proved = format_rate(found.line_iops), format_rate(found.proved_iops)
    told = [f"Predicted were {line} I/Os per second within {found.slo}, proved {proved}."]
    if found.error_share is not None:
        told.append(f"The prediction was {error_text(found.error_share)}.")
    return " ".join(told)


def table(subject: Subject) -> Table:
    """Both figures and the error."""
    found = subject.run.prediction
    rows: list[tuple[str, str]] = []
    if found is not None:
        rows = [
            ("predicted line, I/Os per s", format_rate(found.line_iops)),
            ("proved, I/Os per s", format_rate(found.proved_iops)),
            (
                "error of the prediction",
                "unknown" if found.error_share is None else f"{100 * found.error_share:+.1f} %",
            ),
        ]
    return Table(("what", "figure"), tuple(rows), (False, True))


def _row(alt: Any, row: int, name: str, iops: float, role: str, x: Any) -> list[Any]:
    """A bar under its name and figure."""
    top = ROW_PX * row
    base = alt.Chart(data_of(alt, [{"x": 0, "x2": iops, "name": name, "figure": f"{format_rate(iops)}/s"}]))
    bar = marked(base, "rect", color=colour(role)).encode(
        x=x, x2=alt.X2("x2:Q"), y=alt.YValue(top + _BAR_TOP_PX), y2=alt.Y2Value(top + _BAR_TOP_PX + BAR_PX)
    )
    at = alt.YValue(top + _NAME_TOP_PX)
    figure = marked(base, "text", color=colour("ink"), align="left", baseline="middle", fontWeight="bold")
    words = marked(base, "text", color=colour("ink"), align="left", baseline="middle")
    return [
        bar,
        figure.encode(x=alt.XValue(1), y=at, text=alt.Text("figure:N")),
        words.encode(x=alt.XValue(_NAME_LEFT_PX), y=at, text=alt.Text("name:N")),
    ]


def _line(alt: Any, line_iops: float, x: Any) -> Any:
    """The predicted line drawn down to the axis, so that the eye sees by how much the proof fell short of it or passed it."""
    data = data_of(alt, [{"x": line_iops}])
    rule = marked(alt.Chart(data), "rule", color=colour("line"), strokeWidth=2, strokeDash=[4, 3])
    return rule.encode(x=x, y=alt.YValue(_BAR_TOP_PX), y2=alt.Y2Value(2 * ROW_PX + 4))


def _error(alt: Any, found: Prediction, plot_px: int) -> list[Any]:
    if found.error_share is None:
        return []
    data = data_of(alt, [{"text": error_text(found.error_share)}])
    words = marked(
        alt.Chart(data),
        "text",
        color=colour("line"),
        align="right",
        baseline="middle",
        fontWeight="bold",
        limit=plot_px / 2,
    )
    return [words.encode(x=alt.XValue(plot_px), y=alt.YValue(_NAME_TOP_PX), text=alt.Text("text:N"))]


CHART = Chart(
    title="The prediction and the proof",
    help="The storage's line at the proof's mix beside the I/Os per second that the database did, with the error.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
