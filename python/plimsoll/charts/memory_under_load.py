"""Latency of memory under load: how long a load takes against what other CPUs move meanwhile, a curve for each pair of nodes.

Near to the most that memory gives, loads wait for each other and the curve bends up. Of many pairs those from the first node are
drawn, its own memory first: more curves would cover each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plimsoll.base.units import format_mb, format_ns, format_ratio
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked, words_at
from plimsoll.charts._scales import COUNT_LABELS, spread, title_on_top
from plimsoll.charts._theme import DASHES, NARROW_PX, SHAPES, colour, finish, plot_width
from plimsoll.facts import MemoryLoad

HEIGHT_PX = 200
CURVES_MAX = 4
_ROLES = ("middle", "missed", "held", "demand")
_NAMES_PX = 64
_Curve = Sequence[MemoryLoad]


def applies(subject: Subject) -> bool:
    """Whether latency under load was measured."""
    return bool(_curves(subject))


def draw(subject: Subject, width_px: int) -> Any:
    """The curves, `width_px` pixels wide."""
    alt, curves = altair_module(), _drawn(_curves(subject))
    points = [one for curve in curves for one in curve]
    top = 1.12 * max(one.latency_ns for one in points)
    plot_px = plot_width(width_px)
    right = plot_px / (plot_px - (_NAMES_PX if len(curves) > 1 else 10))
    domain = [0, right * max(one.mb_per_s for one in points)]
    axis = {
        "labelExpr": COUNT_LABELS, "tickCount": 4 if width_px < NARROW_PX else 8, "grid": False, "titlePadding": 6,
        "title": "MB per second that the load moves",
    }  # fmt: skip
    x = alt.X("x:Q").scale(domain=domain, nice=False).axis(axis)
    labels = {"tickCount": 5, "domain": False, "ticks": False, **title_on_top("ns a load")}
    y = alt.Y("y:Q").scale(domain=[0, top], nice=False, zero=True).axis(labels)
    layers = [mark for order, curve in enumerate(curves) for mark in _marks(alt, curve, order, x, y)]
    if len(curves) > 1:
        layers += _names(alt, curves, top, x)
    return finish(alt.layer(*layers).properties(width=plot_px, height=HEIGHT_PX))


def _marks(alt: Any, curve: _Curve, order: int, x: Any, y: Any) -> list[Any]:
    values = [{"x": one.mb_per_s, "y": one.latency_ns, "at": at} for at, one in enumerate(curve)]
    base, role = alt.Chart(data_of(alt, values)), colour(_ROLES[order])
    line = marked(base, "line", color=role, strokeDash=DASHES[order], strokeWidth=2)
    point = marked(base, "point", color=role, shape=SHAPES[order], filled=True, size=30, opacity=1)
    return [line.encode(x=x, y=y, order=alt.Order("at:Q")), point.encode(x=x, y=y)]


def _names(alt: Any, curves: Sequence[_Curve], top: float, x: Any) -> list[Any]:
    ends = spread([HEIGHT_PX * (1 - curve[-1].latency_ns / top) for curve in curves], 15)
    layers = []
    for order, (curve, end_px) in enumerate(zip(curves, ends, strict=True)):
        name = [{"x": curve[-1].mb_per_s, "text": f"{curve[0].cpu_node} to {curve[0].memory_node}"}]
        layers += words_at(
            alt, name, _ROLES[order], x, alt.YValue(end_px), align="left", dx=9, fontWeight="bold"
        )
    return layers


def words(subject: Subject) -> str:
    """What the chart shows, with both ends of each curve."""
    curves = _curves(subject)
    if not curves:
        return "No latency under load was measured."
    drawn = _drawn(curves)
    told = ". ".join(_said(curve) for curve in drawn)
    left = len(curves) - len(drawn)
    more = (
        f" Of {len(curves)} pairs of nodes those from node {drawn[0][0].cpu_node} are drawn." if left else ""
    )
    return f"{told}.{more}"


def _said(curve: _Curve) -> str:
    first, last = curve[0], curve[-1]
    where = "its own memory" if first.cpu_node == first.memory_node else f"memory of node {first.memory_node}"
    alone, loaded = format_ns(first.latency_ns), format_ns(last.latency_ns)
    times = format_ratio(last.latency_ns / first.latency_ns)
    return (
        f"From node {first.cpu_node} to {where} a load takes {alone} without load and {loaded} at {format_mb(last.mb_per_s)} MB/s,"
        f" {times} times that"
    )


def table(subject: Subject) -> Table:
    """Every point."""
    rows = tuple(
        (str(one.cpu_node), str(one.memory_node), format_mb(one.mb_per_s), format_ns(one.latency_ns))
        for curve in _curves(subject)
        for one in curve
    )
    return Table(("CPUs of node", "memory of node", "load, MB/s", "a load"), rows, (True,) * 4)


def _curves(subject: Subject) -> list[_Curve]:
    """Of each pair of nodes, in the order of what the load was asked to move."""
    found = subject.run.results.get("memory_bench")
    by_pair: dict[tuple[int, int], list[MemoryLoad]] = {}
    for one in found.loads if found is not None else ():
        by_pair.setdefault((one.cpu_node, one.memory_node), []).append(one)
    return [sorted(points, key=lambda one: one.share) for points in by_pair.values()]


def _drawn(curves: Sequence[_Curve]) -> Sequence[_Curve]:
    """All, or those from the first node, its own memory first."""
    if len(curves) <= CURVES_MAX:
        return curves
    node = curves[0][0].cpu_node
    own = sorted(
        (one for one in curves if one[0].cpu_node == node), key=lambda one: one[0].memory_node != node
    )
    return own[:CURVES_MAX]


CHART = Chart(
    title="Latency of memory under load",
    help="Nanoseconds of a load on one CPU against what the others stream through memory meanwhile, by nodes.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
