"""Tables of reports as Arrow, the same columns for every release; each row names the report that it is from.

Of one report there is a batch of rows for each table. What names the report is put in front only when the batches of many
reports become one table, since there are hundreds of small ones in each. Pyarrow is an extra, so it is imported when the
first table is made. What a report does not print is null.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from plimsoll.base.errors import WorldError
from plimsoll.facts import Report, View
from plimsoll.reports.reader import Reading

if TYPE_CHECKING:
    import pyarrow

    from plimsoll.native import reports as native

REPORTS, TABLES, CELLS, PROBLEMS = "reports", "report_tables", "report_cells", "report_problems"
"""Tables about the reports themselves, and about whatever stands in them, typed or not."""


class Identity(NamedTuple):
    """What names a report in the rows that are from it."""

    report: str | None
    db_name: str | None
    instance: str | None
    begin_time: datetime | None
    end_time: datetime | None
    begin_snap: int | None
    end_snap: int | None


Source = tuple[Identity, int]
"""A report, and how many rows are from it."""


def library() -> Any:
    """Pyarrow. Raises WorldError `library-missing`."""
    try:
        import pyarrow
    except ImportError as error:
        hint = "Install it with: pip install 'plimsoll-storage[tables]'."
        raise WorldError("library-missing", "could not load pyarrow, which makes tables", hint) from error
    return pyarrow


def identity_of(report: Report) -> Identity:
    """What names this report."""
    return Identity(
        report.id,
        report.db_name,
        report.instance,
        local_time(report.begin_time),
        local_time(report.end_time),
        report.begin_snap,
        report.end_snap,
    )


def local_time(text: str | None) -> datetime | None:
    """A local time without a zone, as the report prints it; None for what is no time, which stays readable in the JSON."""
    try:
        return None if text is None else datetime.fromisoformat(text)
    except ValueError:
        return None


def batches(
    reading: Reading, views: Iterable[View], wanted: frozenset[str]
) -> Iterator[tuple[str, pyarrow.RecordBatch]]:
    """Each table of a report that is wanted and has rows, by its name. No names: all but `reports`, which is made at the end."""
    if reading.content is not None and reading.report.status != "unreadable":
        found = _sections(reading.content, wanted)
        for view in views:
            if view.name in found:
                yield view.name, library().record_batch(found[view.name])
        for name, make in ((TABLES, _tables_batch), (CELLS, _cells_batch)):
            if not wanted or name in wanted:
                yield name, make(reading)
    if reading.report.problems and (not wanted or PROBLEMS in wanted):
        yield PROBLEMS, _problems_batch(reading)


def _sections(content: native.Report, wanted: frozenset[str]) -> dict[str, native.Table]:
    """The rows of the views that are wanted: `FROM_READER`, then a view's own columns, in the order in which it declares them."""
    if not wanted:
        return content.sections()
    return {name: content.section(name) for name in content.section_names() if name in wanted}


def _tables_batch(reading: Reading) -> pyarrow.RecordBatch:
    """The list of tables."""
    found = json.loads(zlib.decompress(reading.sections))
    rows = [
        {**one, "table": number, "columns": json.dumps(one["columns"], ensure_ascii=False)}
        for number, one in enumerate(found)
    ]
    return _batch(rows, TABLE_COLUMNS)


def _cells_batch(reading: Reading) -> pyarrow.RecordBatch:
    assert reading.content is not None, "a report without content has no cells"
    return library().record_batch(reading.content.cells())


def _problems_batch(reading: Reading) -> pyarrow.RecordBatch:
    return _batch([problem.model_dump() for problem in reading.report.problems], PROBLEM_COLUMNS)


def _batch(rows: Sequence[dict[str, Any]], columns: Sequence[tuple[str, str]]) -> pyarrow.RecordBatch:
    pa = library()
    return pa.RecordBatch.from_pylist(rows, pa.schema([(name, _kind(word)) for name, word in columns]))


def _kind(word: str) -> Any:
    pa = library()
    kinds = {"number": pa.int64(), "truth": pa.bool_(), "local time": pa.timestamp("ms")}
    return kinds.get(word, pa.string())


def identified(name: str, rows: pyarrow.Table, sources: Sequence[Source]) -> pyarrow.Table:
    """The rows with what names their report in front; a table's own column of such a name wins.

    Cells name the report alone: there are tens of thousands in each.
    """
    pa = library()
    index = pa.array([place for place, (_, count) in enumerate(sources) for _ in range(count)], pa.int32())
    made = {}
    for column, word, _ in VIEW_COLUMNS[: 1 if name == CELLS else len(Identity._fields)]:
        if column not in rows.column_names:
            values = [getattr(identity, column) for identity, _ in sources]
            made[column] = pa.array(values, _kind(word)).take(index)
    own = {column: _plain(rows.column(column)) for column in rows.column_names}
    return pa.table({**made, **own})


def _plain(column: Any) -> Any:
    """Texts as texts, where the extension hands out numbers of a list of them."""
    pa = library()
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


def reports_table(reports: Sequence[Report]) -> pyarrow.Table:
    """A row per report, in the order given, duplicates and what could not be read among them."""
    pa = library()
    made: dict[str, Any] = {}
    for name in REPORT_COLUMNS:
        values = [getattr(report, name) for report in reports]
        word = word_of(name)
        kind = pa.float64() if "float" in str(Report.model_fields[name].annotation) else _kind(word)
        times = word == "local time"
        made[AS_REPORT.get(name, name)] = pa.array(
            [local_time(one) for one in values] if times else values, kind
        )
    for name in CELL_COUNTS:
        made[f"cells_{name}"] = pa.array([getattr(report.cells, name) for report in reports], pa.int64())
    flags = [[flag.model_dump() for flag in report.flags] for report in reports]
    made["flags"] = pa.array([json.dumps(one, ensure_ascii=False) for one in flags], pa.string())
    return pa.table(made)


def word_of(name: str) -> str:
    """The type of a field of a report, as the schema says it."""
    if name in LOCAL_TIMES:
        return "local time"
    annotation = str(Report.model_fields[name].annotation)
    kinds = {"bool": "truth", "float": "number", "int": "number"}
    return next((word for kind, word in kinds.items() if kind in annotation), "text")


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
FROM_READER = ("table", "line", "instance_number")
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
TABLE_COLUMNS = (
    ("table", "number"),
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
