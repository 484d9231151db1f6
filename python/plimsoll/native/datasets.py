"""Tables of many reports as Parquet and CSV files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plimsoll import _core
from plimsoll.native.reports import Report

Names = tuple[str | None, str | None, str | None, int | None, int | None, int | None, int | None]
"""What names a report in its rows: report, database, instance, begin and end in ms of the host's own clock, both snapshots."""
Made = tuple[list[tuple[str, str]], str]
"""Rows of facts: the name of each column with `text`, `whole`, `real`, `truth` or `time` (in ms); a JSON array of arrays."""
Part = tuple[str, bytes]
"""A path within the folder of all files, and what goes behind that which is there."""

Dataset = _core.Dataset
Gathered = _core.Gathered
begins_formula: Callable[[str], bool] = _core.begins_formula

_QUOTE = "'"


def files_of(names: Names, report: Report, wanted: list[str]) -> list[tuple[str, int, bytes]]:
    """Tables of one report as Parquet: name, number of rows, file."""
    return _core.report_parquet(names, report, wanted)


def as_text(cell: Any) -> Any:
    """The cell of a CSV file, so that no spreadsheet runs it: a quote before it makes a text of a formula."""
    return _QUOTE + cell if isinstance(cell, str) and begins_formula(cell) else cell
