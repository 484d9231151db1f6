"""What a PostgreSQL counted row by row, as rules look at it: cells, and who had most of something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from plimsoll.facts import Gains, PrintedCell, RelationGains, StatementGains

T = TypeVar("T", RelationGains, StatementGains)
STATEMENTS_VIEW = "pg_stat_statements"
_VIEWS = {"i": "pg_statio_all_indexes", "S": "pg_statio_all_sequences"}
_TABLES_VIEW = "pg_statio_all_tables"


def most_of(rows: Sequence[T], column: str) -> T | None:
    """The row that gained most; None where nothing is known to have gained any."""
    found = max(rows, key=lambda row: row.gains.get(column) or 0.0, default=None)
    return found if found is not None and found.gains.get(column) else None


def relation_cell(one: RelationGains, column: str) -> PrintedCell:
    """A gain of a relation, by the view in which its server shows it."""
    return _cell(_VIEWS.get(one.relkind or "", _TABLES_VIEW), one.name, one.gains, column)


def statement_cell(one: StatementGains, column: str) -> PrintedCell:
    """A gain of a statement."""
    return _cell(STATEMENTS_VIEW, f"queryid {one.query_id}", one.gains, column)


def totals_cell(totals: Gains, column: str) -> PrintedCell:
    """What all statements gained."""
    return _cell(STATEMENTS_VIEW, "all", totals, column)


def _cell(view: str, row: str, gains: Gains, column: str) -> PrintedCell:
    return PrintedCell(section=view, row=row, column=column, value=f"{gains[column] or 0.0:,.0f}")
