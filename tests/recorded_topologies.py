"""Recorded machines, and what hwloc's own tests expect of each: nodes, cores, CPUs and distances by the kernel's numbers.

`PLIMSOLL_TOPOLOGIES` names the folder of all of them; without it, `../shared/topologies` beside the project. A few small ones are
kept with the tests, under hwloc's licence.
"""

from __future__ import annotations

import csv
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

_ROOT = Path(__file__).resolve().parents[1]
KEPT = Path(__file__).parent / "unit/host/topology/recorded"
FOLDER = Path(os.environ.get("PLIMSOLL_TOPOLOGIES") or _ROOT.parent / "shared/topologies")
WITHOUT_CPUS = "allowed-test1.fsroot.tar.bz2"
_OBJECT = re.compile(r"( *)(NUMANode|Core|PU)(?:\([^)]*\))? L#(\d+)(?:$| \((?:P#(\d+))?)")
_MATRIX = re.compile(
    r"Relative latency matrix \(name NUMALatency .*\n(?: index|\s+index)([ \d]+)\n((?:[ \d]+\n)+)"
)


@dataclass
class Expected:
    """By the kernel's numbers; what hwloc was told to leave out is not here."""

    nodes: set[int] = field(default_factory=set)
    cores: set[frozenset[int]] = field(default_factory=set)
    cpus: set[int] = field(default_factory=set)
    distances: dict[tuple[int, int], int] = field(default_factory=dict)


def names(folder: Path = FOLDER) -> list[str]:
    """Archives that have an expectation."""
    return sorted(_rows(folder))


def _rows(folder: Path) -> dict[str, str]:
    table = folder / "topologies.tsv"
    if not table.exists():
        return {}
    with table.open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {row["archive"]: row["expected_from"] for row in rows if row["archive"] != WITHOUT_CPUS}


def expected(name: str, folder: Path = FOLDER) -> Expected:
    """What hwloc's tests expect of an archive."""
    path = folder / "expected" / _rows(folder)[name]
    return _of_xml(path) if path.suffix == ".xml" else _of_console(path.read_text())


def _of_console(text: str) -> Expected:
    found, core, indent, by_order = Expected(), set[int](), 0, dict[int, int]()
    cores: list[set[int]] = []
    for match in map(_OBJECT.match, text.splitlines()):
        if match is None:
            continue
        depth, number = len(match[1]), int(match[4] or -1)
        if match[2] == "NUMANode":
            found.nodes.add(number)
            by_order[int(match[3])] = number
        elif match[2] == "Core":
            core, indent = set[int](), depth
            cores.append(core)
        else:
            found.cpus.add(number)
            if cores and depth > indent:
                core.add(number)
    found.cores = set(map(frozenset, cores))
    if (matrix := _MATRIX.search(text)) is not None:
        found.distances = _matrix(matrix[1], matrix[2], by_order)
    return found


def _matrix(head: str, rows: str, by_order: dict[int, int]) -> dict[tuple[int, int], int]:
    columns = [by_order[int(word)] for word in head.split()]
    found = {}
    for line in rows.splitlines():
        first, *values = map(int, line.split())
        found.update(
            {(by_order[first], column): value for column, value in zip(columns, values, strict=True)}
        )
    return found


def _of_xml(path: Path) -> Expected:
    root, found = ElementTree.parse(path).getroot(), Expected()
    for one in root.iter("object"):
        number = int(one.get("os_index", "-1"))
        if one.get("type") == "NUMANode":
            found.nodes.add(number)
        elif one.get("type") == "PU":
            found.cpus.add(number)
        elif one.get("type") == "Core":
            inside = (
                int(unit.get("os_index", "")) for unit in one.iter("object") if unit.get("type") == "PU"
            )
            found.cores.add(frozenset(inside))
    for matrix in root.iter("distances2"):
        if matrix.get("name") == "NUMALatency":
            found.distances = _values(matrix)
    return found


def _values(matrix: ElementTree.Element) -> dict[tuple[int, int], int]:
    ids = [int(word) for part in matrix.iter("indexes") for word in (part.text or "").split()]
    values = [int(word) for part in matrix.iter("u64values") for word in (part.text or "").split()]
    pairs = [(one, other) for one in ids for other in ids]
    return dict(zip(pairs, values, strict=True))
