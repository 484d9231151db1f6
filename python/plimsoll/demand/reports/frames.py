"""Tables of reports as Polars frames, the same columns for every release; each row names the report that it is from.

Polars is an extra, so it is imported when the first frame is made. What a report does not print is null.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from plimsoll.base.errors import WorldError
from plimsoll.demand.reports.reader import Reading, unpack_sections
from plimsoll.facts import Report, View

if TYPE_CHECKING:
    import polars

REPORTS, TABLES, CELLS, PROBLEMS = "reports", "report_tables", "report_cells", "report_problems"
"""Tables about the reports themselves, and about whatever stands in them, typed or not."""

VIEW_COLUMNS = (
    ("report", "text", "Names the report: the beginning of the SHA-256 of its bytes."),
    ("db_name", "text", "The database; the datasets are parted by it."),
    ("instance", "text", "The instance; null in reports over several."),
    ("begin_time", "local time", "Begin of the interval, on the reported host's own clock."),
    ("end_time", "local time", "End of the interval, on the same clock."),
    ("begin_snap", "number", "Number of the snapshot at the begin."),
    ("end_snap", "number", "Number of the snapshot at the end."),
    ("table", "number", "Which table of the report the row is from, as in `report_tables`."),
    ("line", "number", "The line of the report that the row begins in."),
    ("instance_number", "number", "The instance that the row is about, in reports over several."),
)
"""What stands before a typed view's own columns: name, type, meaning. A view's own column of such a name wins."""
_LOCAL_TIMES = ("startup_time", "begin_time", "end_time")
_IDENTITY = tuple(name for name, _, _ in VIEW_COLUMNS[:7])
_FROM_READER = ("table", "line", "instance_number")
"""Columns that the extension puts before those of every view."""

_GENERIC_ABOUT = {
    REPORTS: "A row per report: where it was found, what its header says, and what became of its cells.",
    TABLES: "A row per table of a report, in the order of the report; `columns` is a JSON array.",
    CELLS: "A row per cell of a report, as printed and as read; `table` is that of `report_tables`.",
    PROBLEMS: "A row per problem of a report.",
}


def library() -> Any:
    """Polars, when pyarrow is there too, which writes them. Raises WorldError `library-missing`."""
    try:
        import polars
        import pyarrow  # noqa: F401 - it is wanted later, and then everything would have been read in vain
    except ImportError as error:
        hint = "Install it with: pip install 'plimsoll[tables]'."
        raise WorldError(
            "library-missing", "could not load polars and pyarrow, which make tables", hint
        ) from error
    return polars


def generic_tables() -> dict[str, str]:
    """Name → what it holds, of the tables that every output has besides the typed views."""
    return dict(_GENERIC_ABOUT)


def generic_schema() -> list[dict[str, Any]]:
    """The tables about the reports themselves, with their columns, JSON-ready."""
    reports = [(_AS_REPORT.get(name, name), _word(name)) for name in _REPORT_COLUMNS]
    reports += [(f"cells_{name}", "number") for name in _CELL_COLUMNS] + [("flags", "text")]
    identity = [(name, kind) for name, kind, _ in VIEW_COLUMNS[:7]]
    columns = {
        REPORTS: reports,
        TABLES: identity + _TABLE_COLUMNS,
        CELLS: _CELL_ROW_COLUMNS,
        PROBLEMS: identity + _PROBLEM_COLUMNS,
    }
    return [
        {"name": name, "about": _GENERIC_ABOUT[name], "columns": _described(columns[name])}
        for name in columns
    ]


def _described(columns: list[tuple[str, str]]) -> list[dict[str, Any]]:
    about = {name: meaning for name, _, meaning in VIEW_COLUMNS}
    return [
        {
            "name": name,
            "type": kind,
            "unit": _UNITS.get(name.rpartition("_")[2]),
            "about": about.get(name, ""),
        }
        for name, kind in columns
    ]


_UNITS = {"s": "s", "bytes": "bytes"}
_AS_REPORT = {"id": "report"}
_TABLE_COLUMNS = [
    ("table", "number"),
    ("title", "text"),
    ("name", "text"),
    ("typed", "truth"),
    ("columns", "text"),
    ("row_count", "number"),
    ("line", "number"),
]
_PROBLEM_COLUMNS = [
    ("line", "number"),
    ("section", "text"),
    ("code", "text"),
    ("message", "text"),
    ("loses", "truth"),
]
_CELL_ROW_COLUMNS = [
    ("report", "text"),
    ("table", "number"),
    ("row", "number"),
    ("column", "number"),
    ("line", "number"),
    ("text", "text"),
    ("status", "text"),
    ("number", "number"),
    ("unit", "text"),
]


def view_frame(reading: Reading, view: View) -> polars.DataFrame:
    """The rows of a typed view in one report; a view's own column wins over one that names the report."""
    pl = library()
    assert reading.content is not None, "a report without content has no views"
    own = [column.name for column in view.columns]
    rows = pl.DataFrame(reading.content.section(view.name)).select(*_FROM_READER, *own)
    return rows.select(*_identity(reading.report, {*own, *_FROM_READER}), pl.all())


