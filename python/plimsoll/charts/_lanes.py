"""Lanes: several panels above one axis of time, so that what happened at the same moment stands on one vertical line.

A panel holds curves or a stack of areas, each with its name at its right end: no legend has to be looked up. All panels
leave the same room for those names. Where a value is unknown a curve is interrupted, never drawn at zero.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from plimsoll.charts._marks import data_of, marked, words_at
from plimsoll.charts._scales import (
    duration_labels,
    duration_ticks,
    latency_axis,
    log_domain,
    log_pixels,
    rate_axis,
    spread,
    title_on_top,
)
from plimsoll.charts._theme import NARROW_PX, colour, plot_width

STEPS_MAX, NARROW_STEPS_MAX = 180, 90
SPACING_PX = 24
_NAME_PX = 6.7
"""A letter of a name, on average, in the bold face of names."""
_NAMES_PX, _NARROW_NAMES_PX = 150, 110
_BESIDE_PX, _SLACK = 8, 1e-9
_LABEL_PX = 14
_AREA_OPACITY = 0.82
_SAME_MOMENT_S = 0.25
"""A step that begins so much after the one before it ended follows on it: clocks are not read at the very same moment."""

Scale = Literal["rate", "latency", "percent"]


@dataclass(frozen=True)
class Step:
    """A value that held for a while; None where it is unknown."""

    begin_s: float
    end_s: float
    value: float | None


@dataclass(frozen=True)
class Curve:
    """One thing over time. A `faint` curve goes with that of the same name, which alone is labelled where it is known."""

    name: str
    role: str
    steps: Sequence[Step]
    faint: bool = False


@dataclass(frozen=True)
class Lane:
    """A panel: curves, or areas that stand on each other."""

    title: str
    scale: Scale
    height_px: int
    curves: tuple[Curve, ...]
    stacked: bool = False
    top: float | None = None
    """The highest value of the axis where it is not that of the curves."""


def drawn(alt: Any, lanes: Sequence[Lane], span_s: float, width_px: int) -> Any:
    """The lanes above each other, as far as the span reaches; those without any known value are left out."""
    shown = [lane for lane in (_cut(lane, span_s) for lane in lanes) if _known(lane)]
    names_px = _names_px(shown, width_px)
    shown = [_fitting(lane, names_px) for lane in shown]
    panels = [
        _panel(alt, lane, _x(alt, span_s, width_px, names_px, lane is shown[-1]), span_s).properties(
            width=plot_width(width_px), height=lane.height_px
        )
        for lane in shown
    ]
    return alt.vconcat(*panels, spacing=SPACING_PX)


def _cut(lane: Lane, span_s: float) -> Lane:
    """Without what came after the span, which would run into the names."""
    curves = tuple(
        replace(
            curve,
            steps=[
                replace(step, end_s=min(step.end_s, span_s)) for step in curve.steps if step.begin_s < span_s
            ],
        )
        for curve in lane.curves
    )
    return replace(lane, curves=curves)


def group_size(count: int, width_px: int) -> int:
    """How many steps to draw as one, so that a long time is not more marks than pixels."""
    return -(-count // (NARROW_STEPS_MAX if width_px < NARROW_PX else STEPS_MAX))


def thinned(
    steps: Sequence[Step], group: int, together: Callable[[Sequence[float]], float] = statistics.fmean
) -> list[Step]:
    """Each `group` steps as one; `together` makes one value of their known ones."""
    if group <= 1:
        return list(steps)
    parts = [steps[index : index + group] for index in range(0, len(steps), group)]
    return [_one(part, together) for part in parts]


def _one(part: Sequence[Step], together: Callable[[Sequence[float]], float]) -> Step:
    known = [step.value for step in part if step.value is not None]
    return Step(part[0].begin_s, part[-1].end_s, together(known) if known else None)


def _known(lane: Lane) -> list[float]:
    """The values that can be drawn; nothing on a logarithmic axis is 0."""
    values = [step.value for curve in lane.curves for step in curve.steps]
    return [value for value in values if value is not None and (value > 0 or lane.scale != "latency")]


def _names_px(lanes: Iterable[Lane], width_px: int) -> float:
    longest = max((len(curve.name) for lane in lanes for curve in lane.curves), default=0)
    return min(_BESIDE_PX + longest * _NAME_PX, _NARROW_NAMES_PX if width_px < NARROW_PX else _NAMES_PX)


def _fitting(lane: Lane, names_px: float) -> Lane:
    """With the names of its curves cut to what there is room for."""
    letters = int((names_px - _BESIDE_PX) / _NAME_PX + _SLACK)
    curves = tuple(
        curve if len(curve.name) <= letters else replace(curve, name=f"{curve.name[: letters - 1]}…")
        for curve in lane.curves
    )
    return replace(lane, curves=curves)


def _x(alt: Any, span_s: float, width_px: int, names_px: float, is_last: bool) -> Any:
    unit, labels = duration_labels(span_s)
    ticks = duration_ticks(span_s, 5 if width_px < NARROW_PX else 10)
    room = plot_width(width_px) / (plot_width(width_px) - names_px)
    axis = {
        "values": ticks, "labelExpr": labels, "title": unit if is_last else None, "grid": True, "labels": is_last, "ticks": is_last,
        "domain": is_last, "titlePadding": 6,
    }  # fmt: skip
    return alt.X("x:Q").scale(domain=[0, span_s * room], nice=False).axis(axis)


def _panel(alt: Any, lane: Lane, x: Any, span_s: float) -> Any:
    return _stack(alt, lane, x, span_s) if lane.stacked else _curves(alt, lane, x, span_s)


def _y(alt: Any, lane: Lane, top: float) -> Any:
    """A linear axis from nothing."""
    if lane.scale == "percent":
        axis = {
            "labelExpr": "datum.value + ' %'",
            "tickCount": 3,
            "domain": False,
            "ticks": False,
            **title_on_top(lane.title),
        }
        return alt.Y("y:Q").scale(domain=[0, top], nice=False).axis(axis)
    return rate_axis(alt, top, lane.title, count=2 if lane.height_px < 80 else 3)


def _curves(alt: Any, lane: Lane, x: Any, span_s: float) -> Any:
    known = _known(lane)
    named = [curve for curve in lane.curves if _last(curve, lane.scale) is not None]
    ends = [_last(curve, lane.scale) or 0.0 for curve in named]
    if lane.scale == "latency":
        domain = log_domain(known)
        y, places = latency_axis(alt, domain, lane.title), log_pixels(ends, domain, lane.height_px)
    else:
        top = lane.top or max(1.12 * max(known), 1e-9)
        y, places = _y(alt, lane, top), [lane.height_px * (1 - end / top) for end in ends]
    layers = []
    for curve in named:
        style = {"strokeWidth": 1.2, "strokeDash": [3, 2]} if curve.faint else {"strokeWidth": 2}
        data = data_of(alt, _corners(curve, positive=lane.scale == "latency"))
        line = marked(alt.Chart(data), "line", color=colour(curve.role), interpolate="step-after", **style)
        layers.append(line.encode(x=x, y=y, detail=alt.Detail("part:N")))
    drawn_names = {curve.name for curve in named if not curve.faint}
    labelled = [
        (curve, place)
        for curve, place in zip(named, places, strict=True)
        if not curve.faint or curve.name not in drawn_names
    ]
    return alt.layer(*layers, *_names(alt, labelled, lane.height_px, x, span_s))


def _stack(alt: Any, lane: Lane, x: Any, span_s: float) -> Any:
    """Areas on each other. What is unknown adds nothing to the stack."""
    corners, tops, ends = _stacked(lane.curves)
    top = lane.top or max(1.08 * max(tops), 1e-9)
    y = _y(alt, lane, top)
    layers = []
    for curve, values in zip(lane.curves, corners, strict=True):
        area = marked(
            alt.Chart(data_of(alt, values)),
            "area",
            color=colour(curve.role),
            opacity=_AREA_OPACITY,
            interpolate="step-after",
            line=False,
        )
        layers.append(area.encode(x=x, y=y, y2=alt.Y2("y2:Q"), detail=alt.Detail("part:N")))
    places = [lane.height_px * (1 - end / top) for end in ends]
    return alt.layer(
        *layers, *_names(alt, list(zip(lane.curves, places, strict=True)), lane.height_px, x, span_s)
    )


def _stacked(curves: Sequence[Curve]) -> tuple[list[list[dict[str, Any]]], list[float], list[float]]:
    """The corners of each area, the height of the stack at each step, and the middle of each area at the end."""
    bases = [0.0] * len(curves[0].steps)
    corners, ends = [], []
    for curve in curves:
        tops = [base + (step.value or 0.0) for base, step in zip(bases, curve.steps, strict=True)]
        rows = [
            Corner(step.begin_s, step.end_s, {"y": base, "y2": top})
            for step, base, top in zip(curve.steps, bases, tops, strict=True)
        ]
        corners.append(_in_parts(rows))
        ends.append((bases[-1] + tops[-1]) / 2)
        bases = tops
    return corners, bases, ends


def _names(
    alt: Any, curves: Sequence[tuple[Curve, float]], height_px: int, x: Any, span_s: float
) -> list[Any]:
    places = above(spread([place for _, place in curves], _LABEL_PX), height_px - _LABEL_PX / 2)
    layers = []
    for (curve, _), place in zip(curves, places, strict=True):
        at = [{"x": span_s, "text": curve.name}]
        layers += words_at(
            alt,
            at,
            curve.role,
            x,
            alt.YValue(place),
            align="left",
            baseline="middle",
            dx=5,
            fontWeight="bold",
        )
    return layers


def above(places: Sequence[float], lowest_px: float) -> list[float]:
    """Places of names moved up where they would come to lie below the panel, onto the labels of its axis."""
    moved = list(places)
    for index in sorted(range(len(moved)), key=lambda index: -moved[index]):
        moved[index] = min(moved[index], lowest_px)
        lowest_px = moved[index] - _LABEL_PX
    return moved


def _last(curve: Curve, scale: Scale) -> float | None:
    known = [
        step.value
        for step in curve.steps
        if step.value is not None and (step.value > 0 or scale != "latency")
    ]
    return known[-1] if known else None


@dataclass(frozen=True)
class Corner:
    """What is drawn from one instant to another."""

    begin_s: float
    end_s: float
    values: dict[str, float]


def _corners(curve: Curve, positive: bool) -> list[dict[str, Any]]:
    """Where each step begins, and where each unbroken part ends."""
    return _in_parts(
        [
            Corner(step.begin_s, step.end_s, {"y": step.value})
            for step in curve.steps
            if step.value is not None and (step.value > 0 or not positive)
        ]
    )


def _in_parts(rows: Sequence[Corner]) -> list[dict[str, Any]]:
    """Rows for the chart, numbered by unbroken part: what does not follow on each other is not joined."""
    found: list[dict[str, Any]] = []
    part = 0
    for index, row in enumerate(rows):
        found.append({"x": row.begin_s, "part": part, **row.values})
        is_end = index + 1 == len(rows) or rows[index + 1].begin_s > row.end_s + _SAME_MOMENT_S
        if is_end:
            found.append({"x": row.end_s, "part": part, **row.values})
            part += 1
    return found
