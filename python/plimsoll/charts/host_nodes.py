"""The host as it is built: a field for each node, in it the cores by the last cache that they share, and the devices near to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plimsoll.base.units import format_bytes
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._host_picture import BOXES_MAX, NODES_MAX, Picture, numbers_text
from plimsoll.charts._theme import RIGHT_PX
from plimsoll.facts import Topology, TopologyCache, TopologyNode

_ROLES = ("line", "low", "high")
"""Of cores of the first kind, the second, and all others; a page shows which is which by the words beneath."""


def applies(subject: Subject) -> bool:
    """Whether there is a host to draw."""
    return bool(subject.run.results.get("topology"))


def draw(subject: Subject, width_px: int) -> Any:
    """The picture, `width_px` pixels wide, a field for each node."""
    found = _topology(subject)
    made = Picture(width_px - RIGHT_PX)
    assert found is not None, "the caller asked whether it applies"
    for node in found.nodes[:NODES_MAX]:
        with made.field_of(node):
            _draw_node(made, found, node)
    return made.drawn(altair_module())


def _draw_node(made: Picture, found: Topology, node: TopologyNode) -> None:
    left = BOXES_MAX
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
            boxes[cpu.id] = (numbers_text(members), role)
    return boxes


def words(subject: Subject) -> str:
    """What the picture shows."""
    if (found := _topology(subject)) is None:
        return "Nodes, with nothing known of a host."
    shown, every = min(len(found.nodes), NODES_MAX), len(found.nodes)
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
