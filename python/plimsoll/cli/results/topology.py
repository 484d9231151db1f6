"""A host as a tree: its nodes, what is in each, and how far they are apart."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from plimsoll.cli.output import say, say_run
from plimsoll.cli.tables import show_table, table
from plimsoll.facts import Run, Topology, TopologyNode
from plimsoll.results import kinds
from plimsoll.results.topology import (
    cache_text,
    cores_text,
    device_text,
    distances,
    last_caches,
    node_text,
    packages_of,
    remarks,
)

_WIDTH = 79
_DISTANCES_MAX = 16
"""More columns do not fit on a terminal; JSON and the page have all."""

Branch: TypeAlias = tuple[str, Sequence["Branch"]]
"""A line, and what is below it."""


def show(run: Run) -> None:
    """The tree, distances, and what a reader must know; problems follow as notes."""
    found: Topology = run.results["topology"]
    say(kinds()["topology"].answer(found))
    for line in tree_lines(_branches(found)):
        say(line)
    _show_distances(found)
    for _, sentence in remarks(found):
        say(sentence)
    say_run(run)


def tree_lines(branches: Sequence[Branch], before: str = "") -> Iterator[str]:
    """Each branch on a line with its place in the tree, folded at the edge of a terminal."""
    for number, (words, below) in enumerate(branches, 1):
        is_last = number == len(branches)
        first, further = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        stem = before + further + ("│  " if below else "   ")
        yield from textwrap.wrap(
            words,
            _WIDTH,
            initial_indent=before + first,
            subsequent_indent=stem,
            break_on_hyphens=False,
            break_long_words=False,
        )
        yield from tree_lines(below, before + further)


def _branches(found: Topology) -> list[Branch]:
    nodes: list[Branch] = [(node_text(found, node), _of_node(found, node)) for node in found.nodes]
    homeless = list(_packages(found, None))
    nodes += [("node not told", homeless)] if homeless else []
    return nodes + [(f"{device_text(one)}, node not told", ()) for one in found.devices if one.node is None]


def _of_node(found: Topology, node: TopologyNode) -> list[Branch]:
    devices: list[Branch] = [(device_text(one), ()) for one in found.devices if one.node == node.id]
    return [*_packages(found, node), *devices]


def _packages(found: Topology, node: TopologyNode | None) -> Iterator[Branch]:
    for package, cpus in packages_of(found, node).items():
        ids = [cpu.id for cpu in cpus]
        cores = [found.cores[place] for place in dict.fromkeys(cpu.core for cpu in cpus) if place is not None]
        name = "package not told" if package is None else f"package {package}"
        below: list[Branch] = [(cache_text(one), ()) for one in last_caches(found, ids)]
        yield f"{name}: {cores_text(found, cores, ids)}", below


def _show_distances(found: Topology) -> None:
    if 1 < len(found.nodes) <= _DISTANCES_MAX:
        told = distances(found)
        made = table(*told.columns, text_columns=0)
        for row in told.rows:
            made.add_row(*row)
        say("distances, from the CPUs of a node to the memory of each:")
        show_table(made)
    elif len(found.nodes) > 1:
        say(f"distances of {len(found.nodes)} nodes: --json and --out PAGE.html have them")
