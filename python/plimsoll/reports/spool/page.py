"""Tables of an interval as a page, each row of it on the line of the spool that it is from.

The reader of reports knows pages, and tells of each number the line where it stands. So what it tells is the place in the spool.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from plimsoll.reports.spool.tables import PrintedTable


def page_of(head: Sequence[tuple[str, str]], tables: Sequence[PrintedTable], first_line: int) -> bytes:
    """The page from that line on. `head` says whose it is, and of which release: that of a table's columns."""
    names, cells = (tuple(words) for words in zip(*head, strict=True))
    lines = [f"<html><body>{_opening(PrintedTable('Database', names, ()))}{_row(cells)}</table>"]
    for table in tables:
        _reach(lines, table.rows[0][0] - first_line)
        lines[-1] += _opening(table)
        for line, cells in table.rows:
            _reach(lines, line - first_line + 1)
            lines[-1] += _row(cells)
        lines[-1] += "</table>"
    lines[-1] += "</body></html>"
    return "\n".join(lines).encode()


def _reach(lines: list[str], number: int) -> None:
    """Makes the last line the one of that number; one that is behind already stays the last."""
    lines += [""] * (number - len(lines))


def _opening(table: PrintedTable) -> str:
    heads = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    return f'<h3>{escape(table.title)}</h3><table border="1"><tr>{heads}</tr>'


def _row(cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
