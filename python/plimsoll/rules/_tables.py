"""What tables of a PostgreSQL that is watched gained, as rules look at it."""

from __future__ import annotations

from collections.abc import Iterable

from plimsoll.facts import PrintedCell, RelationCounters
from plimsoll.rules._interval import Interval

VIEW, BLOCKS_VIEW = "pg_stat_all_tables", "pg_statio_all_tables"
_LONG_SCAN_ROWS = 1000.0
"""Reading fewer rows from end to end is what a planner does with small tables."""


def cell_of(table: RelationCounters, column: str, value: float, view: str = VIEW) -> PrintedCell:
    """A figure of a table."""
    return PrintedCell(section=view, row=name_of(table), column=column, value=f"{value:,.0f}")


def name_of(table: RelationCounters) -> str:
    """With its schema."""
    return f"{table.schema_name}.{table.name}"


def is_scanned(table: RelationCounters) -> bool:
    """Whether many rows were read from end to end each time."""
    scans = table.sequential_scans
    return bool(scans) and (table.rows_scanned or 0) >= _LONG_SCAN_ROWS * scans


def heap_blocks(tables: Iterable[RelationCounters]) -> int:
    """Blocks of rows that were asked for, in cache or not."""
    return sum(one.heap_blocks_read + one.heap_blocks_hit for one in tables)


def all_blocks(interval: Interval) -> int:
    """Blocks of rows and indexes that were asked for of all tables."""
    indexes = sum(one.index_blocks_read + one.index_blocks_hit for one in interval.tables)
    return heap_blocks(interval.tables) + indexes


def blocks_read(interval: Interval) -> int:
    """Blocks of all tables and their indexes that were not in the cache."""
    return sum(one.heap_blocks_read + one.index_blocks_read for one in interval.tables)
