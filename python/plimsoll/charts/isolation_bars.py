"""By how much noise raises p99: a bar with its interval for each kind of noise, without slices and in them, and a line at 1."""

from __future__ import annotations

from typing import Any

from plimsoll.base.units import format_ratio
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked
from plimsoll.charts._theme import NARROW_PX, RIGHT_PX, colour, finish
from plimsoll.facts import IsolationEffect, Ratio

_ROW_PX, _BAR_PX = 46, 14
_STANDS = (("without slices", "missed"), ("in slices", "middle"))


def applies(subject: Subject) -> bool:
    """Whether any ratio is known."""
    return bool(_bars(subject))


def draw(subject: Subject, width_px: int) -> Any:
    """The bars, `width_px` pixels wide, each below its name."""
    alt, bars = altair_module(), _bars(subject)
    known = [ratio for _, _, ratio in bars]
    most = max(max(one.ratio or 0.0, one.ci95[1] if one.ci95 else 0.0) for one in known)
    height = len(bars) * _ROW_PX
    axis = {
        "tickCount": 4 if width_px < NARROW_PX else 8,
        "title": "p99 beside noise ÷ alone",
        "titlePadding": 6,
        "grid": False,
    }
    x = alt.X("x:Q").scale(domain=[0, max(1.1, 1.05 * most)], nice=False).axis(axis)
    y = alt.Y("y:Q").scale(domain=[height, 0], nice=False).axis(None)
    layers = []
    for stand, role in _STANDS:
        spans = [
            {"x": 0.0, "x2": ratio.ratio, "y": at * _ROW_PX + 20, "y2": at * _ROW_PX + 20 + _BAR_PX}
            for at, (_, where, ratio) in enumerate(bars)
            if where == stand
        ]
        if spans:
            mark = marked(alt.Chart(data_of(alt, spans)), "rect", color=colour(role))
            layers.append(mark.encode(x=x, x2="x2:Q", y=y, y2="y2:Q"))
    layers += _intervals(alt, known, x, y)
    names = [{"x": 0, "y": at * _ROW_PX + 10, "text": _title(*bar)} for at, bar in enumerate(bars)]
    label = marked(
        alt.Chart(data_of(alt, names)), "text", color=colour("ink"), align="left", baseline="middle"
    )
    one = marked(alt.Chart(data_of(alt, [{"x": 1.0, "y": 0, "y2": height}])), "rule", color=colour("axis"))
    layers += [one.encode(x=x, y=y, y2="y2:Q"), label.encode(x=x, y=y, text="text:N")]
    return finish(alt.layer(*layers).properties(width=width_px - RIGHT_PX - 12, height=height))


def _intervals(alt: Any, known: list[Ratio], x: Any, y: Any) -> list[Any]:
    spans = [
        {"x": one.ci95[0], "x2": one.ci95[1], "y": at * _ROW_PX + 20 + _BAR_PX / 2}
        for at, one in enumerate(known)
        if one.ci95 is not None
    ]
    if not spans:
        return []
    rule = marked(alt.Chart(data_of(alt, spans)), "rule", color=colour("ink"), strokeWidth=1.6)
    return [rule.encode(x=x, x2="x2:Q", y=y)]


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    bars = _bars(subject)
    return "; ".join(_title(*bar) for bar in bars) + "." if bars else "No ratio is known."


def table(subject: Subject) -> Table:
    """Every bar."""
    rows = tuple(
        (f"noise of {effect.noise}", where, format_ratio(ratio.ratio), _interval(ratio), str(ratio.rounds))
        for effect, where, ratio in _bars(subject)
    )
    columns = ("noise", "where", "p99 ÷ alone", "95 % interval", "rounds")
    return Table(columns, rows, (False, False, True, True, True))


def _bars(subject: Subject) -> list[tuple[IsolationEffect, str, Ratio]]:
    found = subject.run.results.get("isolation")
    return [
        (effect, where, ratio)
        for effect in (found.effects if found is not None else ())
        for where, ratio in (
            (_STANDS[0][0], effect.p99_unsliced),
            (_STANDS[1][0], effect.p99_sliced),
        )
        if ratio.ratio is not None
    ]


def _title(effect: IsolationEffect, where: str, ratio: Ratio) -> str:
    return f"noise of {effect.noise}, {where}: {format_ratio(ratio.ratio)} times, {_interval(ratio)}"


def _interval(ratio: Ratio) -> str:
    if ratio.ci95 is None:
        return "no interval"
    return f"{format_ratio(ratio.ci95[0])} to {format_ratio(ratio.ci95[1])}"


CHART = Chart(
    title="What noise does to p99",
    help="99th percentile beside each kind of noise over that alone, without slices and in them, with intervals.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
