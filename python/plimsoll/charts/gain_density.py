"""A treemap of the bytes: each object an area by its size, the darker the more seconds each of its bytes gains where it moves to.

Areas are laid out in rows as nearly square as they come (squarified treemaps: Bruls, Huizing and van Wijk, 2000). What is too
small to see is one area: of what moves, and of what stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from plimsoll.base.units import format_bytes, format_seconds
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked
from plimsoll.charts._theme import colour, finish
from plimsoll.facts import Placement, PlanRow

HEIGHT_PX = 300
"""Of the areas; the legend is above them."""
_LEGEND_PX, _SWATCH_PX, _STAYS_PX = 24, 12, 60
_AREAS_MAX = 60
_SHARE_MIN = 1 / 4000
"""Of all bytes: a smaller object's area is a few pixels."""
_LETTER_PX = 7.5
"""Of a capital, as names of objects have them."""
FRAME_PX = 20
"""What the picture adds around the areas."""
_LABEL_PX_MIN = 18
_CUT_LETTERS_MIN = 7
"""With fewer of its letters nobody knows a name."""
_SHADE_MIN, _SHADE_MAX = 0.18, 0.85
_DECADES = 3.0
"""Densities a thousand times less than the greatest are the palest."""


@dataclass(frozen=True)
class _Area:
    name: str
    size_bytes: int
    gain_s: float
    moves: bool
    tier: str
    is_group: bool = False


def applies(subject: Subject) -> bool:
    """Whether anything moves and its bytes are known."""
    found = subject.run.placement
    return found is not None and any(
        row.bytes and row.gain_s > 0 and row.tier != row.from_tier for row in found.plan
    )


def draw(subject: Subject, width_px: int) -> Any:
    """The treemap, `width_px` pixels wide."""
    alt, found = altair_module(), subject.run.placement
    assert found is not None, "applies() has looked"
    width = width_px - FRAME_PX
    values = list(_fields(_areas(found), width))
    x, y = (
        alt.X("x:Q").scale(domain=[0, width], nice=False).axis(None),
        alt.Y("y:Q").scale(domain=[HEIGHT_PX, -_LEGEND_PX], nice=False).axis(None),
    )
    swatches, texts = _legend(_most_per_byte(_areas(found)))
    marks = [*_shaded(alt, values, x, y), _labelled(alt, values, x, y, baseline="top", dy=5)]
    marks += [*_shaded(alt, swatches, x, y), _labelled(alt, texts, x, y, baseline="middle")]
    return finish(alt.layer(*marks).properties(width=width, height=HEIGHT_PX + _LEGEND_PX))


def _shaded(alt: Any, values: list[dict[str, Any]], x: Any, y: Any) -> Iterator[Any]:
    """Areas on the ground of what stays."""
    base = alt.Chart(data_of(alt, values))
    shade = alt.Opacity("shade:Q").scale(domain=[0, 1], range=[0, 1]).legend(None)
    corners = {"x": x, "x2": "x2:Q", "y": y, "y2": "y2:Q"}
    yield marked(base, "rect", color=colour("gap")).encode(**corners)
    yield marked(base, "rect", color=colour("missed")).encode(**corners, opacity=shade)
    yield marked(base, "rect", filled=False, stroke=colour("paper"), strokeWidth=1.5).encode(**corners)


def _labelled(alt: Any, values: list[dict[str, Any]], x: Any, y: Any, **style: Any) -> Any:
    base = alt.Chart(data_of(alt, values))
    label = marked(base, "text", color=colour("ink"), align="left", dx=5, fontSize=11, **style)
    return label.encode(x=x, y=y, text="label:N")


