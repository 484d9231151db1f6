"""CSV, one file for each table. Texts stand in quotes; nothing between two commas is null; times are local times without a zone."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.demand.reports import tables
from plimsoll.demand.reports.reader import Reading
from plimsoll.demand.reports.tables import Source
from plimsoll.ports import files
from plimsoll.store.datasets.waiting import Waiting

if TYPE_CHECKING:
    import pyarrow


class CsvFiles:
    """Adds to each file as rows gather."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
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
        csv.write_csv(_with_texts(rows), buffer, csv.WriteOptions(include_header=name not in self._begun))
        files.append_bytes(self._folder / f"{name}.csv", buffer.getvalue())
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
