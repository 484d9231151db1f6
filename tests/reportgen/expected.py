"""What a reader should find in a report: for each typed section its rows, each value at the precision in which it is printed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from reportgen import naming
from reportgen.layout import Layout
from reportgen.model import Block, Pairs, Profile, Table
from reportgen.printing import Medium, Value
from reportgen.text import printed_rows, profile_medium

Found = Mapping[str, Value]


@dataclass(frozen=True)
class Expected:
    """The rows of one table of a typed section."""

    view: str
    title: str
    rows: tuple[Found, ...]


def expected(blocks: list[Block], layout: Layout) -> list[Expected]:
    """All tables that belong to typed sections, in the order in which they are printed."""
    return [_renamed(found) for block in blocks if (found := _of(block, layout)) is not None]


def _renamed(found: Expected) -> Expected:
    """Under the reader's names, without what it does not read."""
    names = {name: naming.column(found.view, name) for row in found.rows for name in row}
    rows = tuple(
        {new: value for name, value in row.items() if (new := names[name]) is not None} for row in found.rows
    )
    return Expected(naming.section(found.view), found.title, rows)


def by_view(tables: list[Expected]) -> dict[str, list[Found]]:
    """The rows of each typed section over all its tables."""
    made: dict[str, list[Found]] = defaultdict(list)
    for table in tables:
        made[table.view] += table.rows
    return dict(made)


def _of(block: Block, layout: Layout) -> Expected | None:
    match block:
        case Table(view=str(view)):
            return Expected(view, block.title, tuple(_table_rows(block, layout)))
        case Profile(view=str(view)):
            return Expected(view, block.title, tuple(_profile_rows(block, layout)))
        case Pairs(view=str(view)):
            return Expected(view, block.title, tuple(_pair_rows(block, layout)))
        case _:
            return None


def _table_rows(table: Table, layout: Layout) -> list[Found]:
    made: list[Found] = []
    for _, values in printed_rows(table, layout):
        named = {
            column.name: value
            for column, value in zip(table.columns, values, strict=True)
            if column.name is not None
        }
        made.append({**table.constants, **named})
    return made


def _profile_rows(block: Profile, layout: Layout) -> list[Found]:
    made: list[Found] = []
    for label, values in block.rows:
        figures = {
            column.name: column.form.printed(value, profile_medium(column, layout)).found
            for column, value in zip(block.columns, values, strict=True)
            if column.name is not None
        }
        made.append({block.label_name: label, **figures})
    return made


def _pair_rows(block: Pairs, layout: Layout) -> list[Found]:
    label_name, value_name = block.names
    return [
        {
            label_name: " ".join(label.split()),
            value_name: block.form.printed(value, Medium(html=layout.html, comma=layout.comma)).found,
        }
        for row in block.rows
        for label, value in row
    ]