def _legend(most_per_byte: float) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Swatches above the areas, and what they say: what stays, then shades by gain per byte up to the most."""
    top = -_LEGEND_PX
    shades = [0.0, *(_shade(10**-power, 1.0) for power in (_DECADES, 2 * _DECADES / 3, _DECADES / 3, 0.0))]
    lefts = [0.0, *(_STAYS_PX + number * _SWATCH_PX for number in range(len(shades) - 1))]
    swatches = [
        {"x": left, "x2": left + _SWATCH_PX, "y": top, "y2": top + _SWATCH_PX, "shade": round(shade, 3)}
        for left, shade in zip(lefts, shades, strict=True)
    ]
    said = f"saves up to {format_seconds(most_per_byte * 2**30)} for each GiB"
    texts = [
        {"x": left + _SWATCH_PX, "y": top + _SWATCH_PX / 2, "label": text}
        for left, text in ((0.0, "stays"), (lefts[-1], said))
    ]
    return swatches, texts


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    found = subject.run.placement
    if found is None:
        return "Nothing was planned."
    gaining = [row for row in found.plan if row.bytes and row.gain_s > 0 and row.tier != row.from_tier]
    if not gaining:
        return "No object gains by moving."
    size = sum(row.bytes or 0 for row in gaining)
    densest = max(gaining, key=_density)
    part = f"{format_bytes(size)} of {format_bytes(found.total_bytes)}"
    most = f"{format_seconds(_density(densest) * 2**30)} for each GiB"
    grouped = [one.name for one in _areas(found) if one.is_group]
    return (
        f"Area is bytes; shaded are the objects that gain by moving, {part}, the darker the more each byte gains. "
        f"Most per byte: {densest.object}, {most}." + "".join(f" {name} are one area." for name in grouped)
    )


def table(subject: Subject) -> Table:
    """The areas, largest first."""
    found = subject.run.placement
    rows = [
        (one.name, format_bytes(one.size_bytes), one.tier, format_seconds(one.gain_s), _per_gib(one))
        for one in ([] if found is None else _areas(found))
    ]
    return Table(
        ("object", "bytes", "tier then", "gains", "for each GiB"),
        tuple(rows),
        (False, True, False, True, True),
    )


def _per_gib(one: _Area) -> str:
    return format_seconds(one.gain_s / one.size_bytes * 2**30) if one.moves and one.gain_s > 0 else ""


def _density(row: PlanRow) -> float:
    return row.gain_s / (row.bytes or 1)


def _areas(found: Placement) -> list[_Area]:
    """The largest objects, and all others together: those that move apart from those that stay."""
    rows = sorted((row for row in found.plan if row.bytes), key=lambda row: -(row.bytes or 0))
    least_bytes = _SHARE_MIN * sum(row.bytes or 0 for row in rows)
    count = sum((row.bytes or 0) >= least_bytes for row in rows[:_AREAS_MAX])
    shown = [_area_of(row) for row in rows[:count]]
    for moves in (True, False):
        rest = [row for row in rows[count:] if (row.tier != row.from_tier) == moves]
        if len(rest) == 1:
            shown.append(_area_of(rest[0]))
        elif rest:
            name = f"{len(rest):,} smaller ones that {'move' if moves else 'stay'}"
            gained = sum(row.gain_s for row in rest) if moves else 0.0
            shown.append(_Area(name, sum(row.bytes or 0 for row in rest), gained, moves, "", True))
    return sorted(shown, key=lambda one: -one.size_bytes)


def _area_of(row: PlanRow) -> _Area:
    moves = row.tier != row.from_tier
    return _Area(row.object, row.bytes or 0, row.gain_s if moves else 0.0, moves, row.tier)


def _fields(areas: Sequence[_Area], width: float) -> Iterator[dict[str, Any]]:
    most = _most_per_byte(areas)
    places = _squarified([float(one.size_bytes) for one in areas], 0.0, 0.0, width, float(HEIGHT_PX))
    for one, (left, top, wide, high) in zip(areas, places, strict=True):
        yield {
            "x": round(left, 2), "x2": round(left + wide, 2), "y": round(top, 2), "y2": round(top + high, 2),
            "shade": round(_shade(one.gain_s / one.size_bytes, most), 3), "label": _label(one, wide, high),
        }  # fmt: skip


def _most_per_byte(areas: Sequence[_Area]) -> float:
    return max((one.gain_s / one.size_bytes for one in areas if one.gain_s > 0), default=1.0)


def _shade(density: float, most: float) -> float:
    """Evenly by the logarithm of the density; nothing where nothing is gained."""
    if density <= 0:
        return 0.0
    depth = max(0.0, 1.0 + math.log10(density / most) / _DECADES)
    return _SHADE_MIN + (_SHADE_MAX - _SHADE_MIN) * min(1.0, depth)


def _label(one: _Area, wide: float, high: float) -> str:
    """The name, else without its schema, else its two ends, as names differ at the end as often as at the beginning; nothing
    where that is no name any more."""
    letters = int((wide - 10) / _LETTER_PX)
    if high < _LABEL_PX_MIN:
        return ""
    name = one.name if len(one.name) <= letters else one.name.rpartition(".")[2]
    if len(name) <= letters:
        return name
    tail = letters // 2
    return f"{name[: letters - 1 - tail]}…{name[-tail:]}" if letters >= _CUT_LETTERS_MIN else ""


def _squarified(
    sizes: Sequence[float], left: float, top: float, wide: float, high: float
) -> list[tuple[float, float, float, float]]:
    """Left, top, width and height of each area; sizes fall."""
    scale = wide * high / sum(sizes)
    left_over, found = [size * scale for size in sizes], []
    while left_over:
        short = min(wide, high)
        count = _row_length(left_over, short)
        row, left_over = left_over[:count], left_over[count:]
        thick = sum(row) / short
        along = 0.0
        for area in row:
            long = area / thick
            found.append(
                (left, top + along, thick, long) if high <= wide else (left + along, top, long, thick)
            )
            along += long
        if high <= wide:
            left, wide = left + thick, max(wide - thick, 1e-9)
        else:
            top, high = top + thick, max(high - thick, 1e-9)
    return found


def _row_length(areas: Sequence[float], short: float) -> int:
    """How many of the next areas share a row: as long as the worst of them gets no longer for its width."""
    best = _worst(areas[:1], short)
    for count in range(2, len(areas) + 1):
        worst = _worst(areas[:count], short)
        if worst > best:
            return count - 1
        best = worst
    return len(areas)


def _worst(row: Sequence[float], short: float) -> float:
    total = sum(row)
    return max(short * short * max(row) / total**2, total**2 / (short * short * min(row)))


CHART = Chart(
    title="Where the gain lies",
    help="Each object an area by its bytes, the darker the more seconds each of its bytes gains.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
