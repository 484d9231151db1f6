"""Ticks and labels of axes: latency on a logarithmic scale, rates, spans of time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from plimsoll.charts._theme import LEFT_PX

LATENCY_LABELS = (
    "datum.value >= 1e6 ? format(datum.value / 1e6, ',~g') + ' s'"
    " : datum.value >= 1e3 ? format(datum.value / 1e3, '~g') + ' ms'"
    " : datum.value >= 0.99 ? format(datum.value, '~g') + ' µs' : format(datum.value * 1e3, '~g') + ' ns'"
)
"""Below a microsecond in nanoseconds: `0.001 µs` is wider than `LEFT_PX`."""

COUNT_LABELS = (
    "datum.value >= 1e6 ? format(datum.value / 1e6, '~g') + 'M'"
    " : datum.value >= 1e3 ? format(datum.value / 1e3, '~g') + 'k' : format(datum.value, '~g')"
)


def log_domain(values: Iterable[float]) -> tuple[float, float]:
    """Bounds for a logarithmic axis around `values`, out to a 1, 2 or 5 on either side; all values must be above 0."""
    known = sorted(values)
    if not known:
        return (1.0, 10.0)
    low, high = _step_down(known[0] * 0.95), _step_up(known[-1] * 1.1)
    return (low, high)


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 of each decade where there are few decades, else the decades alone."""
    steps = (1, 2, 5) if high / low < 400 else (1,)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]


def _step_down(value: float) -> float:
    decade = 10.0 ** math.floor(math.log10(value))
    return max(step * decade for step in (1, 2, 5) if step * decade <= value * 1.000001)


def _step_up(value: float) -> float:
    decade = 10.0 ** math.floor(math.log10(value))
    return min(step * decade for step in (1, 2, 5, 10) if step * decade >= value * 0.999999)


def latency_axis(alt: Any, domain: tuple[float, float], title: str) -> Any:
    """The y axis of a latency in microseconds, labelled in the unit that people say."""
    axis = {
        "values": log_ticks(*domain), "labelExpr": LATENCY_LABELS, "domain": False, "ticks": False, **title_on_top(title),
    }  # fmt: skip
    return alt.Y("y:Q").scale(type="log", domain=list(domain), nice=False).axis(axis)


def rate_axis(alt: Any, top: float, title: str, field: str = "y:Q", count: int = 4) -> Any:
    """The y axis of a rate that starts at nothing."""
    axis = {
        "labelExpr": COUNT_LABELS,
        "tickCount": count,
        "domain": False,
        "ticks": False,
        **title_on_top(title),
    }
    return alt.Y(field).scale(domain=[0, top], nice=False, zero=True).axis(axis)


def waits_axis(alt: Any, top_s: float, title: str) -> Any:
    """The y axis of waits up to `top_s`, in hours, minutes or seconds, with the unit before `title`."""
    unit, size_s = next(((unit, size) for unit, size in _WAIT_UNITS if top_s >= 3 * size), ("seconds", 1))
    step = _step_up(top_s / size_s / _WAIT_TICKS_MAX) * size_s
    axis = {
        "values": [step * index for index in range(math.floor(top_s / step) + 1)],
        "labelExpr": f"format(datum.value / {size_s}, ',~g')",
        "domain": False,
        "ticks": False,
        **title_on_top(f"{unit} {title}"),
    }
    return alt.Y("y:Q").scale(domain=[0, top_s], nice=False, zero=True).axis(axis)


_WAIT_UNITS = (("hours", 3_600), ("minutes", 60))
"""Sums over sessions are said in hours, however many these are: a day of them takes no day."""
_WAIT_TICKS_MAX = 6


def title_on_top(title: str) -> dict[str, Any]:
    """An axis title set level above the axis, where it is read first; the room for labels is fixed so that panels align."""
    return {
        "title": title, "titleAngle": 0, "titleAlign": "left", "titleBaseline": "bottom", "titleX": -LEFT_PX,
        "titleY": -10, "minExtent": LEFT_PX, "maxExtent": LEFT_PX,
    }  # fmt: skip


def duration_labels(span_s: float) -> tuple[str, str]:
    """Title and label expression for an axis of seconds since the start, in a unit fit for `span_s`."""
    for unit, size_s in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if span_s >= 3 * size_s:
            return f"{unit} since the start", f"format(datum.value / {size_s}, '~g')"
    return "seconds since the start", "format(datum.value, '~g')"


def duration_ticks(span_s: float, count_max: int) -> list[float]:
    """Round instants from 0 to `span_s`, at most `count_max` steps apart."""
    steps = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
    step = next(
        (step for step in steps if span_s / step <= count_max),
        86_400 * math.ceil(span_s / 86_400 / count_max),
    )
    return [float(step * index) for index in range(math.floor(span_s / step) + 1)]


def log_pixels(values: Sequence[float], domain: tuple[float, float], height_px: int) -> list[float]:
    """Distances in pixels from the top of a logarithmic axis."""
    span = math.log(domain[1] / domain[0])
    return [height_px * math.log(domain[1] / value) / span for value in values]


def spread(positions: Sequence[float], least: float) -> list[float]:
    """Positions moved apart, so that labels do not cover each other, until each is `least` from the next; order is kept.

    A cluster moves about its middle: the sum of the positions stays as it was.
    """
    order = sorted(range(len(positions)), key=lambda index: positions[index])
    clusters: list[list[float]] = []  # the sum of (position - rank within the cluster x least), and the size
    for index in order:
        clusters.append([positions[index], 1])
        while len(clusters) > 1 and _too_close(clusters[-2], clusters[-1], least):
            above = clusters.pop()
            below = clusters[-1]
            below[0] += above[0] - above[1] * below[1] * least
            below[1] += above[1]
    placed = [sums / size + rank * least for sums, size in clusters for rank in range(int(size))]
    moved = [0.0] * len(positions)
    for index, position in zip(order, placed, strict=True):
        moved[index] = position
    return moved


def _too_close(below: list[float], above: list[float], least: float) -> bool:
    return below[0] / below[1] + below[1] * least > above[0] / above[1]
