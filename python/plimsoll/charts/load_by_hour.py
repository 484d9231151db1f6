"""The load by hour and weekday: the darker a field, the more was asked for in that hour of the week, of the last weeks.

A panel for each of the series that say most; each has shades of its own, from nothing to its busiest hour. An hour that nobody
measured is left open.
"""

from __future__ import annotations

from typing import Any

from plimsoll.base.units import format_rate
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._scales import title_on_top
from plimsoll.charts._theme import NARROW_PX, colour, finish, plot_width
from plimsoll.charts._trend import WEEKDAYS, name_of, series_of
from plimsoll.facts import TrendHour, TrendSeries

HEIGHT_PX = 150
PANELS_MAX = 3
_DAY_S = 86_400
_DARKEST = 0.85
_HOURS = 24


def applies(subject: Subject) -> bool:
    """Whether any series tells hours of a day apart."""
    return bool(_drawn(subject))


def _drawn(subject: Subject) -> list[TrendSeries]:
    return [one for one in series_of(subject) if one.step_s < _DAY_S and _busiest(one) is not None][
        :PANELS_MAX
    ]


def _busiest(one: TrendSeries) -> TrendHour | None:
    found = max(one.hours, key=lambda hour: hour.mean, default=None)
    return found if found is not None and found.mean > 0 else None


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide."""
    alt = altair_module()
    return finish(alt.vconcat(*(_panel(alt, one, width_px) for one in _drawn(subject)), spacing=26))


def _panel(alt: Any, one: TrendSeries, width_px: int) -> Any:
    busiest = _busiest(one)
    assert busiest is not None, "only such are drawn"
    hours_px = one.step_s / 3_600
    values = [
        {
            "x": hour.hour,
            "x2": hour.hour + hours_px,
            "row": WEEKDAYS[hour.weekday],
            "shade": max(0.0, hour.mean / busiest.mean),
        }
        for hour in one.hours
    ]
    ticks = list(range(0, _HOURS + 1, 6 if width_px < NARROW_PX else 3))
    x_axis = {"values": ticks, "title": "hour of the day", "grid": False, "titlePadding": 6}
    x = alt.X("x:Q").scale(domain=[0, _HOURS], nice=False).axis(x_axis)
    y_axis = {"domain": False, "ticks": False, **title_on_top(name_of(one))}
    y = alt.Y("row:N", sort=list(WEEKDAYS)).scale(domain=list(WEEKDAYS), paddingInner=0.06).axis(y_axis)
    shade = alt.Opacity("shade:Q").scale(domain=[0, 1], range=[0, _DARKEST]).legend(None)
    field = alt.Chart(alt.Data(values=values)).mark_rect(color=colour("middle"))
    frame = alt.Chart(alt.Data(values=values)).mark_rect(filled=False, stroke=colour("grid"))
    return alt.layer(
        field.encode(x=x, x2=alt.X2("x2:Q"), y=y, opacity=shade), frame.encode(x=x, x2=alt.X2("x2:Q"), y=y)
    ).properties(width=plot_width(width_px), height=HEIGHT_PX)


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    drawn = _drawn(subject)
    if not drawn:
        return "No series tells the 24 hours of a day apart."
    told = "; ".join(_told(one) for one in drawn)
    return f"The darker, the more, by the mean of the last weeks; each series by itself. {told}."


def _told(one: TrendSeries) -> str:
    hour = _busiest(one)
    assert hour is not None, "only such are drawn"
    return f"{name_of(one)} is busiest on {WEEKDAYS[hour.weekday]} at {hour.hour}:00, with {format_rate(hour.mean)}"


def table(subject: Subject) -> Table:
    """The hours of a day down, weekdays across, of the series that is shown first."""
    one = next(iter(_drawn(subject)), None)
    hours = [] if one is None else sorted({hour.hour for hour in one.hours})
    means = {} if one is None else {(hour.weekday, hour.hour): hour.mean for hour in one.hours}
    rows = tuple(
        (f"{hour}:00", *(format_rate(means.get((weekday, hour))) for weekday in range(len(WEEKDAYS))))
        for hour in hours
    )
    return Table(("hour", *WEEKDAYS), rows, (True,) * (1 + len(WEEKDAYS)))


CHART = Chart(
    title="Load by hour and weekday",
    help="The mean of each hour of the week over the last weeks: the darker, the more.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
