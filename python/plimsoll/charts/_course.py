"""Rate and latency over the time of a measurement, one panel above the other; shared by charts of windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plimsoll.base.units import format_rate, format_seconds, format_us
from plimsoll.charts._chart import Table, altair_module
from plimsoll.charts._marks import data_of, marked, words_at
from plimsoll.charts._scales import (
    duration_labels,
    duration_ticks,
    latency_axis,
    log_domain,
    log_pixels,
    rate_axis,
    spread,
)
from plimsoll.charts._theme import DASHES, NARROW_PX, colour, finish, plot_width
from plimsoll.facts import Window

HEIGHT_PX = 120
_QUANTILES = (("p50", "latency_us_p50", "low"), ("p99", "latency_us_p99", "middle"))
_DASHES = {"p50": DASHES[1], "p99": DASHES[0]}
_NAMES_PX = 34


def course(windows: Sequence[Window], width_px: int, limit_us: float | None = None) -> Any:
    """I/Os per second above, p50 and p99 below, with the limit of p99 as a rule where there is one."""
    alt, span_s = altair_module(), windows[-1].start_s + windows[-1].duration_s
    rate = _rate_panel(alt, windows, span_s, width_px)
    latency = _latency_panel(alt, windows, span_s, width_px, limit_us)
    return finish(alt.vconcat(*[panel for panel in (rate, latency) if panel is not None], spacing=18))


def course_words(windows: Sequence[Window]) -> str:
    """What the panels show, with the figures."""
    if not windows:
        return "No windows were kept."
    rates = [window.iops for window in windows]
    text = f"{len(windows)} windows of {format_seconds(windows[0].duration_s)}: "
    text += f"between {format_rate(min(rates))} and {format_rate(max(rates))} I/Os per second"
    tails = [window.latency_us_p99 for window in windows if window.latency_us_p99 is not None]
    if tails:
        text += f", p99 between {format_us(min(tails))} and {format_us(max(tails))}"
    return f"{text}."


def course_table(windows: Sequence[Window]) -> Table:
    """Every window."""
    rows = [
        (
            format_seconds(window.start_s), format_rate(window.iops), format_us(window.latency_us_p50),
            format_us(window.latency_us_p99), format_us(window.latency_us_max),
        )
        for window in windows
    ]  # fmt: skip
    return Table(("from", "I/Os per s", "p50", "p99", "slowest"), tuple(rows), (True,) * 5)


def _x_axis(alt: Any, span_s: float, width_px: int, is_last: bool) -> Any:
    """Seconds, with room on the right for the names of the curves."""
    unit, labels = duration_labels(span_s)
    ticks = duration_ticks(span_s, 5 if width_px < NARROW_PX else 10)
    room = plot_width(width_px) / (plot_width(width_px) - _NAMES_PX)
    axis = {
        "values": ticks,
        "labelExpr": labels,
        "title": unit if is_last else None,
        "grid": False,
        "labels": is_last,
        "titlePadding": 6,
    }
    return alt.X("x:Q").scale(domain=[0, span_s * room], nice=False).axis(axis)


def steps(windows: Sequence[Window], field: str) -> list[dict[str, float | None]]:
    """Where each window starts, and where the last ends; an unknown value breaks the curve."""
    values = [{"x": window.start_s, "y": getattr(window, field)} for window in windows]
    return [*values, {"x": windows[-1].start_s + windows[-1].duration_s, "y": values[-1]["y"]}]


def _rate_panel(alt: Any, windows: Sequence[Window], span_s: float, width_px: int) -> Any:
    x = _x_axis(alt, span_s, width_px, is_last=False)
    y = rate_axis(alt, max(*(window.iops for window in windows), 1e-9) * 1.15, "I/Os per second", count=3)
    data = data_of(alt, steps(windows, "iops"))
    curve = marked(
        alt.Chart(data), "line", color=colour("held"), strokeWidth=2, interpolate="step-after"
    ).encode(x=x, y=y)
    return curve.properties(width=plot_width(width_px), height=HEIGHT_PX)


def _latency_panel(
    alt: Any, windows: Sequence[Window], span_s: float, width_px: int, limit_us: float | None
) -> Any:
    """p50 and p99; None where neither is known in any window."""
    known = [(name, field, role, _last(windows, field)) for name, field, role in _QUANTILES]
    ends = [(name, field, role, last) for name, field, role, last in known if last is not None]
    if not ends:
        return None
    x = _x_axis(alt, span_s, width_px, is_last=True)
    figures = [value["y"] for _, field, _, _ in ends for value in steps(windows, field)]
    domain = log_domain([*(figure for figure in figures if figure), *([limit_us] if limit_us else [])])
    y = latency_axis(alt, domain, "latency")
    places = spread(log_pixels([last for *_, last in ends], domain, HEIGHT_PX), 15)
    layers = [] if limit_us is None else _limit(alt, limit_us, span_s, x, y)
    for (name, field, role, _), place in zip(ends, places, strict=True):
        data = data_of(alt, steps(windows, field))
        layers.append(
            marked(
                alt.Chart(data),
                "line",
                color=colour(role),
                strokeWidth=2,
                strokeDash=_DASHES[name],
                interpolate="step-after",
            ).encode(x=x, y=y)
        )
        end, at = [{"x": span_s, "text": name}], alt.YValue(place)
        layers += words_at(alt, end, role, x, at, align="left", dx=6, fontWeight="bold")
    return alt.layer(*layers).properties(width=plot_width(width_px), height=HEIGHT_PX)


def _last(windows: Sequence[Window], field: str) -> float | None:
    found = [getattr(window, field) for window in windows if getattr(window, field)]
    return found[-1] if found else None


def _limit(alt: Any, limit_us: float, span_s: float, x: Any, y: Any) -> list[Any]:
    """A dashed rule, named at its beginning."""
    ends = data_of(alt, [{"x": 0.0, "y": limit_us}, {"x": span_s, "y": limit_us}])
    rule = marked(alt.Chart(ends), "line", color=colour("missed"), strokeDash=[4, 3]).encode(x=x, y=y)
    start = [{"x": 0.0, "y": limit_us, "text": "limit of p99"}]
    return [rule, *words_at(alt, start, "missed", x, y, align="left", dx=4, dy=-7)]
