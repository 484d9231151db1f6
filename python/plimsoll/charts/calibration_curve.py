"""The curves of a calibration: what more I/Os in flight bring, and what they cost.

Rate and latency of the small I/Os against how many of them are outstanding, one curve for each load of large I/Os beside
them; and the bandwidth of the large I/Os alone. The knee is where more of them bring little rate and much latency.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from plimsoll.base.units import format_mb, format_rate, format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked, words_at
from plimsoll.charts._scales import latency_axis, log_domain, log_pixels, rate_axis, spread
from plimsoll.charts._theme import DASHES, NARROW_PX, SHAPES, colour, finish, plot_width
from plimsoll.facts import Calibration, Point

HEIGHT_PX = 150
NAMES_PX = 74
CURVES_MAX = 4
"""More curves would cover each other: the first, the last, and those in between at equal distances."""
_ROLES = ("middle", "held", "demand", "missed")

_Value = Callable[[Point], float | None]
_rate: _Value = attrgetter("small_iops")
_latency: _Value = attrgetter("small_latency_us_mean")


def applies(subject: Subject) -> bool:
    """Whether some load was measured at two depths, so that there is a curve."""
    found = subject.run.calibration
    return found is not None and bool(_small_curves(found) or _large_curve(found))


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide: rate above latency of the small I/Os, then the bandwidth of the large ones."""
    alt, found = altair_module(), subject.run.calibration
    assert found is not None, "applies() has looked"
    panels = []
    if curves := _small_curves(found):
        panels += [
            _rate_panel(alt, curves, found, width_px),
            _latency_panel(alt, curves, width_px),
        ]
    if len(large := _large_curve(found)) > 1:
        panels.append(_bandwidth_panel(alt, large, width_px))
    return finish(alt.vconcat(*panels, spacing=22))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    found = subject.run.calibration
    if found is None:
        return "No calibration was made."
    parts = [f"{len(found.points)} points."]
    if (best := found.max_small_iops) is not None:
        parts.append(
            f"At most {format_rate(best.value)} small I/Os per second, with {best.small_depth} outstanding."
        )
    if (best := found.max_large_mb_per_s) is not None:
        parts.append(
            f"At most {format_mb(best.value)} MB/s in large I/Os, with {best.large_depth} outstanding."
        )
    if (knee := found.knee) is not None:
        rate, latency = format_rate(knee.iops), format_us(knee.latency_us_mean)
        parts.append(
            f"The knee is at {knee.small_depth} outstanding: {rate} I/Os per second at {latency} on average."
        )
    return " ".join(parts)


def table(subject: Subject) -> Table:
    """Every point."""
    found = subject.run.calibration
    rows = [
        (
            str(point.small_depth), str(point.large_depth), _or_dash(point.small_iops, format_rate),
            _or_dash(point.small_latency_us_mean, format_us), _or_dash(point.large_mb_per_s, format_mb),
        )
        for point in (found.points if found is not None else ())
    ]  # fmt: skip
    columns = (
        "small outstanding",
        "large outstanding",
        "small I/Os per s",
        "small mean latency",
        "large MB/s",
    )
    return Table(columns, tuple(rows), (True,) * 5)


def _or_dash(value: float | None, form: Callable[[float], str]) -> str:
    return "–" if value is None else form(value)


@dataclass(frozen=True)
class _Curve:
    name: str
    order: int
    points: list[Point]

    @property
    def role(self) -> str:
        return _ROLES[self.order]

    def values(self, value: _Value) -> list[dict[str, float]]:
        found = [(point.small_depth, value(point)) for point in self.points]
        return [{"x": x, "y": y} for x, y in found if y]


def _small_curves(found: Calibration) -> list[_Curve]:
    """One curve for each load of large I/Os that was measured with two or more loads of small ones."""
    by_large: dict[int, list[Point]] = {}
    for point in sorted(found.points, key=lambda point: (point.large_depth, point.small_depth)):
        if point.small_depth and point.small_iops:
            by_large.setdefault(point.large_depth, []).append(point)
    lines = [(large, points) for large, points in by_large.items() if len(points) > 1]
    return [
        _Curve(f"{large} large" if large else "alone", order, points)
        for order, (large, points) in enumerate(_few(lines))
    ]


def _few(lines: list[tuple[int, list[Point]]]) -> list[tuple[int, list[Point]]]:
    if len(lines) <= CURVES_MAX:
        return lines
    last = len(lines) - 1
    return [lines[round(index * last / (CURVES_MAX - 1))] for index in range(CURVES_MAX)]


