"""Tables of many reports as files that DuckDB, Polars, Spark and spreadsheets read: one member for each format.

Rows come in as reports are read and go out in parts, so that memory does not grow with their number. Everything is written
beside the folder's contents and gets its names at the end: see `folder.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from plimsoll.base.errors import UsageError
from plimsoll.base.spreadsheets import check_formulas
from plimsoll.facts import Report
from plimsoll.ports.folders import Folder
from plimsoll.reports.datasets.json_files import JsonFiles
from plimsoll.reports.datasets.table_files import CsvFiles, ParquetFiles
from plimsoll.reports.reader import Reading


class Dataset(Protocol):
    """One output while it grows in a folder of its own."""

    def add(self, reading: Reading, wanted: frozenset[str]) -> None:
        """Takes in those tables of one report; all of them where none is named."""
        ...

    @staticmethod
    def packed(readings: Iterable[Reading], wanted: frozenset[str]) -> Any:
        """Those tables of a group of reports, made by another process, for `add_packed`."""
        ...

    def add_packed(self, packed: Any, left_out: Sequence[int]) -> None:
        """Takes in what was made of a group, without the reports of these numbers."""
        ...

    def finish(self, reports: Sequence[Report] | None) -> None:
        """Writes what still waits, and the table of all reports unless that is not wanted."""
        ...


FORMATS: dict[str, type[ParquetFiles] | type[CsvFiles] | type[JsonFiles]] = {
    "parquet": ParquetFiles,
    "csv": CsvFiles,
    "json": JsonFiles,
}
"""By the name that `plimsoll read --format` takes."""


def packed(file_format: str, readings: Iterable[Reading], wanted: frozenset[str]) -> Any:
    """What an output of that format takes of a group of reports."""
    return FORMATS[file_format].packed(readings, wanted)


def begin(file_format: str, folder: Folder, escape_formulas: bool = False) -> Dataset:
    """A new output in an empty folder. Raises UsageError `format-unknown`, `format-no-formulas`."""
    if file_format not in FORMATS:
        raise UsageError("format-unknown", f"cannot write '{file_format}'", f"Known: {', '.join(FORMATS)}.")
    if escape_formulas:
        check_formulas(file_format)
        return CsvFiles(folder, escape_formulas=True)
    return FORMATS[file_format](folder)
