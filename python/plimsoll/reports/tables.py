"""Tables of reports, the same columns for every release; each row names the report that it is from.

Files of many reports are made by the extension (`native.datasets`); here are the columns that it does not know, the rows that are
made of facts, and rows to be shown. What a report does not print is null.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from plimsoll.facts import Report
from plimsoll.native.datasets import Made, Names
from plimsoll.reports.reader import Reading

REPORTS, TABLES, CELLS, PROBLEMS = "reports", "report_tables", "report_cells", "report_problems"
"""Tables about the reports themselves, and about whatever stands in them, typed or not."""

Row = dict[str, Any]
_KINDS = {"text": "text", "number": "whole", "real": "real", "truth": "truth", "local time": "time"}
"""The extension's words for the types of the schema."""


def names_of(report: Report) -> Names:
    """What names this report in its rows."""
    begin, end = _milliseconds(report.begin_time), _milliseconds(report.end_time)
    return report.id, report.db_name, report.instance, begin, end, report.begin_snap, report.end_snap


def local_time(text: str | None) -> datetime | None:
    """A local time without a zone, as the report prints it; None for what is no time, which stays readable in the JSON."""
    try:
        return None if text is None else datetime.fromisoformat(text)
    except ValueError:
        return None


def _milliseconds(text: str | None) -> int | None:
    """A local time as if the host's clock showed UTC."""
    time = local_time(text)
    return None if time is None else round(time.replace(tzinfo=UTC).timestamp() * 1000)


def has_tables(reading: Reading) -> bool:
    """Whether anything of the report can be put into tables."""
    return reading.content is not None and reading.report.status != "unreadable"


def wants_problems(reading: Reading, wanted: frozenset[str]) -> bool:
    """Whether the report has problems, and their table is one of those wanted, or all are."""
    return bool(reading.report.problems) and (not wanted or PROBLEMS in wanted)


def rows_of(reading: Reading, wanted: frozenset[str]) -> Iterator[tuple[str, list[Row]]]:
    """Rows of those tables of a report, each with what names the report in front, JSON-ready."""
    names = _shown_names(reading.report)
    for table, rows in _own_rows(reading, wanted):
        front = {"report": reading.report.id} if table == CELLS else names
        yield (
            table,
            [{**{name: value for name, value in front.items() if name not in row}, **row} for row in rows],
        )


def _shown_names(report: Report) -> Row:
    times = {name: local_time(getattr(report, name)) for name in ("begin_time", "end_time")}
    return {
        "report": report.id,
        "db_name": report.db_name,
        "instance": report.instance,
        **{name: time and time.isoformat(timespec="seconds") for name, time in times.items()},
        "begin_snap": report.begin_snap,
        "end_snap": report.end_snap,
    }


def _own_rows(reading: Reading, wanted: frozenset[str]) -> Iterator[tuple[str, list[Row]]]:
    yield from view_rows(reading, wanted)
    if reading.content is not None and has_tables(reading) and TABLES in wanted:
        yield TABLES, reading.content.tables().rows()
    if CELLS in wanted and (cells := cell_rows(reading, wanted)):
        yield CELLS, cells
    if reading.report.problems and PROBLEMS in wanted:
        names = [name for name, _ in PROBLEM_COLUMNS]
        yield PROBLEMS, [problem.model_dump(include=set(names)) for problem in reading.report.problems]


def view_rows(reading: Reading, wanted: frozenset[str]) -> Iterator[tuple[str, list[Row]]]:
    """The rows of the views that are wanted: `FROM_READER`, then a view's own columns, in the order in which it declares them."""
    if reading.content is not None and has_tables(reading):
        for name in reading.content.section_names():
            if not wanted or name in wanted:
                yield name, reading.content.section(name).rows()


def cell_rows(reading: Reading, wanted: frozenset[str]) -> list[Row]:
    """Every cell of the report, where cells are wanted."""
    if reading.content is None or not has_tables(reading) or (wanted and CELLS not in wanted):
        return []
    return reading.content.cells().rows()


