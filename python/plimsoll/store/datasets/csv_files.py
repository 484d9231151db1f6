"""CSV, one file for each table. Texts stand in quotes; nothing between two commas is null; times are local times without a zone.

A text that a spreadsheet would run as a formula is kept as it is, unless it is asked otherwise: then a ' stands before it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from plimsoll.base.spreadsheets import FORMULA, QUOTE
from plimsoll.ports.folders import Folder
from plimsoll.reports import tables
from plimsoll.reports.reader import Reading
from plimsoll.reports.tables import Source
from plimsoll.store.datasets.form import Form
from plimsoll.store.datasets.waiting import Waiting

if TYPE_CHECKING:
    import pyarrow

FORM = Form(re.compile(r"[a-z][a-z0-9_]*\.csv"), (b'"report",', b'"file","member",'))


class CsvFiles:
    """Adds to each file as rows gather."""

    def __init__(self, folder: Folder, escape_formulas: bool = False) -> None:
        self._folder = folder
        self._escape_formulas = escape_formulas
        self._begun: set[str] = set()
        self._waiting = Waiting(self._write)

    def add(self, reading: Reading, batches: Iterable[tuple[str, pyarrow.RecordBatch]]) -> None:
        identity = tables.identity_of(reading.report)
        for name, rows in batches:
            if rows.num_rows:
                self._waiting.add(name, identity, rows)

    def finish(self, reports: pyarrow.Table | None) -> None:
        self._waiting.finish()
        if reports is not None:
            self._append(tables.REPORTS, reports)

    def _write(self, name: str, rows: pyarrow.Table, sources: Sequence[Source]) -> None:
        self._append(name, tables.identified(name, rows, sources))

    def _append(self, name: str, rows: pyarrow.Table) -> None:
        from pyarrow import csv

        buffer = io.BytesIO()
        texts = _with_texts(rows)
        if self._escape_formulas:
            texts = _without_formulas(texts)
        csv.write_csv(texts, buffer, csv.WriteOptions(include_header=name not in self._begun))
        self._folder.append(f"{name}.csv", buffer.getvalue())
        self._begun.add(name)


def _with_texts(rows: pyarrow.Table) -> pyarrow.Table:
    """Times as ISO 8601 to the second."""
    import pyarrow
    from pyarrow import compute

    columns = {}
    for name in rows.column_names:
        column = rows.column(name)
        if pyarrow.types.is_timestamp(column.type):
            seconds = column.cast(pyarrow.timestamp("s"))
            column = compute.call_function(
                "strftime", [seconds], compute.StrftimeOptions("%Y-%m-%dT%H:%M:%S")
            )
        columns[name] = column
    return pyarrow.table(columns)


def _without_formulas(rows: pyarrow.Table) -> pyarrow.Table:
    """Texts with a ' before those that a spreadsheet would run."""
    import pyarrow
    from pyarrow import compute

    columns = {}
    for name in rows.column_names:
        column = rows.column(name)
        if pyarrow.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type):
            options = compute.ReplaceSubstringOptions(FORMULA, rf"{QUOTE}\1")
            column = compute.call_function("replace_substring_regex", [column], options)
        columns[name] = column
    return pyarrow.table(columns)
