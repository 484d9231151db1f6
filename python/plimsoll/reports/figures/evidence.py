"""Finds printed numbers in the typed views of a report, each with its cell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from plimsoll.facts import PrintedCell
from plimsoll.native import reports as native
from plimsoll.reports.figures.quantity import Quantity

SOURCES = {
    "instance_activity": "Instance Activity",
    "iostat_by_function": "IOStat by Function",
    "iostat_by_filetype": "IOStat by Filetype",
    "io_profile": "IO Profile",
    "load_profile": "Load Profile",
    "tablespace_io": "Tablespace IO",
    "foreground_waits": "wait events",
    "background_waits": "background wait events",
    "rac_system_statistics": "System Statistics of instances",
    "miner_main_metrics": "AWR-Miner's main metrics",
}
"""What people call the views that demand is made from."""

_LABEL_CUT_MIN = 28
"""Statspack cuts names of statistics to 30 characters and more; a shorter label is no cut one."""
_NUMBER = re.compile(
    r"[-+]?\d*(?:[.,](?P<fraction>\d*))?(?:E(?P<exponent>[-+]?\d+))?\s*(?P<suffix>[KMGTP]?)", re.I
)
_OF_SUFFIX = {"K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40, "P": 2.0**50}

Row = Mapping[str, Any]


class Evidence:
    """The typed views of one report, by label."""

    def __init__(self, content: native.Report, decimal: str | None = None) -> None:
        self._content = content
        self._comma = decimal == "comma"
        self._names = frozenset(content.section_names())
        self.negative: dict[str, Quantity] = {}
        """Counts that went backwards, by place; none of them is used."""
        self.rows = cache(self._rows)
        self._by_label = cache(self._labelled)

    def _rows(self, view: str) -> tuple[Row, ...]:
        """The rows of a view; none where the report does not have it."""
        if view not in self._names:
            return ()
        rows = self._content.section(view).rows()
        return tuple(row | {"row": number} for number, row in enumerate(rows))

    def labelled(self, view: str, key: str, label: str) -> Iterator[Row]:
        """Rows of that label; a label that the report cuts is known by its beginning."""
        known = self._by_label(view, key)
        wanted = plain(label)
        for cut in range(len(wanted), min(_LABEL_CUT_MIN, len(wanted)) - 1, -1):
            yield from known.get(wanted[:cut], ())

    def _labelled(self, view: str, key: str) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for row in self.rows(view):
            if row.get(key) is not None:
                found.setdefault(plain(row[key]), []).append(row)
        return found

    def number(self, view: str, row: Row, column: str, exact: bool = False) -> Quantity | None:
        """A number of a row. `exact` counts, printed in full, are not rounded. None where nothing is printed."""
        value = row.get(column)
        if value is None:
            return None
        told = self._content.origin(view, row["row"], column)
        if told is None:
            return Quantity(value, 0.0, source_of(view), ())
        cell = json.loads(told)
        if value < 0:
            self.negative[f"{view} {row['row']}"] = Quantity(value, 0.0, source_of(view), (printed(cell),))
            return None
        slack = rounding(cell["text"], cell["number"], value, self._comma)
        whole = exact and re.fullmatch(r"[\d.,]+", cell["text"]) is not None
        return Quantity(value, 0.0 if whole else slack, source_of(view), (printed(cell),))

    def cell(self, view: str, row: Row, column: str) -> PrintedCell | None:
        """Where a value of a row is printed; None where no cell says it."""
        told = self._content.origin(view, row["row"], column)
        return None if told is None else printed(json.loads(told))

    def find(self, view: str, key: str, label: str, column: str, exact: bool = False) -> Quantity | None:
        """The first row of that label which prints a number in that column."""
        found = (self.number(view, row, column, exact) for row in self.labelled(view, key, label))
        return next((number for number in found if number is not None), None)


def source_of(view: str) -> str:
    """What people call a view."""
    return SOURCES.get(view, view.replace("_", " "))


def plain(words: str) -> str:
    """Words as labels are compared."""
    return " ".join(words.lower().split()).removesuffix(":").strip()


def printed(cell: Mapping[str, Any]) -> PrintedCell:
    """A cell as the extension tells of it."""
    return PrintedCell(
        section=cell["title"],
        row=cell["label"].strip(),
        column=cell["column"],
        line=cell["line"],
        value=cell["text"],
    )


def rounding(text: str, number: float | None, value: float, comma: bool = False) -> float:
    """Half of the last digit that is printed, in the unit of `value`; `number` is what the text says without its unit."""
    found = _NUMBER.match(text.replace(".", "") if comma else text.replace(",", ""))
    if found is None:
        return 0.0
    digits = len(found["fraction"] or "")
    half = 0.5 * 10.0 ** (int(found["exponent"] or 0) - digits)
    if number:
        return half * abs(value / number)
    return half * _OF_SUFFIX.get(found["suffix"].upper(), 1.0)
