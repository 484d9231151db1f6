"""Texts in CSV that a spreadsheet would run as a formula when it opens the file.

source: OWASP, CSV injection
"""

from __future__ import annotations

import re

from plimsoll.base.errors import UsageError

_FULL_WIDTH = "\uff1d\uff0b\uff0d\uff20"
"""The same signs as East Asian keyboards write them."""
FORMULA = rf"^([=@\t\r{_FULL_WIDTH}]|[+-](?:[^0-9]|[0-9.,]*[^0-9.,%]))"
"""How a formula begins, as a regular expression (RE2): a sign before a plain number begins none."""
QUOTE = "'"
"""Before a formula it makes a text of it."""


def begins_formula(text: str) -> bool:
    """Whether a spreadsheet would run the text."""
    return re.match(FORMULA, text) is not None


def as_text(cell: object) -> object:
    """The cell of a CSV file, so that no spreadsheet runs it."""
    return QUOTE + cell if isinstance(cell, str) and begins_formula(cell) else cell


def check_formulas(file_format: str) -> None:
    """That the format is one that spreadsheets take for cells to run. Raises UsageError `format-no-formulas`."""
    if file_format != "csv":
        raise UsageError(
            "format-no-formulas",
            f"--escape-formulas does nothing to {file_format}",
            "Leave it out, or write CSV with --format csv.",
        )
