"""Tables that are too wide: for a phone, where each row is a block of its own, a line for each cell with its column's name; and for
the page itself, where words of their cells may break.

The names stand in the style sheet's own variables, once a table, so that a long table carries them once and not in each cell.
"""

from __future__ import annotations

import re

from plimsoll.charts import Table

LETTERS_MAX = 46
"""So many letters and gaps fit side by side on a screen 390 px wide."""
_GAP = 2
PAGE_LETTERS_MAX = 88
"""So many fit side by side on the page, however wide the screen is."""
COLUMNS_MAX = 14
"""The style sheet has rules for so many columns; a wider table scrolls sideways."""


def stacked(table: Table) -> str:
    """The names of its columns as variables of CSS, `--c1:"rate";--c2:"p99"`; nothing for a table that fits."""
    fits = sum(_letters(table, index) + _GAP for index in range(len(table.columns))) <= LETTERS_MAX
    if fits or len(table.columns) > COLUMNS_MAX:
        return ""
    return ";".join(f'--c{index}:"{_escaped(name)}"' for index, name in enumerate(table.columns, start=1))


def is_tight(table: Table) -> bool:
    """Whether it would scroll sideways if each cell were one line."""
    last = len(table.columns) - 1
    return sum(_unbroken(table, index, index == last) + _GAP for index in range(last + 1)) > PAGE_LETTERS_MAX


def _unbroken(table: Table, index: int, is_last: bool) -> int:
    """The widest of a column, its cells on one line each; words of the last one break between each other."""
    cells = [row[index] for row in table.rows]
    heading = table.columns[index].split()
    words = [word for cell in cells for word in cell.split()]
    is_broken = is_last and not table.numeric[index]
    return max(map(len, (*heading, *(words if is_broken else cells))), default=0)


def _letters(table: Table, index: int) -> int:
    """The widest of a column: headings and texts may break between words, figures may not."""
    cells = [row[index] for row in table.rows]
    broken = [table.columns[index], *(() if table.numeric[index] else cells)]
    whole = cells if table.numeric[index] else ()
    return max(map(len, (*(word for text in broken for word in text.split()), *whole)), default=0)


def _escaped(text: str) -> str:
    """As the inside of a string of CSS: whatever is no plain letter by its number, since names are others' to choose."""
    return re.sub(r"[^A-Za-z0-9 .,%/()]", lambda match: f"\\{ord(match[0]):x} ", text)
