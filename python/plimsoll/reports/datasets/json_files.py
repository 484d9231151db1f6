"""JSON, one file for each report: what `--json` says of it, the rows of its typed views, and its other tables as printed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from plimsoll.base.filenames import file_name
from plimsoll.facts import Report
from plimsoll.ports.folders import Folder
from plimsoll.reports import tables
from plimsoll.reports.datasets.form import Form
from plimsoll.reports.reader import Reading

FORM = Form(re.compile(r"[\w-][\w.-]*/(?:[\w-][\w.-]*[_-])?[0-9a-f]{16}\.json"), (b'{"file": "',))
_FOLDER_WITHOUT_NAME = "unknown"


class JsonFiles:
    """Writes each report as it comes."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def add(self, reading: Reading, wanted: frozenset[str]) -> None:
        self._write(_document(reading, wanted))

    @staticmethod
    def packed(readings: Iterable[Reading], wanted: frozenset[str]) -> list[_Document | None]:
        return [_document(reading, wanted) for reading in readings]

    def add_packed(self, packed: Sequence[_Document | None], left_out: Sequence[int]) -> None:
        for number, document in enumerate(packed):
            if number not in left_out:
                self._write(document)

    def _write(self, document: _Document | None) -> None:
        if document is not None:
            with self._folder.ensured_child(document[0]) as folder:
                folder.append(document[1], document[2])

    def finish(self, reports: Sequence[Report] | None) -> None:
        """Each file is whole already; what could not be read has none."""


_Document = tuple[str, str, bytes]
"""The folder, the file in it, and what stands there."""


def _document(reading: Reading, wanted: frozenset[str]) -> _Document | None:
    """None of what could not be read."""
    if reading.report.status == "unreadable":
        return None
    report = reading.whole()
    document = {
        **report.model_dump(mode="json"),
        "views": dict(tables.view_rows(reading, wanted)),
        "tables": list(_printed(report, tables.cell_rows(reading, wanted))),
    }
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    return file_name(report.db_name or _FOLDER_WITHOUT_NAME), _name(report), text.encode() + b"\n"


def _name(report: Report) -> str:
    """`orcl1_173-174_5feceb66ffc86f38.json` in the database's folder: what sorts, then what is unique."""
    snaps = None if report.begin_snap is None else f"{report.begin_snap}-{report.end_snap}"
    return f"{file_name('_'.join(word for word in (report.instance, snaps, report.id) if word))}.json"


def _printed(report: Report, cells: Sequence[tables.Row]) -> Iterator[dict[str, Any]]:
    """Tables that have no typed view: their rows as texts."""
    found: dict[int, dict[int, list[str | None]]] = {}
    for cell in cells:
        table, column = cell["table_index"], cell["column_index"]
        if not report.sections[table].typed:
            line = found.setdefault(table, {}).setdefault(cell["row_index"], [])
            line += [None] * (column + 1 - len(line))
            line[column] = cell["text"]
    for number, rows in found.items():
        section = report.sections[number]
        yield {
            "table": number,
            "title": section.title,
            "columns": section.columns,
            "rows": list(rows.values()),
        }
