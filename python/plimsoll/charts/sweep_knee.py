"""What more sessions bring: throughput against their number, the law that fits it, and the knee.

Above, operations per second with their 95 % intervals and the curve of Gunther's Universal Scalability Law; below, what
an operation then takes at its p99. Beyond the knee more sessions mostly wait for each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from plimsoll.base.units import format_rate, format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked, words_at
from plimsoll.charts._proof import peak_words
from plimsoll.charts._scales import latency_axis, log_domain, rate_axis
from plimsoll.charts._theme import NARROW_PX, colour, finish, plot_width
from plimsoll.facts import Scalability, Sweep, SweepPoint

HEIGHT_PX, LOWER_HEIGHT_PX = 220, 110
_CURVE_STEPS = 60


def applies(subject: Subject) -> bool:
    """Whether two numbers of sessions were tried, so that there is a course."""
    sweep = subject.run.sweep
    return sweep is not None and len({point.sessions for point in sweep.points}) > 1


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide: throughput, and below it latency where it is known."""
    alt, sweep = altair_module(), subject.run.sweep
    assert sweep is not None, "applies() has looked"
    slow = [point for point in sweep.points if point.latency_us_p99]
    panels = [_throughput(alt, sweep, width_px, is_last=len(slow) < 2)]
    if len(slow) > 1:
        panels.append(_latency(alt, slow, sweep.points, width_px))
    return finish(alt.vconcat(*panels, spacing=22))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    sweep = subject.run.sweep
    if sweep is None or not sweep.points:
        return "No numbers of sessions were tried."
    best = max(sweep.points, key=lambda point: point.operations_per_s)
    most = f"at most {format_rate(best.operations_per_s)} operations per second, with {best.sessions}"
    parts = [f"{len(sweep.points)} numbers of sessions; {most}."]
    if sweep.knee_sessions is not None:
        parts.append(f"The knee is at {sweep.knee_sessions} sessions.")
    law = sweep.scalability
    if law is not None:
        parts.append(_law_words(law, sweep.points))
    return " ".join(parts)


def table(subject: Subject) -> Table:
    """Every number of sessions, with what the law gives for it."""
    sweep = subject.run.sweep
    columns = ("sessions", "operations per s", "95 % interval", "by the law", "p99")
    if sweep is None:
        return Table(columns, (), (True,) * 5)
    rows = [
        (
            str(point.sessions), format_rate(point.operations_per_s), _interval(point),
            "unknown" if sweep.scalability is None else format_rate(law_at(sweep.scalability, point.sessions)),
            format_us(point.latency_us_p99),
        )
        for point in sweep.points
    ]  # fmt: skip
    return Table(columns, tuple(rows), (True,) * 5)


def law_at(law: Scalability, sessions: float) -> float:
    """Operations per second by the law."""
    waiting = law.contention * (sessions - 1) + law.coherency * sessions * (sessions - 1)
    return law.per_session * sessions / (1 + waiting)


def _interval(point: SweepPoint) -> str:
    if point.ci95 is None:
        return "unknown"
    return f"{format_rate(point.ci95[0])} to {format_rate(point.ci95[1])}"


def _law_words(law: Scalability, points: Sequence[SweepPoint]) -> str:
    peak = "" if law.peak_sessions is None else f", and the most at {peak_words(law, points)}"
    fit = "" if law.r2 is None else f" (R² {law.r2:.3f})"
    return f"The law fitted to it{fit} gives {format_rate(law.per_session)} to one session alone{peak}."


