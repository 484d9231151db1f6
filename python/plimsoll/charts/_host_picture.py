"""A picture of a host: fields of nodes with boxes and words in them, placed in pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from plimsoll.base.units import format_bytes
from plimsoll.charts._marks import data_of, marked
from plimsoll.charts._theme import colour, finish
from plimsoll.facts import TopologyNode

NODES_MAX = 16
"""More make a picture of many screens; the table has them all."""
BOXES_MAX = 64
"""Cores of a node that are drawn."""
_BOX_PX, _BOX_HIGH_PX, _GAP_PX = 58, 20, 4
_LINE_PX, _EDGE_PX = 17, 8
_LETTER_PX = 6.9


@dataclass
class Picture:
    """Fields, boxes and words with their places in pixels."""

    width_px: int
    grounds: list[dict[str, Any]] = field(default_factory=list)
    boxes: list[dict[str, Any]] = field(default_factory=list)
    words: list[dict[str, Any]] = field(default_factory=list)
    titles: list[dict[str, Any]] = field(default_factory=list)
    at_px: float = 0.0

    def say(self, text: str, titles: bool = False) -> None:
        """A line of words, cut at the edge."""
        letters = int((self.width_px - 2 * _EDGE_PX) / _LETTER_PX)
        shown = text if len(text) <= letters else f"{text[: letters - 1]}…"
        mark = {"x": _EDGE_PX, "y": self.at_px + _LINE_PX / 2, "text": shown}
        (self.titles if titles else self.words).append(mark)
        self.at_px += _LINE_PX

    def put(self, boxes: Sequence[tuple[str, str]]) -> None:
        """Boxes beside each other, in as many rows as they take; each with its words and its role."""
        columns = max(1, (self.width_px - 2 * _EDGE_PX + _GAP_PX) // (_BOX_PX + _GAP_PX))
        for number, (text, role) in enumerate(boxes):
            left = _EDGE_PX + (number % columns) * (_BOX_PX + _GAP_PX)
            top = self.at_px + (number // columns) * (_BOX_HIGH_PX + _GAP_PX)
            place = {"x": left, "x2": left + _BOX_PX, "y": top, "y2": top + _BOX_HIGH_PX}
            self.boxes.append({**place, "text": text, "role": role, "middle": left + _BOX_PX / 2})
        self.at_px += -(-len(boxes) // columns) * (_BOX_HIGH_PX + _GAP_PX)

    @contextmanager
    def field_of(self, node: TopologyNode) -> Iterator[None]:
        """The field of a node with its title; what is said and put meanwhile stands in it."""
        top = self.at_px
        self.at_px += _EDGE_PX / 2
        self.say(node_title(node), titles=True)
        yield
        self.at_px += _EDGE_PX / 2
        self.grounds.append({"x": 0, "x2": self.width_px, "y": top, "y2": self.at_px})
        self.at_px += _EDGE_PX

    def drawn(self, alt: Any) -> Any:
        """The chart of it."""
        high_px = max(1, self.at_px - _EDGE_PX)
        return finish(alt.layer(*_marks(alt, self)).properties(width=self.width_px, height=high_px))


def node_title(node: TopologyNode) -> str:
    """Its number and its memory."""
    memory = "memory not told" if node.memory_bytes is None else format_bytes(node.memory_bytes)
    free = "" if node.free_bytes is None else f", {format_bytes(node.free_bytes)} free"
    return f"node {node.id}: {memory}{free}{'' if node.cpus else ', no CPUs'}"


def numbers_text(cpus: Sequence[int]) -> str:
    """The CPUs of a box, as many as fit into it."""
    text = ",".join(map(str, cpus))
    return text if len(text) * _LETTER_PX <= _BOX_PX else f"{cpus[0]}…{cpus[-1]}"


def _marks(alt: Any, made: Picture) -> list[Any]:
    x = alt.X("x:Q").scale(domain=[0, made.width_px], nice=False).axis(None)
    y = alt.Y("y:Q").scale(domain=[max(1, made.at_px - _EDGE_PX), 0], nice=False).axis(None)
    ground = marked(alt.Chart(data_of(alt, made.grounds)), "rect", color=colour("gap"))
    marks = [ground.encode(x=x, x2="x2:Q", y=y, y2="y2:Q")]
    for role in dict.fromkeys(box["role"] for box in made.boxes):
        boxes = [box for box in made.boxes if box["role"] == role]
        marks.append(
            marked(alt.Chart(data_of(alt, boxes)), "rect", color=colour(role)).encode(
                x=x, x2="x2:Q", y=y, y2="y2:Q"
            )
        )
    inside = [
        {"x": box["middle"], "y": (box["y"] + box["y2"]) / 2, "text": box["text"]} for box in made.boxes
    ]
    for values, role, style in (
        (inside, "paper", {"align": "center"}),
        (made.words, "ink", {"align": "left"}),
        (made.titles, "ink", {"align": "left", "fontWeight": "bold"}),
    ):
        if values:
            text = marked(
                alt.Chart(data_of(alt, values)), "text", color=colour(role), baseline="middle", **style
            )
            marks.append(text.encode(x=x, y=y, text="text:N"))
    return marks