def problem_rows(reading: Reading) -> tuple[str, Made]:
    """The problems of a report for its dataset."""
    rows = [[getattr(problem, name) for name, _ in PROBLEM_COLUMNS] for problem in reading.report.problems]
    return PROBLEMS, _made(PROBLEM_COLUMNS, rows)


def report_rows(reports: Sequence[Report]) -> tuple[str, Made]:
    """A row per report for the dataset, in the order given, duplicates and what could not be read among them."""
    rows = [
        [_stored(kind, value) for (_, kind), value in zip(REPORT_TABLE, _values(one), strict=True)]
        for one in reports
    ]
    return REPORTS, _made(REPORT_TABLE, rows)


def shown_reports(reports: Sequence[Report]) -> list[Row]:
    """The same to be shown."""
    names = [name for name, _ in REPORT_TABLE]
    return [dict(zip(names, map(_shown, REPORT_TABLE, _values(one)), strict=True)) for one in reports]


def _values(report: Report) -> list[Any]:
    flags = json.dumps([flag.model_dump() for flag in report.flags], ensure_ascii=False)
    plain = [getattr(report, name) for name in REPORT_COLUMNS]
    return [*plain, *(getattr(report.cells, name) for name in CELL_COUNTS), flags]


def _stored(kind: str, value: Any) -> Any:
    return _milliseconds(value) if kind == "local time" else value


def _shown(column: tuple[str, str], value: Any) -> Any:
    time = local_time(value) if column[1] == "local time" else None
    return (time and time.isoformat(timespec="seconds")) if column[1] == "local time" else value


def _made(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> Made:
    return [(name, _KINDS[kind]) for name, kind in columns], json.dumps(rows, ensure_ascii=False)


def word_of(name: str) -> str:
    """The type of a field of a report, as the schema says it."""
    if name in LOCAL_TIMES:
        return "local time"
    annotation = str(Report.model_fields[name].annotation)
    kinds = {"bool": "truth", "float": "real", "int": "number"}
    return next((word for kind, word in kinds.items() if kind in annotation), "text")


VIEW_COLUMNS = (
    ("report", "text", "Names the report: the beginning of the SHA-256 of its bytes."),
    ("db_name", "text", "The database."),
    ("instance", "text", "The instance; null in reports over several."),
    ("begin_time", "local time", "Begin of the interval, on the reported host's own clock."),
    ("end_time", "local time", "End of the interval, on the same clock."),
    ("begin_snap", "number", "Number of the snapshot at the begin."),
    ("end_snap", "number", "Number of the snapshot at the end."),
    ("table_index", "number", "Which table of the report the row is from, as in `report_tables`."),
    ("line", "number", "The line of the report that the row begins in."),
    ("instance_number", "number", "The instance that the row is about, in reports over several."),
)
"""What stands before a typed view's own columns: name, type, meaning. A view's own column of such a name wins."""
FROM_READER = ("table_index", "line", "instance_number")
"""Those that the extension puts there."""
LOCAL_TIMES = ("startup_time", "begin_time", "end_time")
REPORT_COLUMNS = tuple(
    name
    for name in Report.model_fields
    if name not in ("sections", "cells", "numbers", "problems", "flags", "instances", "periods")
)
AS_REPORT = {"id": "report"}
"""Fields whose column has another name."""
CELL_COUNTS = ("total", "typed", "text", "blank", "overflow", "failed")
REPORT_TABLE = (
    *((AS_REPORT.get(name, name), word_of(name)) for name in REPORT_COLUMNS),
    *((f"cells_{name}", "number") for name in CELL_COUNTS),
    ("flags", "text"),
)
"""The columns of `reports`, with their types."""
TABLE_COLUMNS = (
    ("table_index", "number"),
    ("title", "text"),
    ("name", "text"),
    ("typed", "truth"),
    ("columns", "text"),
    ("row_count", "number"),
    ("line", "number"),
)
PROBLEM_COLUMNS = (
    ("line", "number"),
    ("section", "text"),
    ("code", "text"),
    ("message", "text"),
    ("loses", "truth"),
)
