"""Days until each series reaches its limit, with the interval of 90 %, beside how far anything is foreseen."""

from __future__ import annotations

from typing import Any

from plimsoll.base.units import format_rate
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._theme import NARROW_PX, colour, finish
from plimsoll.charts._trend import name_of, series_of
from plimsoll.facts import TrendSeries

ROW_PX = 34
_ROWS_MAX = 20
_HEIGHT_PX_MIN = 120
_NAMES_PX_MAX = 190
_LETTER_PX = 6.4


def applies(subject: Subject) -> bool:
    """Whether any series may reach a limit as far as is foreseen."""
    return bool(_drawn(subject))


def _drawn(subject: Subject) -> list[TrendSeries]:
    return [one for one in series_of(subject) if one.days_to_limit_low is not None][:_ROWS_MAX]


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide."""
    alt, drawn = altair_module(), _drawn(subject)
    names = [name_of(one) for one in drawn]
    names_px = min(_NAMES_PX_MAX, width_px // 3, int(14 + _LETTER_PX * max(map(len, names))))
    longest = max(1.0, *(one.days_to_limit_high or one.horizon_days or 1 for one in drawn))
    axis = {
        "tickCount": 4 if width_px < NARROW_PX else 8,
        "title": "days from the end of the series",
        "grid": True,
    }
    x = alt.X("x:Q").scale(domain=[0, 1.05 * longest], nice=False).axis(axis)
    heads = {"title": None, "domain": False, "ticks": False, "minExtent": names_px, "maxExtent": names_px,
             "labelLimit": names_px - 8}  # fmt: skip
    y = alt.Y("row:N", sort=names).scale(domain=names).axis(heads)
    bars = [
        {"row": name_of(one), "x": one.days_to_limit_low, "x2": one.days_to_limit_high or longest}
        for one in drawn
    ]
    dots = [{"row": name_of(one), "x": one.days_to_limit} for one in drawn if one.days_to_limit is not None]
    bar = alt.Chart(alt.Data(values=bars)).mark_bar(color=colour("missed"), opacity=0.3, height=12)
    dot = alt.Chart(alt.Data(values=dots)).mark_point(color=colour("missed"), filled=True, size=80, opacity=1)
    layers = [bar.encode(x=x, x2=alt.X2("x2:Q"), y=y), dot.encode(x=x, y=y)]
    height = max(ROW_PX * len(drawn), _HEIGHT_PX_MIN)
    return finish(alt.layer(*layers).properties(width=width_px - names_px - 20, height=height))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    drawn = _drawn(subject)
    if not drawn:
        limits = sum(one.limit_value is not None for one in series_of(subject))
        return f"None of {limits} series with a limit is foreseen to reach it."
    return f"The dot is the likeliest day, the bar holds it with 90 %. {'; '.join(map(_told, drawn))}."


def _told(one: TrendSeries) -> str:
    low, days, high = (_days(one, value) for value in _ends(one))
    return f"{name_of(one)}: {days} days, {low} to {high}"


def _ends(one: TrendSeries) -> tuple[float | None, float | None, float | None]:
    return one.days_to_limit_low, one.days_to_limit, one.days_to_limit_high


def _days(one: TrendSeries, days: float | None) -> str:
    return f"more than {one.horizon_days or 0:,}" if days is None else f"{days:,.0f}"


def table(subject: Subject) -> Table:
    """Every series that may reach its limit."""
    rows = tuple(
        (
            one.database,
            one.metric,
            format_rate(one.limit_value),
            format_rate(one.quiet if one.limit_is_floor else one.busy),
            *(_days(one, value) for value in _ends(one)),
        )
        for one in _drawn(subject)
    )
    columns = (
        "database",
        "metric",
        "limit",
        "busy or low hours now",
        "days, at the earliest",
        "days",
        "days, at the latest",
    )
    return Table(columns, rows, (False, False, *(True,) * 5))


CHART = Chart(
    title="Days left",
    help="Days until each series reaches its limit, with the interval that holds them with 90 %.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
