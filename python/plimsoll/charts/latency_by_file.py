"""How late the I/Os of each file were: a strip for each row of a watch, the darker where more of its I/Os took so long.

All strips stand above one axis of latency, so that a slow file is seen among fast ones, and two humps, such as a cache's and the
disk's behind it, are not averaged into a latency that no I/O had.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from plimsoll.base.units import format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._distributions import watched_rows
from plimsoll.charts._marks import data_of, marked
from plimsoll.charts._scales import LATENCY_LABELS, log_domain, log_ticks
from plimsoll.charts._theme import RIGHT_PX, colour, finish
from plimsoll.facts import Bucket, WatchedIo

_ROW_PX, _STRIP_PX, _LETTER_PX = 40, 16, 6.7
_DARKEST, _PALEST = 0.95, 0.12
"""Of a step with any I/O at all: one of a thousand must be seen."""
_PER_DECADE = 20
"""Steps that are drawn; the kernel counts in some more."""
_SLACK = 1e-9
"""A step's upper end belongs to it."""


def applies(subject: Subject) -> bool:
    """Whether any row of a watch has a distribution."""
    return bool(_strips(subject))


def draw(subject: Subject, width_px: int) -> Any:
    """The strips, `width_px` pixels wide, each below its name."""
    alt, strips = altair_module(), _strips(subject)
    plot_px = width_px - RIGHT_PX - 12
    ends = [us for buckets in strips.values() for one in buckets for us in (one.lower_us, one.upper_us)]
    domain = log_domain([us for us in ends if us > 0])
    axis = {
        "values": log_ticks(*domain), "labelExpr": LATENCY_LABELS, "labelOverlap": True, "title": "latency", "titlePadding": 6,
        "labelFlush": True,
    }  # fmt: skip
    x = alt.X("x:Q").scale(type="log", domain=list(domain), nice=False).axis(axis)
    y = alt.Y("y:Q").scale(domain=[len(strips) * _ROW_PX, 0], nice=False).axis(None)
    values = [each for number, one in enumerate(strips.values()) for each in _fields(one, number, domain[0])]
    shade = alt.Opacity("shade:Q").scale(domain=[0, 1], range=[_PALEST, _DARKEST]).legend(None)
    fields = marked(alt.Chart(data_of(alt, values)), "rect", color=colour("middle"))
    names = [
        {"x": domain[0], "y": number * _ROW_PX + 12, "text": _cut(label, plot_px)}
        for number, label in enumerate(strips)
    ]
    label = marked(
        alt.Chart(data_of(alt, names)), "text", color=colour("ink"), align="left", baseline="middle"
    )
    layers = [
        fields.encode(x=x, x2="x2:Q", y=y, y2="y2:Q", opacity=shade),
        label.encode(x=x, y=y, text="text:N"),
    ]
    return finish(alt.layer(*layers).properties(width=plot_px, height=len(strips) * _ROW_PX))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    rows = _rows(subject)
    if not rows:
        return "No I/O was timed."
    late = {label: row for label, row in rows.items() if row.latency_us.p99 is not None}
    told = "The darker, the more of a row's I/Os took so long."
    if not late:
        return f"{told} Each row has too few I/Os to tell a p99."
    slowest = max(late, key=lambda label: late[label].latency_us.p99 or 0.0)
    figures = late[slowest].latency_us
    return (
        f"{told} The highest p99 has the {slowest}: {format_us(figures.p99)}, half of its {figures.count:,} I/Os took up to "
        f"{format_us(figures.p50)}."
    )


def table(subject: Subject) -> Table:
    """Each row with its quantiles."""
    rows = tuple(
        (
            label, f"{row.latency_us.count:,}",
            *(format_us(getattr(row.latency_us, name)) for name in ("p50", "p90", "p99", "p999", "max")),
        )
        for label, row in _rows(subject).items()
    )  # fmt: skip
    columns = ("what", "I/Os", "p50", "p90", "p99", "p99.9", "slowest")
    return Table(columns, rows, (False, *(True,) * 6))


def _rows(subject: Subject) -> dict[str, WatchedIo]:
    watch = subject.run.watch
    return {} if watch is None else watched_rows(watch)


def _strips(subject: Subject) -> dict[str, Sequence[Bucket]]:
    """The distributions of these rows, as far as they were made into buckets."""
    held = {label: subject.distributions.get(label, ()) for label in _rows(subject)}
    return {label: buckets for label, buckets in held.items() if any(one.ios for one in buckets)}


def _fields(buckets: Sequence[Bucket], number: int, low_us: float) -> Iterator[dict[str, float]]:
    """Its steps, shaded by their I/Os beside those of the fullest."""
    ios: dict[int, int] = {}
    for one in buckets:
        if one.ios:
            step = math.floor(math.log10(max(one.upper_us, low_us)) * _PER_DECADE - _SLACK)
            ios[step] = ios.get(step, 0) + one.ios
    most, top = max(ios.values()), number * _ROW_PX + 21
    for step, count in sorted(ios.items()):
        lower_us, upper_us = (10 ** ((step + more) / _PER_DECADE) for more in (0, 1))
        yield {
            "x": max(lower_us, low_us), "x2": upper_us, "y": top, "y2": top + _STRIP_PX, "shade": round(count / most, 3),
        }  # fmt: skip


def _cut(text: str, plot_px: float) -> str:
    """Without its middle where it is too long: an operation begins it, and a path tells most at its end."""
    letters = int(plot_px / _LETTER_PX)
    if len(text) <= letters:
        return text
    head = letters // 4
    return f"{text[:head]}…{text[len(text) - letters + head + 1 :]}"


CHART = Chart(
    title="How late the I/Os of each file were",
    help="Latency of the busiest rows of a watch: the darker, the more of a row's I/Os took so long.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
