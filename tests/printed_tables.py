"""The tables of an HTML report as lxml finds them in its document tree: a look that shares no code with the reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import lxml.html

CODECS = {"utf-8-bom": "utf-8-sig", "gbk": "gbk", "windows-1252": "cp1252"}
"""Python's names of encodings that the reader names otherwise."""
_CELLS = ("td", "th")
_CUT_WIDTH = 132
_CUT_SHARE = 0.05


@dataclass(frozen=True)
class Printed:
    """A table as its report prints it: the headings of its columns, and the words of each cell of each row."""

    headings: list[str]
    rows: list[list[str]]


def document_of(data: bytes, encoding: str) -> lxml.html.HtmlElement:
    """The page, with the line ends taken out that SQL*Plus puts in."""
    source = _unwrapped(data.decode(CODECS.get(encoding) or encoding, "replace"))
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    return lxml.html.document_fromstring(source.encode(), parser=parser)


def printed(table: lxml.html.HtmlElement) -> Printed:
    """A `table` of the page, without those that stand in its cells."""
    return _table(list(_rows(table)))


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
    body = [[words(cell.text_content()) for cell in row] for row in rows[heads:]]
    return Printed(_headings(rows), body)


def _is_head(row: Sequence[lxml.html.HtmlElement]) -> bool:
    said = [cell.tag for cell in row if words(cell.text_content())]
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
            said = words(cell.text_content()) if heads else ""
            for place in range(column, column + across):
                taken |= {(number + below, place): said for below in range(down)}
                names += [[] for _ in range(len(names), place + 1)]
                names[place] += [said] if said and " ".join(names[place]) != said else []
            column += across
    return [" ".join(parts) for parts in names]


def words(text: str | None) -> str:
    """The text with one space between words."""
    return " ".join((text or "").split())
