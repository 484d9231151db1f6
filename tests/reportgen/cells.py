"""Whether every cell of a generated report's tables is among the cells that a reader found, typed or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pyarrow

from reportgen import damage
from reportgen.facts import Facts
from reportgen.judge import Report
from reportgen.layout import Layout
from reportgen.model import Style, Table, cells
from reportgen.order import document
from reportgen.text import medium

Grid = list[list[str]]


def lost_tables(facts: Facts, layout: Layout, report: Report) -> list[str]:
    """Tables that were printed with a title, but whose rows no table of the reader has in the printed order."""
    read = _grids(pyarrow.record_batch(report.cells()).to_pylist())
    lost: list[str] = []
    place = 0
    for table in _tables(facts, layout):
        printed = _printed(table, layout)
        found = next((at for at in range(place, len(read)) if _begins_with(read[at], printed)), None)
        if found is None:
            lost.append(f"{table.title}: {_nearest(printed, read[place:])}")
        else:
            place = found + 1
    return lost


def _tables(facts: Facts, layout: Layout) -> list[Table]:
    parts = document(damage.facts(facts, layout), layout)
    tables = [block for part in parts for block in part if isinstance(block, Table)]
    return [table for table in tables if table.title and table.rows and table.style is not Style.BARE]


def _printed(table: Table, layout: Layout) -> Grid:
    return [
        [_plain(column.form.printed(value, medium(column, layout)).text) for column, value in pairs]
        for _, pairs in cells(table)
    ]


def _plain(text: str) -> str:
    words = " ".join(text.split())
    return "#" if words and not words.strip("#") else words


def _grids(found: Sequence[dict[str, Any]]) -> list[Grid]:
    tables: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for cell in found:
        tables[cell["table_index"]][cell["row_index"]].append(_plain(cell["text"]))
    return [list(rows.values()) for rows in tables.values()]


def _begins_with(read: Grid, printed: Grid) -> bool:
    """The reader may have further columns, such as a statement's text, but no further or other rows."""
    return len(read) == len(printed) and all(
        row[: len(own)] == own for row, own in zip(read, printed, strict=True)
    )


def _nearest(printed: Grid, read: list[Grid]) -> str:
    """The first rows that differ from those of the table that begins alike."""
    for grid in read:
        if grid and printed and grid[0][:1] == printed[0][:1] and len(grid[0]) >= len(printed[0]):
            pairs = zip(printed, grid, strict=False)
            other = next(((own, row) for own, row in pairs if row[: len(own)] != own), None)
            return (
                f"{len(printed)} rows printed, {len(grid)} read; printed {other[0]}, read {other[1]}"
                if other
                else f"{len(printed)} rows, {len(grid)} read"
            )
    return f"no table like {printed[:1]}"
