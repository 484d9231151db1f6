"""Looks a cell of evidence up in its report again, without the reader: HTML by lxml, text by a scan of its lines.

`missing` tells what of (section, row, column, value) is not where the cell says; None where all of it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import lxml.html

from plimsoll.facts import EvidenceCell
from printed_tables import CODECS, Printed, document_of, printed, words

_RULER = re.compile(r"[-~ ]*(--|~~)[-~ ]*")
_GROUP = re.compile(r"-{2,} ?[^-]+ ?-{2,}")
_RUN = re.compile(r"[-~]+")
_HEADING_LINES_MAX = 6
_SECTION_LINES_MAX = 4000
_ROW_LINES = range(-3, 4)
"""A label that is too long for its column stands in the line above, or goes on in the next."""
_OVERHANG = 4
"""A heading may be wider than its column."""
_HEADS = ("h1", "h2", "h3", "h4", "h5")


@dataclass(frozen=True)
class HtmlFile:
    """A page, with what stands over each table."""

    data: bytes
    encoding: str

    @cached_property
    def _tables(self) -> list[tuple[str, Printed]]:
        return list(_over_each(document_of(self.data, self.encoding)))

    def missing(self, cell: EvidenceCell) -> str | None:
        """By the table's title, then its row, then its column."""
        titled = [table for over, table in self._tables if _plain(cell.section) in over]
        if not titled:
            return "section"
        rows = [(table, row) for table in titled for row in table.rows if _is_label(cell.row, row)]
        if not rows:
            return "row"
        values = [
            value
            for table, row in rows
            for heading, value in zip(table.headings, row, strict=False)
            if heading == words(cell.heading)
        ]
        if not values:
            return "column"
        return None if words(cell.value) in values else f"value, of {values[:4]}"


def _over_each(document: lxml.html.HtmlElement) -> Iterator[tuple[str, Printed]]:
    """Each table with the words since the heading before it, and with what it says of itself."""
    said: list[str] = []
    inside: set[lxml.html.HtmlElement] = set()
    for element in document.iter():
        if not isinstance(element.tag, str):
            continue
        if element.tag == "table":
            over = f"{' '.join(said)} {element.get('summary') or ''}"
            yield _plain(over), printed(element)
            inside |= set(element.iter())
        elif element.tag in _HEADS and element not in inside:
            said = []
        said += [] if element in inside else [element.text or "", element.tail or ""]
        if element.tag == "table":
            said += [element.tail or ""]


def _is_label(label: str, row: list[str]) -> bool:
    first = row[0] if row else ""
    both = " ".join(row[:2]).strip()
    return words(label) in (first, both)


def _plain(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


@dataclass(frozen=True)
class TextFile:
    """Lines; a column is what lies under a run of dashes, and before them as far as the run before."""

    data: bytes
    encoding: str

    @cached_property
    def _lines(self) -> list[str]:
        source = self.data.decode(CODECS.get(self.encoding) or self.encoding, "replace")
        return [line.strip("\f\r").rstrip() for line in source.split("\n")]

    def missing(self, cell: EvidenceCell) -> str | None:
        """By the line that the cell names."""
        if cell.line is None:
            return "line"
        at = cell.line - 1
        spans = list(_spans(cell.value, self._lines[at]))
        if not spans:
            return f"value, in {self._lines[at]!r}"
        if not self._has_label(cell.row, at):
            return f"row, in {self._lines[at]!r}"
        above = self._lines[max(0, at - _SECTION_LINES_MAX) : at]
        if not any(_plain(cell.section) in _plain(line) for line in above):
            return "section"
        if not any(self._is_under(words(cell.heading), at, span) for span in spans):
            return f"column, over {self._lines[at]!r}"
        return None

    def _has_label(self, label: str, at: int) -> bool:
        near = " ".join(self._lines[at + step] for step in _ROW_LINES if 0 <= at + step < len(self._lines))
        return all(part in near for part in words(label).split(" "))

    def _is_under(self, heading: str, at: int, span: tuple[int, int]) -> bool:
        """Whether the words of the heading stand over the place; under no ruler there may be none."""
        if not heading:
            return True
        for ruler_at in self._rulers_above(at):
            left, right = _column(self._lines[ruler_at], span)
            over = " ".join(
                _above(self._lines[line], max(0, left - _OVERHANG), right + _OVERHANG)
                for line in range(max(0, ruler_at - _HEADING_LINES_MAX), ruler_at + 2)
            )
            if all(part in over for part in heading.split(" ")):
                return True
        return False

    def _rulers_above(self, at: int) -> Iterator[int]:
        for line in range(at - 1, max(-1, at - _SECTION_LINES_MAX), -1):
            if _RULER.fullmatch(self._lines[line]):
                yield line


def _spans(value: str, line: str) -> Iterator[tuple[int, int]]:
    """Where the value stands by itself, not as a piece of a longer one."""
    for found in re.finditer(rf"(?<![\w.,]){re.escape(value)}(?![\w.,]*\d)", line):
        yield found.span()


def _above(line: str, left: int, right: int) -> str:
    """What stands between two places of a line of headings, and the headings of groups of columns that reach there."""
    groups = (found for found in _GROUP.finditer(line) if found.start() < right and found.end() > left)
    return " ".join((line[left:right], *(found.group() for found in groups)))


def _column(ruler: str, span: tuple[int, int]) -> tuple[int, int]:
    """From the end of the run before to the end of that which the place ends in; behind the last run, that."""
    ends = [found.end() for found in _RUN.finditer(ruler)]
    number = next((number for number, end in enumerate(ends) if span[0] < end), len(ends) - 1)
    return (0 if number == 0 else ends[number - 1]), max(ends[number], span[1])


def looked_at(data: bytes, encoding: str, form: str) -> HtmlFile | TextFile:
    """The report as these looks see it."""
    return HtmlFile(data, encoding) if form == "html" else TextFile(data, encoding)
