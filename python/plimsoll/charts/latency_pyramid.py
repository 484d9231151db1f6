"""The tiers above each other, fastest on top: how long each class of I/O takes there, and what the tier holds and costs.

A latency that depends on load is a span, from its least to its most over the loads that are known of it. The ground of a tier
reaches to its longest latency, so that the tiers together look like the flank of a pyramid.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from plimsoll.base.units import format_bytes, format_ratio, format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked
from plimsoll.charts._scales import LATENCY_LABELS, log_domain, log_ticks
from plimsoll.charts._theme import NARROW_PX, RIGHT_PX, SHAPES, colour, finish
from plimsoll.facts import Tier

_LINE_PX, _ROW_PX = 17, 76
_TIERS_MAX = 12
"""More make a picture of many screens; the table has them all."""
_LETTER_PX = 6.9
"""Of a bold one; where the page's own font is missing, letters are wider than in the pictures of this program."""
_BESIDE_PX = 9
_CLASSES = (("small read", "small_read"), ("large read", "large_read"), ("small write", "small_write"))
"""What each is called, and its colour."""


@dataclass(frozen=True)
class _Span:
    """Latencies of one class on one tier."""

    name: str
    low_us: float
    high_us: float
    role: str
    shape: str

    @property
    def text(self) -> str:
        return f"{self.name} {_range(self.low_us, self.high_us)}"


