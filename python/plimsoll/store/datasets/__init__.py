"""Tables of many reports as files that DuckDB, Polars, Spark and spreadsheets read: one member for each format.

Rows come in as reports are read and go out in parts, so that memory does not grow with their number. Everything is written
beside the folder's contents and gets its names at the end: see `folder.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from plimsoll.base.errors import UsageError
from plimsoll.base.spreadsheets import check_formulas
from plimsoll.ports.folders import Folder
from plimsoll.reports.reader import Reading
from plimsoll.store.datasets import csv_files, json_files, parquet

if TYPE_CHECKING:
    import pyarrow


class Dataset(Protocol):
    """One output while it grows in a folder of its own."""

    def add(self, reading: Reading, batches: Iterable[tuple[str, pyarrow.RecordBatch]]) -> None:
        """Takes in the tables of one report."""
        ...

    def finish(self, reports: pyarrow.Table | None) -> None:
        """Writes what still waits, and the table of all reports unless that is not wanted."""
        ...


FORMATS: dict[str, Callable[[Folder], Dataset]] = {
    "parquet": parquet.ParquetDataset,
    "csv": csv_files.CsvFiles,
    "json": json_files.JsonFiles,
}
"""By the name that `plimsoll read --format` takes."""


def begin(file_format: str, folder: Folder, escape_formulas: bool = False) -> Dataset:
    """A new output in an empty folder. Raises UsageError `format-unknown`, `format-no-formulas`."""
    if file_format not in FORMATS:
        raise UsageError("format-unknown", f"cannot write '{file_format}'", f"Known: {', '.join(FORMATS)}.")
    if escape_formulas:
        check_formulas(file_format)
        return csv_files.CsvFiles(folder, escape_formulas=True)
    return FORMATS[file_format](folder)
