"""Tables as all results show them: no frames, words to the left, numbers to the right, readable without colour."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table

_PIPE_COLUMNS = 200


def console() -> Console:
    """As wide as the terminal; into a pipe or a file nothing is folded."""
    width = None if sys.stdout.isatty() else _PIPE_COLUMNS
    return Console(highlight=False, markup=False, width=width)


def table(*headings: str, text_columns: int = 1) -> Table:
    """An empty table; the first `text_columns` hold words."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for number, heading in enumerate(headings):
        made.add_column(heading, justify="left" if number < text_columns else "right")
    return made


def filled(columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> Table:
    """A table of the report as a terminal shows it; `numeric` tells which columns are numbers."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for heading, is_number in zip(columns, numeric, strict=True):
        made.add_column(heading, justify="right" if is_number else "left")
    for row in rows:
        made.add_row(*row)
    return made


def aligned(rows: Sequence[Sequence[str]], text_columns: int) -> Iterator[str]:
    """The rows as lines with columns as `table` sets them, never folded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if number < text_columns else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
