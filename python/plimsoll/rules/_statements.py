"""Which statements read most, where a report names them."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.facts import PrintedCell
from plimsoll.reports.figures.evidence import Row
from plimsoll.rules._interval import Interval, cells_of

_MOST = 3
_REMEMBERED = 10
_SAMPLES = "top_sql_events"


def most_reads(interval: Interval) -> tuple[str, tuple[PrintedCell, ...]]:
    """The first few statements in words, with the cells of their reads; empty where none is printed."""
    rows = [
        row for row in interval.rows("sql") if row["ordered_by"] == "physical reads" and row["physical_reads"]
    ]
    top = sorted(rows, key=lambda row: -row["physical_reads"])[:_MOST]
    plans = {row["sql_id"]: row["plan_hash"] for row in interval.rows(_SAMPLES) if row.get("plan_hash")}
    names = [_named(row["sql_id"] or row["old_hash_value"], plans.get(row["sql_id"])) for row in top]
    numbers = [interval.number("sql", row, "physical_reads") for row in top]
    return (f"; most blocks are read by {', '.join(names)}" if names else ""), cells_of(*numbers)


def _named(statement: str | None, plan: str | None) -> str:
    return f"{statement or 'a statement without id'}{f' (plan {plan})' if plan else ''}"


@dataclass(frozen=True)
class RememberedStatement:
    """What is kept of a statement for the intervals beside."""

    elapsed_s: float
    plans: tuple[str, ...]
    """Those that samples met, most active first; none where no sample is printed."""
    cells: tuple[PrintedCell, ...]


def statements_of(interval: Interval) -> dict[str, RememberedStatement]:
    """Those that took longest, by their id."""
    rows = [
        row
        for row in interval.rows("sql")
        if row["ordered_by"] == "elapsed time" and row["sql_id"] and row["elapsed_s"]
    ]
    longest = sorted(rows, key=lambda row: -row["elapsed_s"])[:_REMEMBERED]
    plans = _plans(interval)
    found: dict[str, RememberedStatement] = {}
    for row in longest:
        sampled = plans.get(row["sql_id"], {})
        cells = (
            interval.cell("sql", row, "elapsed_s"),
            *(interval.cell(_SAMPLES, one, "plan_hash") for one in sampled.values()),
        )
        known = tuple(cell for cell in cells if cell is not None)
        found.setdefault(row["sql_id"], RememberedStatement(row["elapsed_s"], tuple(sampled), known))
    return found


def _plans(interval: Interval) -> dict[str, dict[str, Row]]:
    """Of each statement its plans, each with the first row that names it."""
    found: dict[str, dict[str, Row]] = {}
    for row in interval.rows(_SAMPLES):
        if row["sql_id"] and row.get("plan_hash"):
            found.setdefault(row["sql_id"], {}).setdefault(row["plan_hash"], row)
    return found
