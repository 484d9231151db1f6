"""The figures of a table as numbers: a column of nothing but figures has its unit in the heading, as where a page hands it out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from plimsoll.charts._chart import Table

_SCALES = {
    "µs": ("µs", 1), "ms": ("µs", 10**3), "s": ("µs", 10**6), "min": ("µs", 60 * 10**6), "h": ("µs", 3600 * 10**6),
    "B": ("B", 1), "KiB": ("B", 2**10), "MiB": ("B", 2**20), "GiB": ("B", 2**30), "TiB": ("B", 2**40),
}  # fmt: skip
"""In which unit a column of several is written, and how many of it one of each is."""
_FIGURE = re.compile(r"([-+]?[0-9][0-9,]*(?:\.[0-9]+)?)(?:\s([^0-9\s]+))?")
_UNKNOWN = frozenset(("", "–", "unknown"))


def figure_rows(table: Table) -> Iterator[tuple[str, ...]]:
    """The headings, then each row. In a column of figures what is unknown is empty."""
    columns = [
        _column(name, [row[index] for row in table.rows], table.numeric[index])
        for index, name in enumerate(table.columns)
    ]
    return zip(*columns, strict=True)


def _column(name: str, cells: Sequence[str], is_numeric: bool) -> tuple[str, ...]:
    if not is_numeric:
        return (name, *cells)
    known = [_FIGURE.fullmatch(cell) for cell in cells if cell not in _UNKNOWN]
    units = {"" if found is None else found[2] or "" for found in known}
    bases = {_SCALES.get(unit, (unit, 1))[0] for unit in units}
    if not known or None in known or len(bases) > 1:
        return (name, *("" if cell == "unknown" else cell for cell in cells))
    unit = bases.pop() if len(units) > 1 else units.pop()
    return (f"{name} ({unit})" if unit else name, *(_in_unit(cell, unit) for cell in cells))


def _in_unit(cell: str, unit: str) -> str:
    """The number alone, in the unit of its column; at most twelve digits, never with an exponent."""
    found = _FIGURE.fullmatch(cell)
    if found is None:
        return ""
    own = found[2] or ""
    factor = 1 if own == unit else _SCALES[own][1]
    exact = Decimal(found[1].replace(",", "")) * factor
    return f"{Decimal(f'{exact:.12g}').normalize():f}"
