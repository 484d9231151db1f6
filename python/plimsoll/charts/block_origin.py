"""Where the blocks came from that a proof asked for: the database's own buffer, the operating system's cache, the device.

A rate of reads that the server counts is not one of the device: some of them the operating system answered. Below the bar
stands each part with its figures; one that could not be counted is said to be unknown, and takes no room in the bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plimsoll.base.units import format_rate, format_share
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked
from plimsoll.charts._proof import OriginPart, origin_parts
from plimsoll.charts._scales import COUNT_LABELS
from plimsoll.charts._theme import NARROW_PX, RIGHT_PX, colour, finish

BAR_PX, ROW_PX = 40, 25
_SHARE_END_PX, _RATE_END_PX = 60, 142


def applies(subject: Subject) -> bool:
    """Whether any part is known."""
    return any(part.per_s for part in _parts(subject))


def draw(subject: Subject, width_px: int) -> Any:
    """The bar, `width_px` pixels wide, above its parts by name."""
    alt, parts = altair_module(), _parts(subject)
    plot_px = width_px - RIGHT_PX - 12
    bar = _bar(alt, parts, plot_px, 4 if width_px < NARROW_PX else 8)
    return finish(alt.vconcat(bar, _list(alt, parts, plot_px), spacing=6))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    proof = subject.run.proof
    parts = _parts(subject)
    if proof is None or proof.origin is None or not parts:
        return "Where the blocks came from was not looked at."
    known = [f"{format_share(part.share)} from {part.name}" for part in parts if part.per_s is not None]
    total = sum(part.per_s or 0.0 for part in parts)
    told = [f"Of {format_rate(total)} blocks per second came {', '.join(known)}."] if known else []
    unknown = [part.name for part in parts if part.per_s is None]
    if unknown:
        told.append(f"Not known is what came from {' and from '.join(unknown)}.")
    counter = proof.origin.device_by_counter_per_s
    if counter is not None:
        device = proof.origin.device or "the device"
        told.append(f"The kernel counted {format_rate(counter)} reads per second of {device}, by anyone.")
    return " ".join(told)


def table(subject: Subject) -> Table:
    """Each part with its rate and share."""
    rows = [(part.name, format_rate(part.per_s), format_share(part.share)) for part in _parts(subject)]
    proof = subject.run.proof
    if proof is not None and proof.origin is not None and proof.origin.device_by_counter_per_s is not None:
        device = proof.origin.device or "the device"
        rows.append(
            (f"{device} by the kernel's count", format_rate(proof.origin.device_by_counter_per_s), "")
        )
    return Table(("blocks from", "per s", "share"), tuple(rows), (False, True, True))


def _parts(subject: Subject) -> list[OriginPart]:
    return origin_parts(subject.run.proof) if subject.run.proof is not None else []


def _bar(alt: Any, parts: Sequence[OriginPart], plot_px: int, ticks: int) -> Any:
    values, at = [], 0.0
    for part in parts:
        if part.per_s:
            values.append((part, {"x": at, "x2": at + part.per_s}))
            at += part.per_s
    axis = {
        "title": "blocks per second",
        "labelExpr": COUNT_LABELS,
        "tickCount": ticks,
        "grid": False,
        "titlePadding": 6,
    }
    x = alt.X("x:Q").scale(domain=[0, at], nice=False).axis(axis)
    layers = [
        marked(alt.Chart(data_of(alt, [span])), "rect", color=colour(part.role)).encode(
            x=x, x2=alt.X2("x2:Q")
        )
        for part, span in values
    ]
    return alt.layer(*layers).properties(width=plot_px, height=BAR_PX)


def _list(alt: Any, parts: Sequence[OriginPart], plot_px: int) -> Any:
    """The parts below each other: a square in the part's colour, its share and rate, its name."""
    layers = [layer for row, part in enumerate(parts) for layer in _list_row(alt, row, part)]
    return alt.layer(*layers).properties(width=plot_px, height=ROW_PX * len(parts))


def _list_row(alt: Any, row: int, part: OriginPart) -> list[Any]:
    y = alt.YValue(ROW_PX * (row + 0.5))
    figures = {"share": format_share(part.share), "rate": f"{format_rate(part.per_s)}/s"}
    style = {"filled": True, "color": colour(part.role)}
    if part.per_s is None:
        figures = {"share": "", "rate": "unknown"}
        style = {"filled": False, "stroke": colour("void"), "strokeDash": [2, 2]}
    base = alt.Chart(data_of(alt, [{**figures, "name": part.name}]))
    square = marked(base, "square", size=150, opacity=1, **style).encode(x=alt.XValue(8), y=y)
    bold = marked(base, "text", color=colour("ink"), align="right", baseline="middle", fontWeight="bold")
    name = marked(base, "text", color=colour("ink"), align="left", baseline="middle")
    return [
        square,
        bold.encode(x=alt.XValue(_SHARE_END_PX), y=y, text=alt.Text("share:N")),
        bold.encode(x=alt.XValue(_RATE_END_PX), y=y, text=alt.Text("rate:N")),
        name.encode(x=alt.XValue(_RATE_END_PX + 12), y=y, text=alt.Text("name:N")),
    ]


CHART = Chart(
    title="Where the blocks came from",
    help="Blocks from the database's buffer, the operating system's cache and the device, as parts of one bar.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
