"""The host as it is built: a field for each node, in it the cores by the last cache that they share, and the devices near to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from plimsoll.base.units import format_bytes
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked
from plimsoll.charts._theme import RIGHT_PX, colour, finish
from plimsoll.facts import Topology, TopologyCache, TopologyNode

_NODES_MAX = 16
"""More make a picture of many screens; the table has them all."""
_BOXES_MAX = 64
"""Cores of a node that are drawn."""
_BOX_PX, _BOX_HIGH_PX, _GAP_PX = 58, 20, 4
_LINE_PX, _EDGE_PX = 17, 8
_LETTER_PX = 6.9
_ROLES = ("line", "low", "high")
"""Of cores of the first kind, the second, and all others; a page shows which is which by the words beneath."""


@dataclass
class _Picture:
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


def applies(subject: Subject) -> bool:
    """Whether there is a host to draw."""
    return bool(subject.run.results.get("topology"))


def draw(subject: Subject, width_px: int) -> Any:
    """The picture, `width_px` pixels wide, a field for each node."""
    alt, found = altair_module(), _topology(subject)
    made = _Picture(width_px - RIGHT_PX)
    assert found is not None, "the caller asked whether it applies"
    for node in found.nodes[:_NODES_MAX]:
        top = made.at_px
        _draw_node(made, found, node)
        made.grounds.append({"x": 0, "x2": made.width_px, "y": top, "y2": made.at_px})
        made.at_px += _EDGE_PX
    return finish(
        alt.layer(*_marks(alt, made)).properties(width=made.width_px, height=max(1, made.at_px - _EDGE_PX))
    )


def _draw_node(made: _Picture, found: Topology, node: TopologyNode) -> None:
    made.at_px += _EDGE_PX / 2
    made.say(_title(node), titles=True)
    left = _BOXES_MAX
    for name, boxes in _domains(found, node):
        if left > 0:
            made.say(name)
            made.put(boxes[:left])
        left -= len(boxes)
    if left < 0:
        made.say(f"and {-left} more")
    devices = [f"{one.kind} {one.name}" for one in found.devices if one.node == node.id]
    if devices:
        made.say(", ".join(devices))
    made.at_px += _EDGE_PX / 2


def _title(node: TopologyNode) -> str:
    memory = "memory not told" if node.memory_bytes is None else format_bytes(node.memory_bytes)
    free = "" if node.free_bytes is None else f", {format_bytes(node.free_bytes)} free"
    return f"node {node.id}: {memory}{free}{'' if node.cpus else ', no CPUs'}"


def _domains(found: Topology, node: TopologyNode) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The boxes of each last cache of the node, under its name; those under none last."""
    boxes = _boxes(found, node)
    held = [one for one in found.caches if set(one.cpus) & set(boxes) and one.kind != "instruction"]
    level = max((one.level for one in held), default=0)
    for cache in (one for one in held if one.level == level):
        inside = list(dict.fromkeys(boxes.pop(cpu) for cpu in cache.cpus if cpu in boxes))
        if inside:
            yield _cache_name(cache), inside
    if boxes:
        yield "last cache not told", list(dict.fromkeys(boxes.values()))


def _cache_name(cache: TopologyCache) -> str:
    size = "size not told" if cache.size_bytes is None else format_bytes(cache.size_bytes)
    return f"level {cache.level} cache, {size}"


def _boxes(found: Topology, node: TopologyNode) -> dict[int, tuple[str, str]]:
    """For each CPU of the node the box of its core, or of its own where cores are not told."""
    boxes: dict[int, tuple[str, str]] = {}
    barred = {cpu.id for cpu in found.cpus if cpu.allowed is False}
    for cpu in found.cpus:
        if cpu.online and cpu.node == node.id:
            core = None if cpu.core is None else found.cores[cpu.core]
            members = (cpu.id,) if core is None else core.cpus
            role = (
                "void"
                if barred.issuperset(members)
                else _ROLES[0 if core is None else min(core.kind, len(_ROLES)) - 1]
            )
            boxes[cpu.id] = (_numbers(members), role)
    return boxes


def _numbers(cpus: Sequence[int]) -> str:
    text = ",".join(map(str, cpus))
    return text if len(text) * _LETTER_PX <= _BOX_PX else f"{cpus[0]}…{cpus[-1]}"


def _marks(alt: Any, made: _Picture) -> list[Any]:
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


def words(subject: Subject) -> str:
    """What the picture shows."""
    if (found := _topology(subject)) is None:
        return "Nodes, with nothing known of a host."
    shown, every = min(len(found.nodes), _NODES_MAX), len(found.nodes)
    fields = (
        "1 node"
        if every == 1
        else f"{every} nodes"
        if shown == every
        else f"the first {shown} of {every} nodes"
    )
    what = "a core with its CPUs" if found.cores else "a CPU"
    online = [cpu for cpu in found.cpus if cpu.online]
    coreless = sum(cpu.core is None for cpu in online) if found.cores else 0
    alone = f" CPUs of which no core is told have boxes of their own: {coreless:,}." if coreless else ""
    homeless = sum(cpu.node is None for cpu in online)
    out = f" CPUs of which no node is told are not shown: {homeless:,}." if homeless else ""
    roles = {role for node in found.nodes for _, role in _boxes(found, node).values()}
    grey = " Grey ones may not be used from here." if "void" in roles else ""
    kinds = " Darker ones are stronger." if len({core.kind for core in found.cores}) > 1 else ""
    return f"{fields[:1].upper()}{fields[1:]}: a box is {what}, under the last cache that it shares.{grey}{kinds}{alone}{out}"


def table(subject: Subject) -> Table:
    """Every node with its boxes."""
    found = _topology(subject)
    rows = (
        ()
        if found is None
        else tuple(
            (str(node.id), name, "; ".join(text for text, _ in boxes))
            for node in found.nodes
            for name, boxes in _domains(found, node)
        )
    )
    return Table(("node", "last cache", "cores by their CPUs"), rows, (True, False, False))


def _topology(subject: Subject) -> Topology | None:
    return subject.run.topology


CHART = Chart(
    title="The host and its nodes",
    help="NUMA nodes with their cores by last cache, memory and devices.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
