"""Series over weeks: the mean of each day, what its hours reach, steps, hours unlike themselves, and the band of what is to come.

A panel for each of the series that say most. A day without values leaves its panel open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from plimsoll.base.units import format_rate
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import words_at
from plimsoll.charts._scales import COUNT_LABELS, title_on_top
from plimsoll.charts._theme import NARROW_PX, colour, finish, plot_width
from plimsoll.charts._trend import name_of, series_of
from plimsoll.facts import TrendAhead, TrendDay, TrendSeries

HEIGHT_PX = 150
PANELS_MAX = 4
_DAYS_DRAWN_MAX = 180
_ROWS_MAX = 60
_DAY_MS = 86_400_000
_LIMIT_IN_VIEW = 3.0
"""A limit further above all else than this would press the series flat; the words still give it."""


def applies(subject: Subject) -> bool:
    """Whether any series has days to draw."""
    return bool(_drawn(subject))


def _drawn(subject: Subject) -> list[TrendSeries]:
    return [one for one in series_of(subject) if len(one.days) > 1][:PANELS_MAX]


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide."""
    alt = altair_module()
    panels = [_panel(alt, one, width_px) for one in _drawn(subject)]
    return finish(alt.vconcat(*panels, spacing=26))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    drawn = _drawn(subject)
    if not drawn:
        return "No series has 2 days or more."
    told = [f"{name_of(one)}: {one.reason}" for one in drawn]
    how = "The line is the mean of each day, the area above it what 95 of 100 hours do not exceed"
    ahead = (
        ", and the band at the end what 90 of 100 hours are expected to be"
        if any(one.ahead for one in drawn)
        else ""
    )
    return f"{how}{ahead}. {'; '.join(told)}."


