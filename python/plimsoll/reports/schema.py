"""The tables that a read can make, with their columns, types and units: what `plimsoll read --schema` prints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from plimsoll.facts import View
from plimsoll.reports import tables
from plimsoll.reports.reader import views

GENERIC = {
    tables.REPORTS: "A row per report: where it was found, what its header says, and what became of its cells.",
    tables.TABLES: "A row per table of a report, in the order of the report; `columns` is a JSON array.",
    tables.CELLS: "A row per cell of a report, as printed and as read; `table_index` is that of `report_tables`.",
    tables.PROBLEMS: "A row per problem of a report.",
}
"""The tables that every output has besides the typed views."""

_UNITS = {"s": "s", "bytes": "bytes"}
_CELL_COLUMNS = (
    ("report", "text"),
    ("table_index", "number"),
    ("row_index", "number"),
    ("column_index", "number"),
    ("line", "number"),
    ("text", "text"),
    ("status", "text"),
    ("number", "number"),
    ("unit", "text"),
)


def schema() -> list[dict[str, Any]]:
    """Every table, JSON-ready: the typed views, then those about the reports themselves."""
    return [*(_of_view(view) for view in views()), *of_reports()]


def _of_view(view: View) -> dict[str, Any]:
    own = [column.model_dump() for column in view.columns]
    names = {column["name"] for column in own}
    common = _described((name, kind) for name, kind, _ in tables.VIEW_COLUMNS if name not in names)
    return {"name": view.name, "about": view.about, "columns": common + own}


def of_reports() -> list[dict[str, Any]]:
    """The tables about the reports themselves."""
    identity = [(name, kind) for name, kind, _ in tables.VIEW_COLUMNS[:7]]
    columns = {
        tables.REPORTS: tables.REPORT_TABLE,
        tables.TABLES: [*identity, *tables.TABLE_COLUMNS],
        tables.CELLS: _CELL_COLUMNS,
        tables.PROBLEMS: [*identity, *tables.PROBLEM_COLUMNS],
    }
    return [
        {"name": name, "about": about, "columns": _described(columns[name])}
        for name, about in GENERIC.items()
    ]


def _described(columns: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    about = {name: meaning for name, _, meaning in tables.VIEW_COLUMNS}
    return [
        {
            "name": name,
            "type": "number" if kind == "real" else kind,
            "unit": _UNITS.get(name.rpartition("_")[2]),
            "about": about.get(name, ""),
        }
        for name, kind in columns
    ]
