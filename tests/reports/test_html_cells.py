"""Every cell and every heading of the real HTML reports, as lxml finds them in its document tree."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest

import report_corpus
from printed_tables import Printed, document_of, printed, words


@pytest.mark.parametrize("name", report_corpus.named(form="html"))
def test_cells_and_headings_are_those_that_lxml_finds(name: str) -> None:
    path = report_corpus.needs(name)
    ours, theirs = _ours(path), _theirs(path)
    assert len(ours) == len(theirs)
    for number, (own, other) in enumerate(zip(ours, theirs, strict=True)):
        assert own.headings == other.headings, number
        assert len(own.rows) == len(other.rows), number
        for row, (mine, wanted) in enumerate(zip(own.rows, other.rows, strict=True)):
            assert mine == wanted, (number, row)


def _ours(path: Path) -> list[Printed]:
    report, summary = report_corpus.read(path)
    rows: dict[int, dict[int, list[str]]] = {}
    for cell in pyarrow.record_batch(report.cells()).select(["table_index", "row_index", "text"]).to_pylist():
        rows.setdefault(cell["table_index"], {}).setdefault(cell["row_index"], []).append(words(cell["text"]))
    tables = enumerate(summary["tables"])
    # A section that says that it has no data is a table for us and none for lxml, and so is what ADDM says in prose.
    held = [
        (number, table["columns"])
        for number, table in tables
        if (table["columns"] or table["row_count"]) and not table["title"].startswith("ADDM ")
    ]
    return [
        Printed(columns, [row for _, row in sorted(rows.get(number, {}).items())]) for number, columns in held
    ]


def _theirs(path: Path) -> list[Printed]:
    _, summary = report_corpus.read(path)
    document = document_of(path.read_bytes(), summary["encoding"])
    return [printed(table) for table in document.iter("table")]
