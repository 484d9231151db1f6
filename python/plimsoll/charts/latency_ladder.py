"""How long one read takes from each rung of a host: a bar for each on a logarithmic scale, where decades are equally long."""

from __future__ import annotations

import math
from typing import Any

from plimsoll.base.units import format_ns, format_ratio
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked
from plimsoll.charts._scales import LATENCY_LABELS
from plimsoll.charts._theme import NARROW_PX, RIGHT_PX, colour, finish
from plimsoll.facts import LatencyRung

_ROW_PX, _BAR_PX = 40, 12
_ROLES = {"cache": "low", "memory": "middle", "storage": "demand"}
_DECADES_WIDE_MAX = 5


def applies(subject: Subject) -> bool:
    """Whether any rung was measured."""
    return bool(_rungs(subject))


def draw(subject: Subject, width_px: int) -> Any:
    """The bars, `width_px` pixels wide, each below its name."""
    alt, rungs = altair_module(), _rungs(subject)
    height, ends = len(rungs) * _ROW_PX, _decades(rungs)
    width = width_px - RIGHT_PX - 14
    powers = range(ends[0], ends[1] + 1)
    step = 2 if width_px < NARROW_PX and len(powers) > _DECADES_WIDE_MAX else 1
    axis = {
        "values": [10.0**power for power in powers][::step], "labelExpr": LATENCY_LABELS, "title": "time of one read",
        "titlePadding": 6,
    }  # fmt: skip
    x = alt.X("x:Q").scale(type="log", domain=[10.0 ** ends[0], 10.0 ** ends[1]], nice=False).axis(axis)
    y = alt.Y("y:Q").scale(domain=[height, 0], nice=False).axis(None)
    layers = []
    for kind, role in _ROLES.items():
        bars = [_bar(at, one, 10.0 ** ends[0]) for at, one in enumerate(rungs) if one.kind == kind]
        if bars:
            mark = marked(alt.Chart(data_of(alt, bars)), "rect", color=colour(role))
            layers.append(mark.encode(x=x, x2="x2:Q", y=y, y2="y2:Q"))
    names = [
        {"x": 10.0 ** ends[0], "y": at * _ROW_PX + 10, "text": _title(one)} for at, one in enumerate(rungs)
    ]
    label = marked(
        alt.Chart(data_of(alt, names)),
        "text",
        color=colour("ink"),
        align="left",
        baseline="middle",
        limit=width,
    )
    layers.append(label.encode(x=x, y=y, text="text:N"))
    return finish(alt.layer(*layers).properties(width=width, height=height))


def _bar(at: int, one: LatencyRung, begin_us: float) -> dict[str, float]:
    top = at * _ROW_PX + 20
    return {"x": begin_us, "x2": _us(one), "y": top, "y2": top + _BAR_PX}


def _decades(rungs: list[LatencyRung]) -> tuple[int, int]:
    """Powers of ten of a microsecond around all of them: the shortest bar has some length, and the longest ends within."""
    logs = [math.log10(_us(one)) for one in rungs]
    return math.ceil(min(logs)) - 1, math.floor(max(logs)) + 1


def _us(one: LatencyRung) -> float:
    return (one.latency_ns or 0.0) / 1e3


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    rungs = _rungs(subject)
    return "; ".join(_title(one) for one in rungs) + "." if rungs else "No rung was measured."


def table(subject: Subject) -> Table:
    """Every rung that was measured."""
    rows = tuple(
        (
            one.name,
            format_ns(_us(one) * 1e3),
            "" if one.ratio_above is None else format_ratio(one.ratio_above),
        )
        for one in _rungs(subject)
    )
    return Table(("rung", "a read", "times the one above"), rows, (False, True, True))


def _rungs(subject: Subject) -> list[LatencyRung]:
    found = subject.run.results.get("latency_ladder")
    return [one for one in (found.rungs if found is not None else ()) if one.latency_ns]


def _title(one: LatencyRung) -> str:
    times = "" if one.ratio_above is None else f", × {format_ratio(one.ratio_above)}"
    return f"{one.name}: {format_ns(_us(one) * 1e3)}{times}"


CHART = Chart(
    title="The latency ladder",
    help="Mean time of one read from each cache, memory and storage of a host, on a logarithmic scale.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
