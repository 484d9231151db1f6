"""Tables as all results show them: no frames, words to the left, numbers to the right, readable without colour.

Nothing in a table is ever cut. Into a pipe or a file each row is one line. On a terminal that is too narrow, sentences fold, paths
lose folders in their middle, then columns drop out and are named below; where not even two columns fit, rows stand as lists of
names and values.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from plimsoll.base.printable import printable
from plimsoll.base.values import mutable
from plimsoll.cli.output import print_line
from plimsoll.cli.width import fold, seen_width, terminal_width, words_of

if TYPE_CHECKING:
    from plimsoll.charts import Table

_GAP = "  "
_PATH_MIN = 24
"""Shorter paths stay as they are."""
_FOLDED_MINS = (24, 12)
"""A column of sentences is not folded to less, as long as other columns can drop out; where but one were left, to the second."""
_FOLDER = re.compile(r"(?<![^\s(])/?[^\s/]+(?:/[^\s/]+){2,}")


@mutable
class Shown:
    """A table as text. Columns in `spare` drop out first, in that order; then those on the right. The first one never does."""

    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    spare: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add_row(self, *cells: str) -> None:
        """One more row, of names that others may have chosen."""
        self.rows.append(tuple(map(printable, cells)))


def table(*headings: str, text_columns: int = 1, spare: Sequence[str] = ()) -> Shown:
    """An empty table; the first `text_columns` hold words."""
    numeric = tuple(number >= text_columns for number in range(len(headings)))
    return Shown(tuple(map(printable, headings)), numeric, tuple(spare))


def filled(
    columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool], spare: Sequence[str] = ()
) -> Shown:
    """A table with its rows; `numeric` tells which columns are numbers."""
    made = Shown(tuple(map(printable, columns)), tuple(numeric), tuple(spare))
    for row in rows:
        made.add_row(*row)
    return made


def show_figures(figures: Table) -> None:
    """Prints a table as results and pages have it."""
    show_table(filled(figures.columns, figures.rows, figures.numeric, figures.spare))


def show_table(made: Shown) -> None:
    """Prints a table as wide as the terminal; into a pipe or a file nothing is folded and nothing drops out."""
    for line in lines(made, terminal_width(sys.stdout)):
        print_line(line)


def lines(made: Shown, width: int | None) -> Iterator[str]:
    """The lines of a table, none wider than `width` unless a word alone is; without a width each row is one."""
    if width is None:
        yield from _laid(made, range(len(made.columns)), _naturals(made))
        return
    fitted = _shortened(made)
    choices = (
        (leasts, _kept(leasts, _order(made), width))
        for leasts in (_leasts(fitted, at) for at in _FOLDED_MINS)
    )
    leasts, kept = next((one for one in choices if len(one[1]) >= min(2, len(made.columns))), (None, None))
    if leasts is None or kept is None:
        yield from _stacked(fitted, width)
        return
    yield from _laid(fitted, kept, _widths(leasts, _naturals(fitted), kept, width))
    if gone := [made.columns[at] for at in range(len(made.columns)) if at not in kept and made.columns[at]]:
        yield from fold(f"not shown in {width} columns: {', '.join(gone)}", width)


def _shortened(made: Shown) -> Shown:
    """With paths that lack folders in their middle."""
    rows = [
        tuple(
            cell if is_number else _FOLDER.sub(_without_middle, cell)
            for cell, is_number in zip(row, made.numeric, strict=True)
        )
        for row in made.rows
    ]
    return Shown(made.columns, made.numeric, made.spare, rows)


def _without_middle(found: re.Match[str]) -> str:
    """A path with its first folder, its file and what has room of the folders before it; what is no path (`I/Os`) as it is."""
    path = found[0]
    first, last = path.index("/", 1), path.rindex("/")
    if len(path) <= _PATH_MIN:
        return path
    starts = [at for at in range(first + 1, last + 1) if path[at] == "/"]
    shortened = [f"{path[:first]}/…{path[at:]}" for at in starts]
    return next((one for one in shortened if len(one) <= _PATH_MIN), shortened[-1] if starts else path)


def _naturals(made: Shown) -> list[int]:
    """How wide each column is where nothing folds."""
    return [max(map(seen_width, column)) for column in zip(made.columns, *made.rows, strict=True)]


def _leasts(made: Shown, folded_min: int) -> list[int]:
    """How narrow each column may be: numbers stay whole, headings and sentences fold between words."""
    return [
        max(
            _word(heading),
            *(seen_width(cell) if is_number else _folded(cell, folded_min) for cell in cells),
            0,
        )
        for heading, is_number, *cells in zip(made.columns, made.numeric, *made.rows, strict=True)
    ]


def _word(text: str) -> int:
    return max(map(seen_width, words_of(text)))


def _folded(cell: str, least: int) -> int:
    return max(_word(cell), min(seen_width(cell), least))


def _kept(leasts: Sequence[int], order: list[int], width: int) -> list[int]:
    """The columns that there is room for, by their places; `order` tells which drop out first."""
    kept = list(range(len(leasts)))
    while len(kept) > 1 and sum(leasts[at] for at in kept) + len(_GAP) * (len(kept) - 1) > width:
        kept.remove(order.pop(0))
    return kept if leasts[0] <= width else []


def _order(made: Shown) -> list[int]:
    """Which column drops out first."""
    places = range(len(made.columns) - 1, 0, -1)
    spare = [at for name in made.spare for at in places if made.columns[at] == name]
    return spare + [at for at in places if at not in spare]


def _widths(leasts: Sequence[int], naturals: Sequence[int], kept: Sequence[int], width: int) -> list[int]:
    """What is left of the terminal goes to the columns that lack least."""
    widths = list(leasts)
    left = width - sum(widths[at] for at in kept) - len(_GAP) * (len(kept) - 1)
    for at in sorted(kept, key=lambda at: naturals[at] - widths[at]):
        more = min(left, naturals[at] - widths[at])
        widths[at] += more
        left -= more
    return widths


def _laid(made: Shown, kept: Sequence[int], widths: Sequence[int]) -> Iterator[str]:
    for row in (made.columns, *made.rows):
        cells = [list(fold(row[at], widths[at])) for at in kept]
        for part in range(max(map(len, cells))):
            texts = (cell[part] if part < len(cell) else "" for cell in cells)
            placed = (
                _placed(text, widths[at], made.numeric[at]) for text, at in zip(texts, kept, strict=True)
            )
            yield _GAP.join(placed).rstrip()


def _placed(text: str, width: int, is_number: bool) -> str:
    blanks = " " * (width - seen_width(text))
    return blanks + text if is_number else text + blanks


def _stacked(made: Shown, width: int) -> Iterator[str]:
    """Each row as names and values, for a terminal in which not even two columns fit."""
    for number, row in enumerate(made.rows):
        if number:
            yield ""
        for heading, cell in zip(made.columns, row, strict=True):
            yield from fold(f"{heading}: {cell}" if heading else cell, width)