def _x(alt: Any, points: Sequence[SweepPoint], width_px: int, is_last: bool) -> Any:
    """Sessions, doubling from tick to tick."""
    low, high = min(point.sessions for point in points), max(point.sessions for point in points)
    ticks = [2.0**power for power in range(20) if low <= 2**power <= high] or [float(low)]
    if width_px < NARROW_PX:
        ticks = ticks[:: 1 + len(ticks) // 8]
    # Half a point's width on either side, so that none is cut and the first does not sit on the axis.
    edge = (high / low) ** 0.03
    axis = {
        "values": ticks, "title": "sessions" if is_last else None, "labels": is_last, "ticks": is_last, "domain": is_last,
        "titlePadding": 6, "format": ",d",
    }  # fmt: skip
    return alt.X("x:Q").scale(type="log", base=2, domain=[low / edge, high * edge], nice=False).axis(axis)


def _throughput(alt: Any, sweep: Sweep, width_px: int, is_last: bool) -> Any:
    x = _x(alt, sweep.points, width_px, is_last)
    curve = _curve(sweep)
    highest = max(
        *(point.ci95[1] if point.ci95 else point.operations_per_s for point in sweep.points),
        *(value["y"] for value in curve),
        1e-9,
    )
    y = rate_axis(alt, 1.1 * highest, "operations per second", count=5)
    layers = []
    if curve:
        line = marked(
            alt.Chart(data_of(alt, curve)), "line", color=colour("high"), strokeWidth=2, strokeDash=[5, 3]
        )
        layers.append(line.encode(x=x, y=y))
    layers += _measured(alt, sweep.points, x, y)
    return alt.layer(*layers, *_knee(alt, sweep, x, y), *_law_name(alt, curve, x, y)).properties(
        width=plot_width(width_px), height=HEIGHT_PX
    )


def _curve(sweep: Sweep) -> list[dict[str, float]]:
    law = sweep.scalability
    if law is None:
        return []
    low, high = min(point.sessions for point in sweep.points), max(point.sessions for point in sweep.points)
    stops = [low * (high / low) ** (step / _CURVE_STEPS) for step in range(_CURVE_STEPS + 1)]
    return [{"x": round(stop, 4), "y": round(law_at(law, stop), 2)} for stop in stops]


def _measured(alt: Any, points: Sequence[SweepPoint], x: Any, y: Any) -> list[Any]:
    spans = [{"x": point.sessions, "y": point.ci95[0], "y2": point.ci95[1]} for point in points if point.ci95]
    dots = [{"x": point.sessions, "y": point.operations_per_s} for point in points]
    bars = marked(alt.Chart(data_of(alt, spans)), "rule", color=colour("middle"), strokeWidth=1.6)
    ends = alt.Chart(
        data_of(alt, [{"x": span["x"], "y": span[end]} for span in spans for end in ("y", "y2")])
    )
    caps = marked(ends, "tick", color=colour("middle"), orient="horizontal", size=9, thickness=1.6)
    points_ = marked(
        alt.Chart(data_of(alt, dots)), "point", color=colour("middle"), filled=True, size=46, opacity=1
    )
    intervals = [bars.encode(x=x, y=y, y2=alt.Y2("y2:Q")), caps.encode(x=x, y=y)] if spans else []
    return [*intervals, points_.encode(x=x, y=y)]


def _knee(alt: Any, sweep: Sweep, x: Any, y: Any) -> list[Any]:
    at = [
        {"x": point.sessions, "y": point.operations_per_s, "text": f"knee: {point.sessions} sessions"}
        for point in sweep.points
        if point.sessions == sweep.knee_sessions
    ][:1]
    if not at:
        return []
    ring = marked(
        alt.Chart(data_of(alt, at)), "point", size=230, color=colour("line"), strokeWidth=2, filled=False
    )
    return [
        ring.encode(x=x, y=y),
        *words_at(alt, at, "line", x, y, align="right", dx=-12, dy=-10, fontWeight="bold"),
    ]


def _law_name(alt: Any, curve: Sequence[dict[str, float]], x: Any, y: Any) -> list[Any]:
    """What the dashed curve is, where it has left the points behind: below its middle, to the right."""
    if not curve:
        return []
    place = {**curve[math.floor(0.36 * len(curve))], "text": "scalability law"}
    return words_at(alt, [place], "high", x, y, align="left", dx=10, dy=10)


def _latency(alt: Any, slow: Sequence[SweepPoint], points: Sequence[SweepPoint], width_px: int) -> Any:
    x = _x(alt, points, width_px, is_last=True)
    y = latency_axis(alt, log_domain(point.latency_us_p99 or 0.0 for point in slow), "p99 of an operation")
    base = alt.Chart(data_of(alt, [{"x": point.sessions, "y": point.latency_us_p99} for point in slow]))
    line = marked(base, "line", color=colour("middle"), strokeWidth=2).encode(x=x, y=y)
    dots = marked(base, "point", color=colour("middle"), filled=True, size=30, opacity=1).encode(x=x, y=y)
    return alt.layer(line, dots).properties(width=plot_width(width_px), height=LOWER_HEIGHT_PX)


CHART = Chart(
    title="What more sessions bring",
    help="Throughput against the number of sessions with its intervals, the fitted law and the knee.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
