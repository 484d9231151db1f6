"""The host as it is divided: a field for each node, in it the cores that each slice has of it, and those that nobody was given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from plimsoll.base.units import format_bytes
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._host_picture import BOXES_MAX, NODES_MAX, Picture, numbers_text
from plimsoll.charts._theme import RIGHT_PX
from plimsoll.facts import HostSlice, SlicePlan, Topology, TopologyNode

_ROLES = ("line", "small_write", "held", "redo_write", "small_read", "demand", "temp_read", "missed")
"""Of the first slice, the second and so on; names stand above the boxes, so that no meaning rests on colour."""
_FREE = "void"


def applies(subject: Subject) -> bool:
    """Whether there is a plan, and the host that it is for."""
    found = _plan(subject)
    return found is not None and bool(found.slices) and subject.run.topology is not None


def draw(subject: Subject, width_px: int) -> Any:
    """The picture, `width_px` pixels wide, a field for each node."""
    made = Picture(width_px - RIGHT_PX)
    for node, parts in _nodes(subject)[:NODES_MAX]:
        with made.field_of(node):
            for name, boxes, role in parts:
                made.say(name)
                made.put([(box, role) for box in boxes[:BOXES_MAX]])
                if len(boxes) > BOXES_MAX:
                    made.say(f"and {len(boxes) - BOXES_MAX} more")
    return made.drawn(altair_module())


def _nodes(subject: Subject) -> list[tuple[TopologyNode, list[tuple[str, list[str], str]]]]:
    """Each node with its slices: what each has there, the boxes of its cores, and its role."""
    topology, plan = subject.run.topology, _plan(subject)
    if topology is None or plan is None:
        return []
    return [(node, list(_parts(topology, plan, node))) for node in topology.nodes]


def _parts(topology: Topology, plan: SlicePlan, node: TopologyNode) -> Iterator[tuple[str, list[str], str]]:
    for number, one in enumerate(plan.slices):
        boxes, memory = _boxes(topology, node, one.cpus), _memory(one, node)
        if boxes or memory:
            yield ", ".join([one.name, *memory]), boxes, _ROLES[number % len(_ROLES)]
    free = _boxes(topology, node, plan.free_cpus)
    if free:
        yield "given to nobody", free, _FREE


def _memory(one: HostSlice, node: TopologyNode) -> list[str]:
    return [f"{format_bytes(part.memory_bytes)} of memory" for part in one.memory if part.node == node.id]


def _boxes(topology: Topology, node: TopologyNode, cpus: Sequence[int]) -> list[str]:
    """A box for each core of the node that these CPUs are of, with those of its CPUs that are among them."""
    own, by_core = set(cpus), dict[object, list[int]]()
    for cpu in topology.cpus:
        if cpu.id in own and cpu.node == node.id:
            by_core.setdefault(("CPU", cpu.id) if cpu.core is None else cpu.core, []).append(cpu.id)
    return [numbers_text(members) for members in by_core.values()]


def words(subject: Subject) -> str:
    """What the picture shows."""
    nodes, plan = _nodes(subject), _plan(subject)
    if not nodes or plan is None:
        return "Nodes, with nothing known of a plan."
    cut = f" The first {NODES_MAX} of {len(nodes)} nodes are shown." if len(nodes) > NODES_MAX else ""
    free = " Grey ones were given to nobody." if plan.free_cpus else ""
    return f"{len(plan.slices)} slices: a field is a node, a box a core with its CPUs, under the slice that has it.{free}{cut}"


def table(subject: Subject) -> Table:
    """Every node with the slices on it."""
    rows = tuple(
        (str(node.id), name, "; ".join(boxes) or "none")
        for node, parts in _nodes(subject)
        for name, boxes, _ in parts
    )
    return Table(("node", "slice", "cores by their CPUs"), rows, (True, False, False))


def _plan(subject: Subject) -> SlicePlan | None:
    return subject.run.results.get("slices")


CHART = Chart(
    title="The host and its slices",
    help="NUMA nodes with the cores and memory that each slice has of them.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
