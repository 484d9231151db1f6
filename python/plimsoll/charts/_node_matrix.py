"""A heat map of nodes: a row for the CPUs of each, a column for the memory of each, the more colour the slower.

Shades are of one colour, so that nobody has to tell hues apart, and never so dark that the figure on them is hard to read, on a
light page or a dark one. They go evenly by the logarithm of how many times slower a field is than the best of the picture; where
all are nearly alike, all are pale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from plimsoll.charts._chart import Table, altair_module
from plimsoll.charts._marks import data_of, marked
from plimsoll.charts._theme import NARROW_PX, RIGHT_PX, colour, config, finish

DARKEST = 0.5
"""How much of the colour there is at most: on a light page it is then the darkest, on a dark one the brightest."""
WORST_RATIO_MIN = 2.0
"""The darkest shade stands for the worst ratio, and for no less than this."""
_NAMES_PX, _TITLE_PX, _LEFT_PX = 32, 17, 2
"""Beside the rows: their names, what they are of, and room for letters that a browser draws higher than they were reckoned."""
_ROW_PX_MAX, _ROW_PX_MIN, _HEIGHT_PX_MIN = 44, 10, 116
_LETTER_PX = 7.2
Pair = tuple[int, int]
"""Node of the CPUs, and node of the memory."""


@dataclass(frozen=True)
class NodeMatrix:
    """What was measured of each pair; `slowness` of a value says how many times longer the same takes, by any measure."""

    values: Mapping[Pair, float]
    form: Callable[[float], str]
    unit: str
    slowness: Callable[[float], float]

    @property
    def rows(self) -> list[int]:
        """Nodes with CPUs."""
        return sorted({row for row, _ in self.values})

    @property
    def columns(self) -> list[int]:
        """Nodes with memory."""
        return sorted({column for _, column in self.values})

    @property
    def is_one(self) -> bool:
        """Whether there is nothing to compare."""
        return len(self.values) < 2

    def best_and_worst(self) -> tuple[Pair, Pair]:
        """Of at least one pair."""

        def slow(pair: Pair) -> float:
            return self.slowness(self.values[pair])

        return min(self.values, key=slow), max(self.values, key=slow)

    def shades(self) -> dict[Pair, float]:
        """0 of the best, 1 of one as slow as the darkest shade stands for."""
        slow = {pair: self.slowness(value) for pair, value in self.values.items()}
        best = min(slow.values())
        darkest = math.log(max(WORST_RATIO_MIN, max(slow.values()) / best))
        return {pair: math.log(one / best) / darkest for pair, one in slow.items()}

    def table(self) -> Table:
        """As it is drawn."""
        rows = tuple((f"node {row}", *(self.text((row, one)) for one in self.columns)) for row in self.rows)
        heads = tuple(f"memory of node {one}" for one in self.columns)
        return Table(("CPUs of", *heads), rows, (False, *(True,) * len(heads)))

    def text(self, pair: Pair) -> str:
        """A figure, or that there is none."""
        value = self.values.get(pair)
        return "–" if value is None else self.form(value)

    def words(self, what: str) -> str:
        """The best and the worst, and what colour says."""
        best, worst = self.best_and_worst()
        told = f"{what}: {self._of(best)} at best, {self._of(worst)} at worst"
        times = self.slowness(self.values[worst]) / self.slowness(self.values[best])
        return f"{told}, {times:.2f} times as slow; the more colour, the slower."

    def _of(self, pair: Pair) -> str:
        row, column = pair
        where = "its own memory" if row == column else f"memory of node {column}"
        return f"{self.text(pair)} {self.unit} from node {row} to {where}"

    def draw(self, width_px: int) -> Any:
        """The heat map, `width_px` pixels wide."""
        alt = altair_module()
        plot_px = width_px - _LEFT_PX - _NAMES_PX - _TITLE_PX - RIGHT_PX
        rows_px = len(self.rows) * min(_ROW_PX_MAX, max(_ROW_PX_MIN, plot_px // len(self.columns)))
        height_px = max(_HEIGHT_PX_MIN, rows_px)
        axis = {"domain": False, "ticks": False, "labelOverlap": "parity"}
        columns = {**axis, "orient": "top", "title": "memory of node", "labelAngle": 0}
        names = {**axis, "title": "CPUs of node", "minExtent": _NAMES_PX, "maxExtent": _NAMES_PX}
        x = alt.X("column:N").scale(domain=[*map(str, self.columns)], paddingInner=0.04).axis(columns)
        y = alt.Y("row:N").scale(domain=[*map(str, self.rows)], paddingInner=0.06).axis(names)
        size = {"width": plot_px, "height": height_px}
        padding = {**config()["padding"], "left": _LEFT_PX}
        return finish(
            alt.layer(*self._marks(alt, x, y, plot_px, width_px)).properties(**size, padding=padding)
        )

    def _marks(self, alt: Any, x: Any, y: Any, plot_px: int, width_px: int) -> Iterable[Any]:
        shades = self.shades()
        fields = [
            {
                "row": str(row), "column": str(column), "shade": shades.get((row, column), 0.0),
                "text": self.text((row, column)), "title": self._of((row, column)),
            }
            for row in self.rows
            for column in self.columns
        ]  # fmt: skip
        base = alt.Chart(data_of(alt, fields))
        shade = alt.Opacity("shade:Q").scale(domain=[0, 1], range=[0, DARKEST]).legend(None)
        field = marked(base, "rect", color=colour("middle"), cornerRadius=3)
        frame = marked(base, "rect", filled=False, stroke=colour("axis"), cornerRadius=3)
        yield field.encode(x=x, y=y, opacity=shade, description=alt.Description("title:N"))
        yield frame.encode(x=x, y=y)
        letters = max(len(one["text"]) for one in fields)
        if letters * _LETTER_PX <= plot_px / len(self.columns):
            size = 10 if width_px < NARROW_PX else 12
            figure = marked(base, "text", color=colour("ink"), fontSize=size)
            yield figure.encode(x=x, y=y, text=alt.Text("text:N"))
