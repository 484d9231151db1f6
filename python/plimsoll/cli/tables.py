"""Tables as all results show them: no frames, words to the left, numbers to the right, readable without colour."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from plimsoll.base.printable import printable
from plimsoll.cli.output import say

_PIPE_COLUMNS = 200
_FOLDED_ROWS_MAX = 500


def show_table(made: Table) -> None:
    """Prints a table as wide as the terminal; into a pipe or a file nothing is folded."""
    width = None if sys.stdout.isatty() else _PIPE_COLUMNS
    Console(highlight=False, markup=False, width=width).print(made)


def show_texts(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table of words, folded to a terminal's width where it is short: ten thousand rows would take seconds to fold."""
    if sys.stdout.isatty() and len(rows) <= _FOLDED_ROWS_MAX:
        show_table(filled(headings, rows, [False] * len(headings)))
    else:
        for line in aligned((headings, *rows), len(headings)):
            say(line)


class _PrintableTable(Table):
    """Its cells hold names that others chose."""

    def add_row(self, *cells: Any, **options: Any) -> None:
        super().add_row(*(printable(cell) if isinstance(cell, str) else cell for cell in cells), **options)


def table(*headings: str, text_columns: int = 1) -> Table:
    """An empty table; the first `text_columns` hold words."""
    return _headed(headings, [number >= text_columns for number in range(len(headings))])


def filled(columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> Table:
    """A table of the report as a terminal shows it; `numeric` tells which columns are numbers."""
    made = _headed(columns, numeric)
    for row in rows:
        made.add_row(*row)
    return made


def _headed(headings: Sequence[str], numeric: Sequence[bool]) -> Table:
    made = _PrintableTable(box=None, pad_edge=False, header_style="bold")
    for heading, is_number in zip(headings, numeric, strict=True):
        made.add_column(printable(heading), justify="right" if is_number else "left")
    return made


def aligned(rows: Sequence[Sequence[str]], text_columns: int) -> Iterator[str]:
    """The rows as lines with columns as `table` sets them, never folded."""
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if number < text_columns else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
