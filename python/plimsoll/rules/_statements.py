"""Which statements read most, where a report names them."""

from __future__ import annotations

from plimsoll.facts import PrintedCell
from plimsoll.rules._interval import Interval, cells_of

_MOST = 3


def most_reads(interval: Interval) -> tuple[str, tuple[PrintedCell, ...]]:
    """The first few statements in words, with the cells of their reads; empty where none is printed."""
    rows = [
        row for row in interval.rows("sql") if row["ordered_by"] == "physical reads" and row["physical_reads"]
    ]
    top = sorted(rows, key=lambda row: -row["physical_reads"])[:_MOST]
    plans = {
        row["sql_id"]: row["plan_hash"] for row in interval.rows("top_sql_events") if row.get("plan_hash")
    }
    names = [_named(row["sql_id"] or row["old_hash_value"], plans.get(row["sql_id"])) for row in top]
    numbers = [interval.number("sql", row, "physical_reads") for row in top]
    return (f"; most blocks are read by {', '.join(names)}" if names else ""), cells_of(*numbers)


def _named(statement: str | None, plan: str | None) -> str:
    return f"{statement or 'a statement without id'}{f' (plan {plan})' if plan else ''}"
