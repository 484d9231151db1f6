"""The windows of a measurement: whether rate and latency stayed the same while it ran.

Drift, burst credit that ran out, and a device's own housekeeping show here; an average would hide them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plimsoll.base.units import format_rate, format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import words_at
from plimsoll.charts._scales import (
    duration_labels,
    duration_ticks,
    latency_axis,
    log_domain,
    log_pixels,
    rate_axis,
    spread,
)
from plimsoll.charts._theme import NARROW_PX, colour, finish, plot_width
from plimsoll.facts import Window

HEIGHT_PX = 120
_QUANTILES = (("p50", "latency_us_p50", "low"), ("p99", "latency_us_p99", "middle"))
_NAMES_PX = 34


def applies(subject: Subject) -> bool:
    """Whether there are windows enough to see a course in."""
    return len(_windows(subject)) >= 3


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide: I/Os per second above, latency below."""
    alt, windows = altair_module(), _windows(subject)
    span_s = windows[-1].start_s + windows[-1].duration_s
    rate, latency = (
        _rate_panel(alt, windows, span_s, width_px),
        _latency_panel(alt, windows, span_s, width_px),
    )
    return finish(alt.vconcat(*[panel for panel in (rate, latency) if panel is not None], spacing=18))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    windows = _windows(subject)
    if not windows:
        return "No windows were kept."
    rates = [window.iops for window in windows]
    text = f"{len(windows)} windows of {windows[0].duration_s:g} s: "
    text += f"between {format_rate(min(rates))} and {format_rate(max(rates))} I/Os per second"
    tails = [window.latency_us_p99 for window in windows if window.latency_us_p99 is not None]
    if tails:
        text += f", p99 between {format_us(min(tails))} and {format_us(max(tails))}"
    return f"{text}."


def table(subject: Subject) -> Table:
    """Every window."""
    rows = [
        (
            f"{window.start_s:.3g} s", format_rate(window.iops), format_us(window.latency_us_p50),
            format_us(window.latency_us_p99), format_us(window.latency_us_max),
        )
        for window in _windows(subject)
    ]  # fmt: skip
    return Table(("from", "I/Os per s", "p50", "p99", "slowest"), tuple(rows), (True,) * 5)


def _windows(subject: Subject) -> Sequence[Window]:
    return subject.run.cell.windows if subject.run.cell is not None else ()


def _x_axis(alt: Any, span_s: float, width_px: int, is_last: bool) -> Any:
    """Seconds, with room on the right for the names of the curves."""
    unit, labels = duration_labels(span_s)
    ticks = duration_ticks(span_s, 5 if width_px < NARROW_PX else 10)
    room = plot_width(width_px) / (plot_width(width_px) - _NAMES_PX)
    axis = alt.Axis(
        values=ticks,
        labelExpr=labels,
        title=unit if is_last else None,
        grid=False,
        labels=is_last,
        titlePadding=6,
    )
    return alt.X("x:Q").scale(domain=[0, span_s * room], nice=False).axis(axis)


def _steps(windows: Sequence[Window], field: str) -> list[dict[str, float | None]]:
    """Where each window starts, and where the last ends; an unknown value breaks the curve."""
    values = [{"x": window.start_s, "y": getattr(window, field)} for window in windows]
    return [*values, {"x": windows[-1].start_s + windows[-1].duration_s, "y": values[-1]["y"]}]


def _rate_panel(alt: Any, windows: Sequence[Window], span_s: float, width_px: int) -> Any:
    x = _x_axis(alt, span_s, width_px, is_last=False)
    y = rate_axis(alt, max(*(window.iops for window in windows), 1e-9) * 1.15, "I/Os per second", count=3)
    data = alt.Data(values=_steps(windows, "iops"))
    curve = (
        alt.Chart(data)
        .mark_line(color=colour("held"), strokeWidth=2, interpolate="step-after")
        .encode(x=x, y=y)
    )
    return curve.properties(width=plot_width(width_px), height=HEIGHT_PX)


def _latency_panel(alt: Any, windows: Sequence[Window], span_s: float, width_px: int) -> Any:
    """p50 and p99; None where neither is known in any window."""
    known = [(name, field, role, _last(windows, field)) for name, field, role in _QUANTILES]
    ends = [(name, field, role, last) for name, field, role, last in known if last is not None]
    if not ends:
        return None
    x = _x_axis(alt, span_s, width_px, is_last=True)
    figures = [value["y"] for _, field, _, _ in ends for value in _steps(windows, field)]
    domain = log_domain(figure for figure in figures if figure)
    y = latency_axis(alt, domain, "latency")
    places = spread(log_pixels([last for *_, last in ends], domain, HEIGHT_PX), 15)
    layers = []
    for (name, field, role, _), place in zip(ends, places, strict=True):
        data = alt.Data(values=_steps(windows, field))
        layers.append(
            alt.Chart(data)
            .mark_line(color=colour(role), strokeWidth=2, interpolate="step-after")
            .encode(x=x, y=y)
        )
        end, at = [{"x": span_s, "text": name}], alt.YValue(place)
        layers += words_at(alt, end, role, x, at, align="left", dx=6, fontWeight="bold")
    return alt.layer(*layers).properties(width=plot_width(width_px), height=HEIGHT_PX)


def _last(windows: Sequence[Window], field: str) -> float | None:
    found = [getattr(window, field) for window in windows if getattr(window, field)]
    return found[-1] if found else None


CHART = Chart(
    title="While it ran",
    help="Rate and latency of each window of a measurement, to see whether it stayed the same.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
