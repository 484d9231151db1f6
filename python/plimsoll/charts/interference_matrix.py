"""The interference matrix: how many times longer a client's slow I/Os take beside each of the others.

A row is who suffers, a column beside whom. The darker a field, the worse; every field carries its figure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from plimsoll.base.units import format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._theme import NARROW_PX, colour, finish
from plimsoll.facts import Effect, Interference

ROW_PX = 34
HEIGHT_PX_MIN = 136
NAMES_PX = 124
NARROW_NAMES_PX = 84
_EVERYONE = "all others"
_WORST_RATIO = 10.0
"""From this ratio on a field is as dark as it gets."""
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
    names_px = NARROW_NAMES_PX if narrow else NAMES_PX
    rows = list(dict.fromkeys(name_of(effect.io_class) for effect in found.effects))
    columns = _columns(found)
    heads = alt.Axis(
        title=None, orient="top", domain=False, ticks=False, labelAngle=-40 if narrow or len(columns) > 6 else 0,
        labelAlign="left" if narrow or len(columns) > 6 else "center", labelLimit=120,
    )  # fmt: skip
    names = alt.Axis(
        title=None, domain=False, ticks=False, minExtent=names_px, maxExtent=names_px, labelLimit=names_px
    )
    x = alt.X("column:N", sort=columns).scale(domain=columns, paddingInner=0.04).axis(heads)
    y = alt.Y("row:N", sort=rows).scale(domain=rows, paddingInner=0.08).axis(names)
    base = alt.Chart(alt.Data(values=_fields(found)))
    shade = alt.Opacity("shade:Q").scale(domain=[0, 1], range=[0, _DARKEST]).legend(None)
    field = base.mark_rect(color=colour("missed"), cornerRadius=3).encode(x=x, y=y, opacity=shade)
    frame = base.mark_rect(filled=False, stroke=colour("grid"), cornerRadius=3).encode(x=x, y=y)
    figure = base.mark_text(color=colour("ink"), fontSize=11 if narrow else 12).encode(
        x=x, y=y, text="text:N"
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
    share = f"{found.rate_share:.0%} of its throughput alone"
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


def ratio_text(effect: Effect) -> str:
    """`2.8`, with ≥ where it would have grown further; `unknown`."""
    if effect.p99_ratio is None:
        return "unknown"
    return f"{'≥ ' if effect.lower_bound else ''}{effect.p99_ratio:,.{0 if effect.p99_ratio >= 100 else 1}f}"


def _columns(found: Interference) -> list[str]:
    everyone = [_EVERYONE] if len(found.shapes) > 2 else []
    return [*map(name_of, found.shapes), *everyone]


def _fields(found: Interference) -> list[dict[str, Any]]:
    return [
        {
            "row": name_of(effect.io_class), "column": column, "text": ratio_text(effect),
            "shade": _shade(effect.p99_ratio),
        }
        for effect in found.effects
        if (column := _column(effect.neighbours, found.shapes)) is not None
    ]  # fmt: skip


def _column(neighbours: Sequence[str], shapes: Sequence[str]) -> str | None:
    if len(neighbours) == 1:
        return name_of(neighbours[0])
    return _EVERYONE if len(neighbours) == len(shapes) - 1 else None


def _shade(ratio: float | None) -> float:
    """0 where nothing changed, 1 from the worst ratio on, evenly on a logarithmic scale."""
    if ratio is None or ratio <= 1:
        return 0.0
    return min(1.0, math.log(ratio) / math.log(_WORST_RATIO))


CHART = Chart(
    title="Who makes whom slower",
    help="For each client beside each other one, how many times longer its 99th percentile is than alone.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
