"""Marks that several charts use: words with a halo, so that they can be read across a curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from plimsoll.charts._theme import colour


def data_of(alt: Any, rows: Iterable[Mapping[str, Any]]) -> Any:
    """The rows that a chart draws: as a tuple, which Altair leaves alone, where it copies each row of a list at every step."""
    return alt.Data(values=tuple(rows))


def marked(chart: Any, kind: str, **style: Any) -> Any:
    """The chart drawn with a mark of that kind, which is a dictionary: Altair's own have a hundred fields to copy at every step."""
    copy = chart.copy(deep=False)
    copy.mark = {"type": kind, **style}
    return copy


def words_at(alt: Any, values: list[dict[str, Any]], role: str, x: Any, y: Any, **style: Any) -> list[Any]:
    """The field `text` of `values` written at `x` and `y` in a colour, on a halo of paper."""
    data = data_of(alt, values)
    halo = marked(
        alt.Chart(data),
        "text",
        stroke=colour("paper"),
        strokeWidth=4,
        strokeJoin="round",
        color=colour("paper"),
        **style,
    )
    label = marked(alt.Chart(data), "text", color=colour(role), **style)
    return [mark.encode(x=x, y=y, text=alt.Text("text:N")) for mark in (halo, label)]