def applies(subject: Subject) -> bool:
    """Whether there are tiers to compare."""
    return len(_tiers(subject)) > 1


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide, a row for each tier."""
    alt, tiers = altair_module(), _tiers(subject)[:_TIERS_MAX]
    plot_px = width_px - RIGHT_PX - 12
    spans = [list(_spans(tier)) for tier in tiers]
    domain = _domain([us for row in spans for one in row for us in (one.low_us, one.high_us)])
    x, y = _axes(alt, domain, width_px, len(tiers))
    marks = [_grounds(alt, spans, domain[0], x, y)]
    for number, (tier, row) in enumerate(zip(tiers, spans, strict=True)):
        top = number * _ROW_PX
        named = [{"x": domain[0], "y": top + 11, "text": _cut(_title(tier), plot_px)}]
        marks.append(_said(alt, named, x, y, align="left", dx=5, fontWeight="bold"))
        for line, one in enumerate(row, 1):
            marks += _marks(alt, one, top + 11 + line * _LINE_PX, (x, y), domain, plot_px)
    return finish(alt.layer(*marks).properties(width=plot_px, height=len(tiers) * _ROW_PX))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    tiers = _tiers(subject)
    if len(tiers) < 2:
        return "There are no tiers to compare."
    first, last = tiers[0], tiers[-1]
    ratio = last.small_read_us[0].latency_us / first.small_read_us[0].latency_us
    return (
        f"A small read takes {_latency(first, 0)} on {first.name} and {_latency(last, 0)} on {last.name}, "
        f"{format_ratio(ratio)} times as long without load. {_origin(tiers)}"
    )


def table(subject: Subject) -> Table:
    """Every tier."""
    rows = [
        (
            tier.name, *(_latency(tier, number) for number in range(3)), _capacity(tier),
            "unknown" if tier.price_per_tb_month is None else f"{tier.price_per_tb_month:,.2f}", _source(tier),
        )
        for tier in _tiers(subject)
    ]  # fmt: skip
    columns = ("tier", *(name for name, _ in _CLASSES), "capacity", "TB and month", "latencies")
    return Table(columns, tuple(rows), (False, True, True, True, True, True, False))


def _tiers(subject: Subject) -> list[Tier]:
    """Fastest first, by a small read without load; those of which no latency is known are left out."""
    found = subject.run.placement
    known = [tier for tier in (found.tiers if found is not None else ()) if len(list(_spans(tier))) == 3]
    return sorted(known, key=lambda tier: tier.small_read_us[0].latency_us)


def _spans(tier: Tier) -> Iterator[_Span]:
    curves = (tier.small_read_us, tier.large_read_us, tier.small_write_us)
    for number, ((name, role), points) in enumerate(zip(_CLASSES, curves, strict=True)):
        known = [point.latency_us for point in points if point.latency_us > 0]
        if known:
            yield _Span(name, min(known), max(known), role, SHAPES[number])


def _latency(tier: Tier, number: int) -> str:
    span = list(_spans(tier))[number]
    return _range(span.low_us, span.high_us)


def _range(low_us: float, high_us: float) -> str:
    low, high = format_us(low_us), format_us(high_us)
    return low if low == high else f"{low} to {high}"


def _capacity(tier: Tier) -> str:
    return "no limit" if tier.capacity_bytes is None else format_bytes(tier.capacity_bytes)


def _source(tier: Tier) -> str:
    return "measured" if tier.runs else "stated"


def _title(tier: Tier) -> str:
    price = (
        "price unknown"
        if tier.price_per_tb_month is None
        else f"{tier.price_per_tb_month:,g} per TB and month"
    )
    return f"{tier.name}: {_capacity(tier)}, {price}, {_source(tier)}"


def _origin(tiers: Sequence[Tier]) -> str:
    """Of which tiers stored runs measured latencies."""
    measured = [tier.name for tier in tiers if tier.runs]
    if not measured:
        return "All latencies are as stated in the file of tiers."
    if len(measured) == len(tiers):
        return "Latencies that the tiers do not state were measured."
    return f"Of {', '.join(measured)} latencies were measured; all others are stated."


def _cut(text: str, plot_px: int) -> str:
    letters = int(plot_px / _LETTER_PX)
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def _domain(latencies: Sequence[float]) -> tuple[float, float]:
    """With room for the ground of the fastest."""
    low, high = log_domain(latencies)
    return low / 2, high


def _axes(alt: Any, domain: tuple[float, float], width_px: int, rows: int) -> tuple[Any, Any]:
    ticks = log_ticks(*domain)
    if width_px < NARROW_PX:
        ticks = [tick for tick in ticks if math.log10(tick).is_integer()] or ticks
    axis = {
        "values": ticks, "labelExpr": LATENCY_LABELS, "labelOverlap": True, "title": "latency", "titlePadding": 6,
        "labelFlush": True,
    }  # fmt: skip
    x = alt.X("x:Q").scale(type="log", domain=list(domain), nice=False).axis(axis)
    return x, alt.Y("y:Q").scale(domain=[rows * _ROW_PX, 0], nice=False).axis(None)


def _grounds(alt: Any, spans: Sequence[Sequence[_Span]], low_us: float, x: Any, y: Any) -> Any:
    values = [
        {
            "x": low_us, "x2": max(one.high_us for one in row), "y": number * _ROW_PX, "y2": (number + 1) * _ROW_PX - 6,
        }
        for number, row in enumerate(spans)
    ]  # fmt: skip
    ground = marked(alt.Chart(data_of(alt, values)), "rect", color=colour("gap"))
    return ground.encode(x=x, x2="x2:Q", y=y, y2="y2:Q")


def _marks(
    alt: Any, one: _Span, at_px: float, axes: tuple[Any, Any], domain: tuple[float, float], plot_px: int
) -> list[Any]:
    """The span with its ends, and its words on the side that has room for them."""
    x, y = axes
    ends = [{"x": us, "y": at_px} for us in dict.fromkeys((one.low_us, one.high_us))]
    base = alt.Chart(data_of(alt, ends))
    point = marked(base, "point", color=colour(one.role), shape=one.shape, filled=True, size=55, opacity=1)
    line = marked(base, "line", color=colour(one.role), strokeWidth=2.5)
    needed = _BESIDE_PX + _LETTER_PX * len(one.text)
    scale = plot_px / math.log(domain[1] / domain[0])
    left_px, right_px = (scale * math.log(us / domain[0]) for us in (one.low_us, one.high_us))
    if plot_px - right_px >= needed or plot_px - right_px >= left_px:
        where, style = one.high_us, {"align": "left", "dx": _BESIDE_PX}
    else:
        where, style = one.low_us, {"align": "right", "dx": -_BESIDE_PX}
    told = _said(alt, [{"x": where, "y": at_px, "text": one.text}], x, y, **style)
    lines = [line.encode(x=x, y=y)] if len(ends) > 1 else []
    return [*lines, point.encode(x=x, y=y), told]


def _said(alt: Any, values: list[dict[str, Any]], x: Any, y: Any, **style: Any) -> Any:
    label = marked(alt.Chart(data_of(alt, values)), "text", color=colour("ink"), baseline="middle", **style)
    return label.encode(x=x, y=y, text="text:N")


CHART = Chart(
    title="The tiers by latency",
    help="Latency of each class of I/O on each tier, fastest on top, with capacity and price.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
