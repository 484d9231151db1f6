"""The rows of headings of a page's table, laid over its columns, of which a cell may cover several, and several rows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from plimsoll.reports.redaction.columns import Content, are_amounts, content_below

_SPAN = re.compile(r"(col|row)span\s*=\s*[\"']?\s*(\d+)", re.IGNORECASE)
_COLUMNS_MAX = 200
_ROWS_MAX = 10


@dataclass
class _Cell:
    columns: int
    rows: int
    is_heading: bool
    text: str = ""


@dataclass
class Heads:
    """What the headings of one table say of its columns."""

    contents: tuple[Content, ...] = ()
    amounts: tuple[bool, ...] = ()
    """In which columns nothing but amounts stands."""
    column: int = -1
    """The column of the cell at hand."""
    _row: list[_Cell] = field(default_factory=list[_Cell])
    _above: list[list[str]] = field(default_factory=list[list[str]])
    """The headings over each column, from the top one down."""
    _covered: list[int] = field(default_factory=list[int])
    """How many more rows a cell from above reaches down, by column."""

    def begin_cell(self, is_heading: bool, tag: str) -> None:
        """A cell comes, with its tag."""
        self.column += self._row[-1].columns if self._row else 1
        spans = (
            {found[1].lower(): int(found[2]) for found in _SPAN.finditer(tag)}
            if "span" in tag.lower()
            else {}
        )
        columns = max(1, min(spans.get("col", 1), _COLUMNS_MAX))
        self._row.append(_Cell(columns, max(1, min(spans.get("row", 1), _ROWS_MAX)), is_heading))

    def say(self, text: str) -> None:
        """The text of the heading at hand, or a part of it."""
        self._row[-1].text += text

    def end_row(self) -> None:
        """Takes a row that has several headings as some of those of the rows below it."""
        if sum(cell.is_heading for cell in self._row) > 1:
            self._lay()
        elif self._row:
            self._above, self._covered = [], []
        self._row, self.column = [], -1

    def _lay(self) -> None:
        at = 0
        covered, self._covered = self._covered, [max(0, rows - 1) for rows in self._covered]
        for cell in self._row:
            while at < len(covered) and covered[at] > 0:
                at += 1
            end = min(at + cell.columns, _COLUMNS_MAX)
            while len(self._above) < end:
                self._above.append([])
                self._covered.append(0)
            for column in range(at, end):
                self._covered[column] = max(self._covered[column], cell.rows - 1)
                if cell.is_heading:
                    self._above[column].append(cell.text)
            at = end
        self.contents = tuple(content_below(headings) for headings in self._above)
        self.amounts = are_amounts([" ".join(headings) for headings in self._above])
