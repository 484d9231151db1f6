"""Formats whose texts a spreadsheet may take for formulas."""

from __future__ import annotations

from plimsoll.base.errors import UsageError


def check_formulas(file_format: str) -> None:
    """That the format is one that spreadsheets take for cells to run. Raises UsageError `format-no-formulas`."""
    if file_format != "csv":
        raise UsageError(
            "format-no-formulas",
            f"--escape-formulas does nothing to {file_format}",
            "Leave it out, or write CSV with --format csv.",
        )
