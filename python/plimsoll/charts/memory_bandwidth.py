"""How much memory moves, from the CPUs of each node to the memory of each: a heat map, the more colour the slower."""

from __future__ import annotations

from typing import Any

from plimsoll.base.units import format_mb
from plimsoll.charts._chart import Chart, Subject, Table
from plimsoll.charts._node_matrix import NodeMatrix
from plimsoll.facts.memory_bench import LOADED_KERNEL, LOADED_STORE


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
        return "No memory was measured."
    return found.words(f"MB per second by {LOADED_KERNEL} with {LOADED_STORE} stores on all CPUs of a node")


def table(subject: Subject) -> Table:
    """Every pair."""
    return _matrix(subject).table()


def _matrix(subject: Subject) -> NodeMatrix:
    found = subject.run.results.get("memory_bench")
    values = {
        (one.cpu_node, one.memory_node): one.mb_per_s
        for one in (found.streams if found is not None else ())
        if (one.kernel, one.store) == (LOADED_KERNEL, LOADED_STORE)
    }
    return NodeMatrix(values, format_mb, "MB/s", lambda mb: 1 / mb)


CHART = Chart(
    title="How much memory moves, from node to node",
    help="MB per second of a stream from the CPUs of each node to the memory of each, the more colour the slower.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
