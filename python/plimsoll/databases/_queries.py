"""Finds the SQL of a view for a server's version.

Files are named `<view>.<first>[-<last>].sql` by major version; one without a last version serves all later ones, so that a
server newer than this program is still read.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_NAME = re.compile(r"(?P<view>\w+)\.(?P<first>\d+)(?P<range>-(?P<last>\d+))?\.sql\Z")


def versions_covered(file_name: str) -> tuple[str, int, int | None]:
    """View, first and last major version of a query file; None is all later ones."""
    match = _NAME.match(file_name)
    assert match is not None, f"{file_name} must be named view.first[-last].sql"
    return match["view"], int(match["first"]), int(match["last"]) if match["last"] else None


@cache
def for_version(database: str, major: int) -> dict[str, str]:
    """SQL text by view for that major version."""
    found: dict[str, str] = {}
    for entry in resources.files("plimsoll.databases").joinpath("sql", database).iterdir():
        view, first, last = versions_covered(entry.name)
        if first <= major and (last is None or major <= last):
            assert view not in found, f"two queries for {view} at version {major}"
            found[view] = entry.read_text(encoding="utf-8")
    return found
