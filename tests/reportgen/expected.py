"""What a reader should find in a report: for each typed section its rows, each value at the precision in which it is printed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from reportgen import naming
from reportgen.layout import Layout
from reportgen.model import Block, Column, Pairs, Profile, Table
from reportgen.printing import Medium, Printed, Value
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
    rows = tuple(naming.renamed(found.view, row) for row in found.rows)
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
    for printed, cells in printed_rows(table, layout):
        pairs = tuple(zip(table.columns, cells, strict=True))
        named = {column.name: cell.found for column, cell in pairs if column.name is not None}
        row = {**table.constants, **named, **dict(printed.told)}
        has_buckets = any(column.bucket is not None for column in table.columns)
        buckets = [
            _bucket(column, cell, layout) for column, cell in pairs if column.bucket is not None and cell.text
        ]
        made += [{**row, "list": table.title, **bucket} for bucket in buckets] if has_buckets else [row]
    return made


def _bucket(column: Column, cell: Printed, layout: Layout) -> Found:
    assert column.bucket is not None
    heading = column.html_heading if layout.html else column.heading
    begin_us, end_us = column.bucket
    return {"bucket": heading, "bucket_begin_us": begin_us, "bucket_end_us": end_us, "percent": cell.found}


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
