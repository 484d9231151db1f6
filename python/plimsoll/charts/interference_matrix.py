"""The interference matrix: how many times longer a client's slow I/Os take beside each of the others.

A row is who suffers, a column beside whom. The darker a field, the worse, evenly by the logarithm of the ratio up to the worst one
of the picture, so that the scale never ends before the figures do; every field carries its figure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from plimsoll.base.units import format_share, format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked
from plimsoll.charts._theme import NARROW_PX, colour, finish
from plimsoll.charts._values import ratio_text
from plimsoll.facts import Interference

ROW_PX = 34
HEIGHT_PX_MIN = 136
NAMES_PX_MIN, NAMES_PX_MAX = 60, 150
_LETTER_PX = 6.4
"""A letter of a name, on average."""
_EVERYONE = "all others"
_WORST_RATIO_MIN = 10.0
"""The darkest shade stands for the worst ratio, and for no less than this: small effects stay pale."""
_DARKEST = 0.75


def applies(subject: Subject) -> bool:
    """Whether any pair was measured."""
    found = subject.run.interference
    return found is not None and any(effect.p99_ratio is not None for effect in found.effects)


def draw(subject: Subject, width_px: int) -> Any:
    """The matrix, `width_px` pixels wide."""
    alt, found = altair_module(), subject.run.interference
    assert found is not None, "applies() has looked"
    narrow = width_px < NARROW_PX
    rows = list(dict.fromkeys(name_of(effect.io_class) for effect in found.effects))
    columns = _columns(found)
    names_px = min(max(NAMES_PX_MIN, 10 + _LETTER_PX * max(map(len, rows))), NAMES_PX_MAX)
    heads = {
        "title": None, "orient": "top", "domain": False, "ticks": False, "labelAngle": -40 if narrow or len(columns) > 6 else 0,
        "labelAlign": "left" if narrow or len(columns) > 6 else "center", "labelLimit": 120,
    }  # fmt: skip
    names = {
        "title": None,
        "domain": False,
        "ticks": False,
        "minExtent": names_px,
        "maxExtent": names_px,
        "labelLimit": names_px,
    }
    x = alt.X("column:N", sort=columns).scale(domain=columns, paddingInner=0.04).axis(heads)
    y = alt.Y("row:N", sort=rows).scale(domain=rows, paddingInner=0.08).axis(names)
    base = alt.Chart(data_of(alt, _fields(found)))
    shade = alt.Opacity("shade:Q").scale(domain=[0, 1], range=[0, _DARKEST]).legend(None)
    field = marked(base, "rect", color=colour("missed"), cornerRadius=3).encode(x=x, y=y, opacity=shade)
    frame = marked(base, "rect", filled=False, stroke=colour("grid"), cornerRadius=3).encode(x=x, y=y)
    figure = marked(base, "text", color=colour("ink"), fontSize=10 if narrow else 12).encode(
        x=x, y=y, text=alt.Text("short:N") if narrow else "text:N"
    )
    plot_px = width_px - names_px - 20
    return finish(
        alt.layer(field, frame, figure).properties(
            width=plot_px, height=max(ROW_PX * len(rows), HEIGHT_PX_MIN)
        )
    )


def words(subject: Subject) -> str:
    """What the chart shows, with the strongest effect."""
    found = subject.run.interference
    if found is None:
        return "No clients were measured beside each other."
    share = f"{format_share(found.rate_share)} of its throughput alone"
    how = f"p99 beside others as a multiple of the p99 alone; each client asks for {share} in all of its encounters."
    return f"{how} {found.strongest or ''}".strip()


def table(subject: Subject) -> Table:
    """Every effect."""
    found = subject.run.interference
    rows = [
        (
            name_of(effect.io_class), ", ".join(name_of(other) for other in effect.neighbours),
            format_us(effect.latency_us_p99_alone), format_us(effect.latency_us_p99), ratio_text(effect),
        )
        for effect in (found.effects if found is not None else ())
    ]  # fmt: skip
    return Table(
        ("whose", "beside", "p99 alone", "p99", "ratio"), tuple(rows), (False, False, True, True, True)
    )


def name_of(identifier: str) -> str:
    """`oltp readers` for `oltp_readers`."""
    return identifier.replace("_", " ")


def _columns(found: Interference) -> list[str]:
    """Each client, and all others together where that was measured."""
    together = any(_column(effect.neighbours, found.shapes) == _EVERYONE for effect in found.effects)
    return [*map(name_of, found.shapes), *([_EVERYONE] if together else [])]


def _fields(found: Interference) -> list[dict[str, Any]]:
    worst = worst_ratio(found)
    return [
        {
            "row": name_of(effect.io_class), "column": column, "text": ratio_text(effect),
            "short": ratio_text(effect).replace(" ", ""),
            "shade": _shade(effect.p99_ratio, worst),
        }
        for effect in found.effects
        if (column := _column(effect.neighbours, found.shapes)) is not None
    ]  # fmt: skip


def _column(neighbours: Sequence[str], shapes: Sequence[str]) -> str | None:
    if len(neighbours) == 1:
        return name_of(neighbours[0])
    return _EVERYONE if len(neighbours) == len(shapes) - 1 else None


def worst_ratio(found: Interference) -> float:
    """What the darkest shade stands for."""
    return max(_WORST_RATIO_MIN, *(effect.p99_ratio or 0.0 for effect in found.effects))


def _shade(ratio: float | None, worst: float) -> float:
    """0 where nothing changed, 1 at the worst ratio, evenly on a logarithmic scale."""
    if ratio is None or ratio <= 1:
        return 0.0
    return math.log(ratio) / math.log(worst)


CHART = Chart(
    title="Who makes whom slower",
    help="For each client beside each other one, how many times longer its 99th percentile is than alone.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
