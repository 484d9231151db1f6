"""How long a load from memory takes, from the CPUs of each node to the memory of each: a heat map, the more colour the slower."""

from __future__ import annotations

from typing import Any

from plimsoll.base.units import format_bytes
from plimsoll.charts._chart import Chart, Subject, Table
from plimsoll.charts._node_matrix import NodeMatrix, Pair
from plimsoll.facts import MemoryChase


def applies(subject: Subject) -> bool:
    """Whether several pairs of nodes were measured."""
    return not _matrix(subject).is_one


def draw(subject: Subject, width_px: int) -> Any:
    """The heat map, `width_px` pixels wide."""
    return _matrix(subject).draw(width_px)


def words(subject: Subject) -> str:
    """What the chart shows, with the best and the worst pair."""
    found = _matrix(subject)
    if not found.values:
        return "No load was measured."
    sizes = {one.size_bytes for one in _largest(subject).values()}
    told = "in the largest working set and small pages"
    if len(sizes) > 1:
        least, most = (format_bytes(size) for size in (min(sizes), max(sizes)))
        told = f"in small pages and the largest working set of each, from {least} to {most}, so that they are not of the same"
    return found.words(f"Ns of a load that the next one waits for, {told}")


def table(subject: Subject) -> Table:
    """Every pair."""
    return _matrix(subject).table()


def _matrix(subject: Subject) -> NodeMatrix:
    values = {pair: one.latency_ns for pair, one in _largest(subject).items()}
    return NodeMatrix(values, lambda ns: f"{ns:.1f}", "ns", lambda ns: ns)


def _largest(subject: Subject) -> dict[Pair, MemoryChase]:
    """The largest working set of each pair; a node with little memory has a smaller one than others."""
    found = subject.run.results.get("memory_bench")
    largest: dict[Pair, MemoryChase] = {}
    for one in found.chases if found is not None else ():
        pair = (one.cpu_node, one.memory_node)
        if one.pages == "small" and (pair not in largest or one.size_bytes > largest[pair].size_bytes):
            largest[pair] = one
    return largest


CHART = Chart(
    title="How long a load takes, from node to node",
    help="Nanoseconds of a load from the CPUs of each node to the memory of each, the more colour the slower.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
