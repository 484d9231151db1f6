"""Every cell and every heading of the real HTML reports, as lxml finds them in its document tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import lxml.html
import pyarrow
import pytest

import report_corpus

_CELLS = ("td", "th")
_CODECS = {"utf-8-bom": "utf-8-sig", "gbk": "gbk", "windows-1252": "cp1252"}
_CUT_WIDTH = 132
_CUT_SHARE = 0.05


@dataclass(frozen=True)
class Printed:
    """A table as its report prints it: the headings of its columns, and the words of each cell of each row."""

    headings: list[str]
    rows: list[list[str]]


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
        rows.setdefault(cell["table_index"], {}).setdefault(cell["row_index"], []).append(
            _words(cell["text"])
        )
    tables = enumerate(summary["tables"])
    # A section that says that it has no data is a table for us and none for lxml, and so is what ADDM says in prose.
    printed = [
        (number, table["columns"])
        for number, table in tables
        if (table["columns"] or table["row_count"]) and not table["title"].startswith("ADDM ")
    ]
    return [
        Printed(columns, [row for _, row in sorted(rows.get(number, {}).items())])
        for number, columns in printed
    ]


def _theirs(path: Path) -> list[Printed]:
    _, summary = report_corpus.read(path)
    encoding: str = summary["encoding"]
    source = _unwrapped(path.read_bytes().decode(_CODECS.get(encoding) or encoding, "replace"))
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    document = lxml.html.document_fromstring(source.encode(), parser=parser)
    return [_table(list(_rows(table))) for table in document.iter("table")]


def _unwrapped(source: str) -> str:
    """Without the line ends of SQL*Plus's page width, where a part of the lines is just as long as that."""
    lines = source.split("\n")
    cut = sum(len(line) == _CUT_WIDTH for line in lines) > _CUT_SHARE * len(lines)
    return "".join(line if len(line) == _CUT_WIDTH else f"{line}\n" for line in lines) if cut else source


def _rows(table: lxml.html.HtmlElement) -> Iterator[list[lxml.html.HtmlElement]]:
    for row in table.iter("tr"):
        if next(row.iterancestors("table")) is table:
            cells = [cell for cell in row if cell.tag in _CELLS]
            if cells:
                yield cells


def _table(rows: Sequence[list[lxml.html.HtmlElement]]) -> Printed:
    heads = next((at for at, row in enumerate(rows) if not _is_head(row)), len(rows))
    body = [[_words(cell.text_content()) for cell in row] for row in rows[heads:]]
    return Printed(_headings(rows), body)


def _is_head(row: Sequence[lxml.html.HtmlElement]) -> bool:
    said = [cell.tag for cell in row if _words(cell.text_content())]
    return set(said) == {"th"} or (not said and any(cell.tag == "th" for cell in row))


def _headings(rows: Sequence[list[lxml.html.HtmlElement]]) -> list[str]:
    """What stands over each column, from top to bottom; columns without a heading have none."""
    names: list[list[str]] = []
    taken: dict[tuple[int, int], str] = {}
    heads = True
    for number, row in enumerate(rows):
        heads = heads and _is_head(row)
        column = 0
        for cell in row:
            while (number, column) in taken:
                column += 1
            across, down = (int((cell.get(name) or "1").strip()) for name in ("colspan", "rowspan"))
            words = _words(cell.text_content()) if heads else ""
            for place in range(column, column + across):
                taken |= {(number + below, place): words for below in range(down)}
                names += [[] for _ in range(len(names), place + 1)]
                names[place] += [words] if words and " ".join(names[place]) != words else []
            column += across
    return [" ".join(parts) for parts in names]


def _words(text: str | None) -> str:
    return " ".join((text or "").split())