def frames(
    reading: Reading, views: Iterable[View], wanted: frozenset[str]
) -> Iterator[tuple[str, polars.DataFrame]]:
    """Each table of a report that is wanted and has rows, by its name. No names: all but `reports`, which is made at the end."""
    if reading.content is not None and reading.report.status != "unreadable":
        found = set(reading.content.section_names())
        for view in views:
            if view.name in found and (not wanted or view.name in wanted):
                yield view.name, view_frame(reading, view)
        for name, make in ((TABLES, tables_frame), (CELLS, cells_frame)):
            if not wanted or name in wanted:
                yield name, make(reading)
    if not wanted or PROBLEMS in wanted:
        yield PROBLEMS, problems_frame(reading)


def tables_frame(reading: Reading) -> polars.DataFrame:
    """The list of tables."""
    pl = library()
    schema = {name: _polars_kind(pl, kind) for name, kind in _TABLE_COLUMNS} | {"table": pl.UInt32}
    rows = [
        (
            number,
            one.title,
            one.name,
            one.typed,
            json.dumps(one.columns, ensure_ascii=False),
            one.row_count,
            one.line,
        )
        for number, one in enumerate(unpack_sections(reading.sections))
    ]
    return _identified(pl.DataFrame(rows, schema=schema, orient="row"), reading.report)


def cells_frame(reading: Reading) -> polars.DataFrame:
    """Every cell. Only the report's id stands beside it: there are tens of thousands in a report."""
    pl = library()
    assert reading.content is not None, "a report without content has no cells"
    rows = pl.DataFrame(reading.content.cells()).select(pl.lit(reading.report.id).alias("report"), pl.all())
    return rows.with_columns(pl.col("status", "unit").cast(pl.String))


def problems_frame(reading: Reading) -> polars.DataFrame:
    """What could not be read."""
    pl = library()
    names = {
        "line": pl.Int64,
        "section": pl.String,
        "code": pl.String,
        "message": pl.String,
        "loses": pl.Boolean,
    }
    rows = [tuple(getattr(problem, name) for name in names) for problem in reading.report.problems]
    return _identified(pl.DataFrame(rows, schema=names, orient="row"), reading.report)


def reports_frame(reports: Iterable[Report]) -> polars.DataFrame:
    """A row per report, in the order given, duplicates and what could not be read among them."""
    pl = library()
    schema = {name: _polars_type(pl, name) for name in _REPORT_COLUMNS}
    schema |= {f"cells_{name}": pl.Int64 for name in _CELL_COLUMNS} | {"flags": pl.String}
    rows = [
        [getattr(report, name) for name in _REPORT_COLUMNS]
        + [getattr(report.cells, name) for name in _CELL_COLUMNS]
        + [json.dumps([flag.model_dump() for flag in report.flags], ensure_ascii=False)]
        for report in reports
    ]
    frame = pl.DataFrame(rows, schema=schema, orient="row").rename({"id": "report"})
    return frame.with_columns(_as_time(pl.col(name)) for name in _LOCAL_TIMES)


_REPORT_COLUMNS = tuple(
    name
    for name in Report.model_fields
    if name not in ("sections", "cells", "problems", "flags", "instances")
)
_CELL_COLUMNS = ("total", "typed", "text", "blank", "overflow", "failed")


def _polars_type(pl: Any, name: str) -> Any:
    annotation = str(Report.model_fields[name].annotation)
    return pl.Float64 if "float" in annotation else _polars_kind(pl, _word(name))


def _word(name: str) -> str:
    """The type of a field of a report, as the schema says it."""
    annotation = str(Report.model_fields[name].annotation)
    if name in _LOCAL_TIMES:
        return "local time"
    kinds = {"bool": "truth", "float": "number", "int": "number"}
    return next((word for kind, word in kinds.items() if kind in annotation), "text")


def _polars_kind(pl: Any, word: str) -> Any:
    return {"number": pl.Int64, "truth": pl.Boolean}.get(word, pl.String)


def _identified(frame: polars.DataFrame, report: Report) -> polars.DataFrame:
    return frame.select(*_identity(report, set()), library().all())


def _identity(report: Report, taken: set[str]) -> list[Any]:
    """The columns that name the report, but for those that the rows themselves have."""
    pl = library()
    made = []
    for name in _IDENTITY:
        if name not in taken:
            value = report.id if name == "report" else getattr(report, name)
            kind = pl.Int64 if name.endswith("_snap") else pl.String
            column = pl.lit(value, dtype=kind)
            made.append((_as_time(column) if name in _LOCAL_TIMES else column).alias(name))
    return made


def _as_time(column: Any) -> Any:
    """Local time without a zone, as the report prints it; what is no time is null, and stays readable in the JSON."""
    return column.str.to_datetime("%Y-%m-%dT%H:%M:%S", time_unit="ms", strict=False)
