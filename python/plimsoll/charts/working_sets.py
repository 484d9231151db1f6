"""Rates over how many bytes are visited: level as far as a cache reaches, lower beyond it.

Above, I/Os per second with their 95 % intervals; a band marks the sizes between which a cache ends. Below, the median latency.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plimsoll.base.units import format_bytes, format_rate, format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked, words_at
from plimsoll.charts._scales import latency_axis, log_domain, rate_axis
from plimsoll.charts._theme import NARROW_PX, colour, finish, plot_width
from plimsoll.facts import WorkingSet, WorkingSetSweep

HEIGHT_PX, LOWER_HEIGHT_PX = 200, 110
_LABELS = (
    "datum.value >= 1099511627776 ? format(datum.value / 1099511627776, '~r') + ' TiB'"
    " : datum.value >= 1073741824 ? format(datum.value / 1073741824, '~r') + ' GiB'"
    " : datum.value >= 1048576 ? format(datum.value / 1048576, '~r') + ' MiB' : format(datum.value / 1024, '~r') + ' KiB'"
)


def applies(subject: Subject) -> bool:
    """Whether two sizes were measured, so that there is a course."""
    found = subject.run.working_sets
    return found is not None and len(found.sets) > 1


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide: rate above median latency."""
    alt, found = altair_module(), subject.run.working_sets
    assert found is not None, "applies() has looked"
    known = [one for one in found.sets if one.latency_us_p50]
    panels = [_rates(alt, found, width_px, is_last=len(known) < 2)]
    if len(known) > 1:
        panels.append(_latencies(alt, found, known, width_px))
    return finish(alt.vconcat(*panels, spacing=22))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    found = subject.run.working_sets
    return "No working sets were measured." if found is None else found.reason


def table(subject: Subject) -> Table:
    """Every size."""
    columns = ("within", "I/Os per s", "95 % interval", "mean", "p50", "p99")
    found = subject.run.working_sets
    rows = [
        (
            format_bytes(one.set_bytes), format_rate(one.iops), _interval(one), format_us(one.latency_us_mean),
            format_us(one.latency_us_p50), format_us(one.latency_us_p99),
        )
        for one in (found.sets if found is not None else ())
    ]  # fmt: skip
    return Table(columns, tuple(rows), (True,) * 6)


def _interval(one: WorkingSet) -> str:
    if one.iops_ci95 is None:
        return "unknown"
    return f"{format_rate(one.iops_ci95[0])} to {format_rate(one.iops_ci95[1])}"


def _x(alt: Any, sets: Sequence[WorkingSet], width_px: int, is_last: bool) -> Any:
    """Bytes visited, by their logarithm, with a tick at each size."""
    low, high = sets[0].set_bytes, sets[-1].set_bytes
    ticks = [float(one.set_bytes) for one in sets]
    if width_px < NARROW_PX:
        ticks = ticks[:: 1 + len(ticks) // 5]
    edge = (high / low) ** 0.04
    axis = {
        "values": ticks, "title": "bytes visited" if is_last else None, "labels": is_last, "ticks": is_last, "domain": is_last,
        "titlePadding": 6, "labelExpr": _LABELS,
    }  # fmt: skip
    return alt.X("x:Q").scale(type="log", base=2, domain=[low / edge, high * edge], nice=False).axis(axis)


def _rates(alt: Any, found: WorkingSetSweep, width_px: int, is_last: bool) -> Any:
    x = _x(alt, found.sets, width_px, is_last)
    top = 1.12 * max(one.iops_ci95[1] if one.iops_ci95 else one.iops for one in found.sets)
    y = rate_axis(alt, max(top, 1e-9), "I/Os per second", count=4)
    layers = [*_bands(alt, found, x, top), *_intervals(alt, found.sets, x, y)]
    layers += _course(alt, [{"x": float(one.set_bytes), "y": round(one.iops, 2)} for one in found.sets], x, y)
    return alt.layer(*layers).properties(width=plot_width(width_px), height=HEIGHT_PX)


def _bands(alt: Any, found: WorkingSetSweep, x: Any, top: float) -> list[Any]:
    """Between the last size that was level and the first that fell; from the edge where nothing smaller was level."""
    smallest = found.sets[0].set_bytes
    bands = [
        {"x": float(step.low_bytes or smallest), "x2": float(step.high_bytes), "y": top, "y2": 0.0}
        for step in found.caches
    ]
    if not bands:
        return []
    y = alt.Y("y:Q").scale(domain=[0, top], nice=False)
    marks = marked(alt.Chart(data_of(alt, bands)), "rect", color=colour("gap"), opacity=0.9)
    named = [
        {
            "x": (band["x"] * band["x2"]) ** 0.5,
            "y": top * 0.97,
            "text": "a cache ends here" if step.low_bytes else "it ends below",
        }
        for band, step in zip(bands, found.caches, strict=True)
    ]
    return [
        marks.encode(x=x, x2=alt.X2("x2:Q"), y=y, y2=alt.Y2("y2:Q")),
        *words_at(alt, named, "demand", x, y, align="center", baseline="top"),
    ]


def _intervals(alt: Any, sets: Sequence[WorkingSet], x: Any, y: Any) -> list[Any]:
    spans = [
        {"x": float(one.set_bytes), "y": max(0.0, one.iops_ci95[0]), "y2": one.iops_ci95[1]}
        for one in sets
        if one.iops_ci95
    ]
    if not spans:
        return []
    bars = marked(alt.Chart(data_of(alt, spans)), "rule", color=colour("middle"), strokeWidth=1.6)
    return [bars.encode(x=x, y=y, y2=alt.Y2("y2:Q"))]


def _course(alt: Any, values: list[dict[str, float]], x: Any, y: Any) -> list[Any]:
    base = alt.Chart(data_of(alt, values))
    line = marked(base, "line", color=colour("middle"), strokeWidth=2).encode(x=x, y=y)
    return [
        line,
        marked(base, "point", color=colour("middle"), filled=True, size=40, opacity=1).encode(x=x, y=y),
    ]


def _latencies(alt: Any, found: WorkingSetSweep, known: Sequence[WorkingSet], width_px: int) -> Any:
    x = _x(alt, found.sets, width_px, is_last=True)
    values = [{"x": float(one.set_bytes), "y": one.latency_us_p50 or 0.0} for one in known]
    y = latency_axis(alt, log_domain(value["y"] for value in values), "median latency")
    return alt.layer(*_course(alt, values, x, y)).properties(
        width=plot_width(width_px), height=LOWER_HEIGHT_PX
    )


CHART = Chart(
    title="Rates over bytes visited",
    help="Rate and median latency of random reads against the size of the part that is read, with where a cache ends.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
