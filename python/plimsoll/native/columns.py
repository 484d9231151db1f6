"""Columns out of lines of text with tabs between their values, as kept rows are."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from plimsoll import _core


def number_columns(lines: str, places: Sequence[int]) -> list[array[float]]:
    """The numbers of the columns at these places; NaN for \\N, which is unknown.

    Raises ValueError where a line has too few values, or one that is no number.
    """
    return [array("d", column) for column in _core.number_columns(lines, places)]


def word_columns(lines: str, places: Sequence[int]) -> list[list[str]]:
    """The values of the columns at these places, as they are written. Raises ValueError where a line has too few."""
    return _core.word_columns(lines, places)
