"""JSON, one file for each report: what `--json` says of it, the rows of its typed views, and its other tables as printed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plimsoll.demand.reports import frames
from plimsoll.demand.reports.reader import Reading
from plimsoll.facts import Report
from plimsoll.ports import files

if TYPE_CHECKING:
    import polars

_FOLDER_WITHOUT_NAME = "unknown"
_UNSAFE = re.compile(r"[^\w.-]+")


class JsonFiles:
    """Writes each report as it comes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, reading: Reading, tables: Iterable[tuple[str, polars.DataFrame]]) -> None:
        if reading.report.status == "unreadable":
            return
        report = reading.whole()
        found = dict(tables)
        cells = found.pop(frames.CELLS, None)
        for known in (frames.TABLES, frames.PROBLEMS):
            found.pop(known, None)
        document = {
            **report.model_dump(mode="json"),
            "views": {name: _rows(frame) for name, frame in found.items()},
            "tables": [] if cells is None else list(_printed(report, cells)),
        }
        path = self._folder / _name(report)
        files.ensure_folder(path.parent)
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)
        files.write_text_atomically(path, text + "\n")

    def finish(self, reports: polars.DataFrame | None) -> None:
        """Each file is whole already; what could not be read has none."""


def _name(report: Report) -> str:
    """`ORCL/orcl1_173-174_5feceb66ffc86f38.json`: the database, then what sorts."""
    snaps = None if report.begin_snap is None else f"{report.begin_snap}-{report.end_snap}"
    words = [_safe(word) for word in (report.instance, snaps, report.id) if word]
    return f"{_safe(report.db_name or _FOLDER_WITHOUT_NAME)}/{'_'.join(words)}.json"


def _safe(word: str) -> str:
    return _UNSAFE.sub("-", word).lstrip(".") or "-"


def _rows(frame: polars.DataFrame) -> list[dict[str, Any]]:
    """Without what names the report, which stands above."""
    kept = frame.drop(frame.columns[: frame.columns.index("table")])
    return json.loads(kept.write_json())


def _printed(report: Report, cells: polars.DataFrame) -> Iterable[dict[str, Any]]:
    """Tables that have no typed view: their rows as texts."""
    by_table: dict[int, list[list[str | None]]] = {}
    rows: dict[tuple[int, int], list[str | None]] = {}
    for table, row, column, text in cells.select("table", "row", "column", "text").iter_rows():
        if not report.sections[table].typed:
            if (table, row) not in rows:
                rows[table, row] = []
                by_table.setdefault(table, []).append(rows[table, row])
            line = rows[table, row]
            line += [None] * (column + 1 - len(line))
            line[column] = text
    for number, found in by_table.items():
        section = report.sections[number]
        yield {"table": number, "title": section.title, "columns": section.columns, "rows": found}
