"""What each budget of bytes gains: waits saved against bytes moved, the knee, and the plan."""

from __future__ import annotations

from typing import Any

from plimsoll.base.units import format_bytes, format_seconds
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked, words_at
from plimsoll.charts._scales import waits_axis
from plimsoll.charts._theme import NARROW_PX, colour, finish, plot_width
from plimsoll.facts import CurvePoint, Placement

HEIGHT_PX = 240
_ROWS_MAX = 60
_BYTE_LABELS = (
    "datum.value == 0 ? '0' : datum.value >= 1099511627776 ? format(datum.value / 1099511627776, '~g') + ' TiB'"
    " : datum.value >= 1073741824 ? format(datum.value / 1073741824, '~g') + ' GiB'"
    " : datum.value >= 1048576 ? format(datum.value / 1048576, '~g') + ' MiB' : format(datum.value / 1024, '~g') + ' KiB'"
)


def applies(subject: Subject) -> bool:
    """Whether more than nothing can be gained."""
    found = subject.run.placement
    return found is not None and len(found.curve) > 1 and found.curve[-1].bytes > 0


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide."""
    alt, found = altair_module(), subject.run.placement
    assert found is not None, "applies() has looked"
    top = 1.12 * max(point.gain_s for point in found.curve)
    x, y = _x(alt, found, width_px), waits_axis(alt, max(top, 1e-9), "of waits saved")
    values = [{"x": point.bytes, "y": point.gain_s} for point in found.curve]
    base = alt.Chart(data_of(alt, values))
    area = marked(base, "area", color=colour("middle"), opacity=0.12, interpolate="step-after")
    line = marked(base, "line", color=colour("middle"), strokeWidth=2, interpolate="step-after")
    marks = [area.encode(x=x, y=y), line.encode(x=x, y=y), *_plan(alt, found, x, y), *_knee(alt, found, x, y)]
    return finish(alt.layer(*marks).properties(width=plot_width(width_px), height=HEIGHT_PX))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    found = subject.run.placement
    if found is None or not found.curve:
        return "No budget gains anything."
    last = found.curve[-1]
    told = f"Moving {format_bytes(last.bytes)} saves all that can be saved within the capacities, {format_seconds(last.gain_s)}."
    if found.knee_bytes is not None and found.knee_gain_s is not None:
        share = "" if not last.gain_s else f", {100 * found.knee_gain_s / last.gain_s:.0f} % of it"
        told += f" The knee is at {format_bytes(found.knee_bytes)}, which save {format_seconds(found.knee_gain_s)}{share}."
    return told


def table(subject: Subject) -> Table:
    """The points, with what each adds and costs."""
    found = subject.run.placement
    points = [] if found is None else _thinned(found)
    rows = [
        (
            format_bytes(point.bytes), format_seconds(point.gain_s),
            "unknown" if point.price_per_month is None else f"{point.price_per_month:,.2f}", point.object or "",
        )
        for point in points
    ]  # fmt: skip
    return Table(
        ("bytes moved", "saves", "more a month", "last added"), tuple(rows), (True, True, True, False)
    )


def _thinned(found: Placement) -> list[CurvePoint]:
    """Points that are still read one by one."""
    step = 1 + (len(found.curve) - 1) // _ROWS_MAX
    return [
        point for index, point in enumerate(found.curve) if index % step == 0 or index == len(found.curve) - 1
    ]


def _x(alt: Any, found: Placement, width_px: int) -> Any:
    last = found.curve[-1].bytes
    step = _round_step(last / (3 if width_px < NARROW_PX else 6))
    ticks = [float(index * step) for index in range(int(last / step) + 1)]
    axis = alt.Axis(values=ticks, labelExpr=_BYTE_LABELS, title="bytes moved", titlePadding=6, grid=False)
    return alt.X("x:Q").scale(domain=[0, 1.02 * last], nice=False).axis(axis)


def _round_step(least: float) -> int:
    """A power of two from which ticks have short names."""
    step = 1024
    while step < least:
        step *= 2
    return step


def _plan(alt: Any, found: Placement, x: Any, y: Any) -> list[Any]:
    """Where the plan lies, if it moves anything."""
    if found.answer != "move" or not found.moved_bytes:
        return []
    at = [{"x": min(found.moved_bytes, found.curve[-1].bytes), "y": found.raw_gain_s, "text": "the plan"}]
    is_left = at[0]["x"] < found.curve[-1].bytes / 2
    beside: dict[str, Any] = {"align": "left", "dx": 10} if is_left else {"align": "right", "dx": -10}
    dot = marked(alt.Chart(data_of(alt, at)), "point", color=colour("held"), filled=True, size=90, opacity=1)
    return [
        dot.encode(x=x, y=y),
        *words_at(alt, at, "held", x, y, dy=-11, fontWeight="bold", **beside),
    ]


def _knee(alt: Any, found: Placement, x: Any, y: Any) -> list[Any]:
    if found.knee_bytes is None or found.knee_gain_s is None:
        return []
    at = [{"x": found.knee_bytes, "y": found.knee_gain_s, "text": f"knee: {format_bytes(found.knee_bytes)}"}]
    ring = marked(
        alt.Chart(data_of(alt, at)), "point", size=230, color=colour("line"), strokeWidth=2, filled=False
    )
    return [
        ring.encode(x=x, y=y),
        *words_at(alt, at, "line", x, y, align="left", dx=12, dy=14, fontWeight="bold"),
    ]


CHART = Chart(
    title="What each budget gains",
    help="Waits saved against bytes moved, with the knee and the plan.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