def table(subject: Subject) -> Table:
    """The last days, and the next, of the series that is shown first."""
    one = next(iter(_drawn(subject)), None)
    days = [] if one is None else [*one.days[-_ROWS_MAX // 2 :], *one.ahead[: _ROWS_MAX // 2]]
    rows = tuple(_row(day) for day in days)
    return Table(("day", "mean", "p95, or high end", "low end"), rows, (False, True, True, True))


def _row(day: TrendDay | TrendAhead) -> tuple[str, ...]:
    if isinstance(day, TrendDay):
        return day.day, format_rate(day.mean), format_rate(day.p95), ""
    return f"{day.day}, expected", format_rate(day.mean), format_rate(day.high), format_rate(day.low)


def _milliseconds(time: str) -> float:
    return 1_000 * datetime.fromisoformat(time).replace(tzinfo=UTC).timestamp()


def _panel(alt: Any, one: TrendSeries, width_px: int) -> Any:
    past, ahead = _past(one.days), _ahead(one.ahead)
    low, high = _bounds(one, past, ahead)
    span = [past[0]["x"], (ahead or past)[-1]["x"]]
    x = _x(alt, span, 3 if width_px < NARROW_PX else 6)
    axis = {"labelExpr": COUNT_LABELS, "tickCount": 3, "domain": False, "ticks": False}
    y = alt.Y("y:Q").scale(domain=[low, high], nice=False).axis({**axis, **title_on_top(name_of(one))})
    layers = [*_expected(alt, ahead, x, y), *_measured(alt, past, x, y), *_events(alt, one, x, y)]
    if one.limit_value is not None and one.limit_value <= high:
        layers += _limit(alt, one.limit_value, span, x, y)
    return alt.layer(*layers).properties(width=plot_width(width_px), height=HEIGHT_PX)


def _x(alt: Any, span: Sequence[float], count: int) -> Any:
    """Midnights, so far apart that their names have room."""
    step = _DAY_MS * max(1, math.ceil((span[1] - span[0]) / _DAY_MS / count))
    ticks = [span[0] + step * number for number in range(math.ceil((span[1] - span[0]) / step))]
    axis = {"values": ticks, "format": "%Y-%m-%d", "title": None, "grid": False, "labelAlign": "left"}
    return alt.X("x:T").scale(type="utc", domain=list(span), nice=False).axis(axis)


def _past(days: Sequence[TrendDay]) -> list[dict[str, Any]]:
    """A point for each day; of a long series for several together."""
    step = math.ceil(len(days) / _DAYS_DRAWN_MAX)
    groups = (days[at : at + step] for at in range(0, len(days), step))
    return [_together(group) for group in groups]


def _together(days: Sequence[TrendDay]) -> dict[str, Any]:
    means = [day.mean for day in days if day.mean is not None]
    highs = [day.p95 for day in days if day.p95 is not None]
    mean = sum(means) / len(means) if means else None
    return {"x": _milliseconds(days[0].day), "y": mean, "y2": max(highs) if highs else None}


def _ahead(days: Sequence[TrendAhead]) -> list[dict[str, Any]]:
    step = max(1, math.ceil(len(days) / _DAYS_DRAWN_MAX))
    return [
        {"x": _milliseconds(day.day), "y": day.mean, "low": day.low, "high": day.high} for day in days[::step]
    ]


def _bounds(
    one: TrendSeries, past: Sequence[dict[str, Any]], ahead: Sequence[dict[str, Any]]
) -> tuple[float, float]:
    known = [value for point in past for value in (point["y"], point["y2"]) if value is not None]
    known += [value for point in ahead for value in (point["low"], point["high"])]
    known += [each.value for each in one.anomalies]
    high = max(known, default=1.0)
    if one.limit_value is not None and 0 < one.limit_value <= _LIMIT_IN_VIEW * high:
        high = max(high, one.limit_value)
    low = min(0.0, *known) if known else 0.0
    return 1.1 * low, max(1.12 * high, low + 1e-9)


def _measured(alt: Any, past: list[dict[str, Any]], x: Any, y: Any) -> list[Any]:
    base = alt.Chart(alt.Data(values=past))
    area = base.mark_area(
        color=colour("middle"), opacity=0.16, interpolate="step-after", invalid="break-paths-filter-domains"
    )
    line = base.mark_line(
        color=colour("middle"),
        strokeWidth=1.6,
        interpolate="step-after",
        invalid="break-paths-filter-domains",
    )
    return [area.encode(x=x, y=y, y2=alt.Y2("y2:Q")), line.encode(x=x, y=y)]


def _expected(alt: Any, ahead: list[dict[str, Any]], x: Any, y: Any) -> list[Any]:
    if not ahead:
        return []
    band = [{"x": point["x"], "y": point["low"], "y2": point["high"]} for point in ahead]
    area = alt.Chart(alt.Data(values=band)).mark_area(color=colour("held"), opacity=0.2)
    line = alt.Chart(alt.Data(values=ahead)).mark_line(
        color=colour("held"), strokeWidth=1.6, strokeDash=[5, 3]
    )
    return [area.encode(x=x, y=y, y2=alt.Y2("y2:Q")), line.encode(x=x, y=y)]


def _events(alt: Any, one: TrendSeries, x: Any, y: Any) -> list[Any]:
    layers = []
    if one.steps:
        values = [{"x": _milliseconds(step.time)} for step in one.steps]
        rule = alt.Chart(alt.Data(values=values)).mark_rule(color=colour("demand"), strokeDash=[3, 3])
        layers.append(rule.encode(x=x))
    if one.anomalies:
        values = [{"x": _milliseconds(each.time), "y": each.value} for each in one.anomalies]
        mark = alt.Chart(alt.Data(values=values)).mark_point(
            color=colour("missed"), shape="triangle-up", filled=True, size=40, opacity=1
        )
        layers.append(mark.encode(x=x, y=y))
    return layers


def _limit(alt: Any, limit: float, span: Sequence[float], x: Any, y: Any) -> list[Any]:
    ends = [{"x": at, "y": limit} for at in span]
    rule = alt.Chart(alt.Data(values=ends)).mark_line(color=colour("line"), strokeWidth=2)
    start = [{**ends[0], "text": f"limit {format_rate(limit)}"}]
    style = {"align": "left", "dx": 4, "dy": -8, "fontWeight": "bold"}
    return [rule.encode(x=x, y=y), *words_at(alt, start, "line", x, y, **style)]


CHART = Chart(
    title="Where it goes",
    help="Means of days, what hours reach, steps, hours unlike themselves, and the band of what is to come.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
