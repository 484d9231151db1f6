"""A file for each table, with the rows of all reports: Parquet as `latches/part-00000.parquet`, or CSV as `latches.csv`.

Each row names its report, database and interval, so that one file alone says what it is about. In CSV texts stand in quotes,
nothing between two commas is null, and times are local times without a zone. A text that a spreadsheet would run as a formula
is kept as it is, unless it is asked otherwise: then a ' stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from plimsoll.facts import Report
from plimsoll.native import datasets as native
from plimsoll.native.reports import Report as Content
from plimsoll.ports.folders import Folder
from plimsoll.reports import tables
from plimsoll.reports.datasets.form import Form
from plimsoll.reports.limits import (
    READ_FILE_BYTES_MIN,
    READ_PART_BYTES_MIN,
    READ_WAITING_BYTES_MAX,
)
from plimsoll.reports.reader import Reading

PARQUET_FORM = Form(re.compile(r"[a-z][a-z0-9_]*/part-[0-9]{5,}\.parquet"), (b"PAR1",))
CSV_FORM = Form(re.compile(r"[a-z][a-z0-9_]*\.csv"), (b'"report",', b'"file","member",'))
_LIMITS = (READ_PART_BYTES_MIN, READ_WAITING_BYTES_MAX, READ_FILE_BYTES_MIN)


def _rows(
    reading: Reading, wanted: frozenset[str]
) -> tuple[native.Names, Content | None, list[str], tuple[str, native.Made] | None]:
    """What the extension makes rows of."""
    content = reading.content if tables.has_tables(reading) else None
    made = tables.problem_rows(reading) if tables.wants_problems(reading, wanted) else None
    return tables.names_of(reading.report), content, sorted(wanted), made


class _TableFiles:
    def __init__(self, folder: Folder, form: str, escape_formulas: bool = False) -> None:
        self._folder = folder
        self._growing = native.Dataset(form, _LIMITS, escape_formulas)

    def add(self, reading: Reading, wanted: frozenset[str]) -> None:
        """Tables of one report, and what is written of them."""
        self._write(self._growing.add(*_rows(reading, wanted)))

    @staticmethod
    def packed(readings: Iterable[Reading], wanted: frozenset[str]) -> bytes:
        """Rows of a group, table by table."""
        gathered = native.Gathered()
        for reading in readings:
            gathered.add(*_rows(reading, wanted))
        return gathered.take()

    def add_packed(self, packed: bytes, left_out: Sequence[int]) -> None:
        """Those of a group, and what is written of them."""
        self._write(self._growing.add_gathered(packed, list(left_out)))

    def finish(self, reports: Sequence[Report] | None) -> None:
        """Whatever waits."""
        self._write(self._growing.finish(None if reports is None else tables.report_rows(reports)))

    def _write(self, parts: Iterable[native.Part]) -> None:
        for path, content in parts:
            table, _, name = path.rpartition("/")
            if not table:
                self._folder.append(name, content)
                continue
            with self._folder.ensured_child(table) as folder:
                folder.append(name, content)


class ParquetFiles(_TableFiles):
    """Writes files as they fill."""

    def __init__(self, folder: Folder) -> None:
        super().__init__(folder, "parquet")


class CsvFiles(_TableFiles):
    """Adds to each file as rows gather."""

    def __init__(self, folder: Folder, escape_formulas: bool = False) -> None:
        super().__init__(folder, "csv", escape_formulas)