def _large_curve(found: Calibration) -> list[Point]:
    alone = [point for point in found.points if not point.small_depth and point.large_mb_per_s]
    return sorted(alone, key=lambda point: point.large_depth)


def _x(alt: Any, depths: Sequence[int], width_px: int, title: str | None) -> Any:
    """Outstanding I/Os, doubling from tick to tick, with room on the right for the names of the curves."""
    low, high = min(depths), max(depths)
    ticks = [2.0**power for power in range(20) if low <= 2**power <= high] or [float(low)]
    if width_px < NARROW_PX:
        ticks = ticks[:: 1 + len(ticks) // 6]
    share = NAMES_PX / (plot_width(width_px) - NAMES_PX)
    domain = [low, high * (high / low) ** share if high > low else high * 2]
    axis = {"values": ticks, "title": title, "grid": False, "titlePadding": 6, "format": "~s"}
    return alt.X("x:Q").scale(type="log", base=2, domain=domain, nice=False).axis(axis)


def _depths(curves: Sequence[_Curve]) -> list[int]:
    return [point.small_depth for curve in curves for point in curve.points]


def _curve_marks(
    alt: Any, values: list[dict[str, float]], role: str, x: Any, y: Any, order: int = 0
) -> list[Any]:
    """A curve and its points; by `order` each has a stroke and a mark of its own."""
    base = alt.Chart(data_of(alt, values))
    line = marked(base, "line", color=colour(role), strokeDash=DASHES[order], strokeWidth=2).encode(x=x, y=y)
    point = marked(base, "point", color=colour(role), shape=SHAPES[order], filled=True, size=30, opacity=1)
    return [line, point.encode(x=x, y=y)]


def _rate_panel(alt: Any, curves: Sequence[_Curve], found: Calibration, width_px: int) -> Any:
    x = _x(alt, _depths(curves), width_px, None)
    top = max(value["y"] for curve in curves for value in curve.values(_rate)) * 1.12
    y = rate_axis(alt, top, "small I/Os per second", count=4)
    ends = [HEIGHT_PX * (1 - curve.values(_rate)[-1]["y"] / top) for curve in curves]
    layers = _panel(alt, curves, _rate, ends, x, y)
    if found.knee is not None:
        at = [{"x": found.knee.small_depth, "y": found.knee.iops, "text": "knee"}]
        ring = marked(
            alt.Chart(data_of(alt, at)), "point", size=190, color=colour("line"), strokeWidth=2, filled=False
        )
        layers.append(ring.encode(x=x, y=y))
        layers += words_at(alt, at, "line", x, y, align="left", dx=9, dy=14, fontWeight="bold")
    return alt.layer(*layers).properties(width=plot_width(width_px), height=HEIGHT_PX)


def _latency_panel(alt: Any, curves: Sequence[_Curve], width_px: int) -> Any:
    x = _x(alt, _depths(curves), width_px, "small I/Os outstanding")
    domain = log_domain(value["y"] for curve in curves for value in curve.values(_latency))
    y = latency_axis(alt, domain, "mean latency of small I/Os")
    ends = log_pixels([curve.values(_latency)[-1]["y"] for curve in curves], domain, HEIGHT_PX)
    layers = _panel(alt, curves, _latency, ends, x, y)
    return alt.layer(*layers).properties(width=plot_width(width_px), height=HEIGHT_PX)


def _panel(
    alt: Any, curves: Sequence[_Curve], value: _Value, ends_px: list[float], x: Any, y: Any
) -> list[Any]:
    """Every curve, with its name at its right end where there are several."""
    layers = []
    for curve, end_px in zip(curves, spread(ends_px, 15), strict=True):
        values = curve.values(value)
        layers += _curve_marks(alt, values, curve.role, x, y, curve.order)
        if len(curves) > 1:
            name, place = [{"x": values[-1]["x"], "text": curve.name}], alt.YValue(end_px)
            layers += words_at(alt, name, curve.role, x, place, align="left", dx=9, fontWeight="bold")
    return layers


def _bandwidth_panel(alt: Any, points: Sequence[Point], width_px: int) -> Any:
    values = [{"x": point.large_depth, "y": point.large_mb_per_s or 0.0} for point in points]
    x = _x(alt, [point.large_depth for point in points], width_px, "large I/Os outstanding")
    y = rate_axis(alt, max(value["y"] for value in values) * 1.12, "large I/Os, MB/s", count=4)
    layers = _curve_marks(alt, values, "high", x, y)
    return alt.layer(*layers).properties(width=plot_width(width_px), height=HEIGHT_PX)


CHART = Chart(
    title="What more I/Os in flight bring",
    help="Rate and latency of small I/Os and bandwidth of large ones against how many are outstanding, with the knee.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
