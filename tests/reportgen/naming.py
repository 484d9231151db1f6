"""The names of the reader's typed sections and columns, where they are not those of the generator: one table, one edit to rename.

A column named None is read by no typed section in that shape.
"""

from __future__ import annotations

from collections.abc import Mapping

# Section of the generator → section of the reader.
SECTIONS: Mapping[str, str] = {}

# (Section of the generator, its column) → column of the reader.
COLUMNS: Mapping[tuple[str, str], str | None] = {
    ("load_profile", "name"): "statistic",
    ("background_waits", "bg_time_percent"): "background_time_percent",
}


def section(view: str) -> str:
    """The reader's name of a section."""
    return SECTIONS.get(view, view)


def column(view: str, name: str) -> str | None:
    """The reader's name of a column."""
    return COLUMNS.get((view, name), name)
