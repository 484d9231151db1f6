"""Sizes of objects that somebody looked up for a source that prints none: a CSV file with columns `object` and `bytes`."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from plimsoll.base.errors import UsageError, input_error
from plimsoll.base.units import parse_bytes
from plimsoll.ports import files

BYTES_MAX = 64 << 20
"""A million objects."""
_COLUMNS = ("object", "bytes")
_HINT = "Write a line object,bytes first, then the name of an object and its size on each: SHOP.ORDERS,12g."


def read_sizes(path: Path | str) -> dict[str, int]:
    """Bytes by the name of an object. Raises UsageError `sizes-unreadable` with file and line, WorldError `sizes-unreadable`."""
    try:
        text = files.read_input(path, BYTES_MAX).decode("utf-8-sig")
    except OSError as error:
        raise input_error("sizes-unreadable", path, error) from error
    except UnicodeDecodeError as error:
        raise _off(path, 1, f"it is not UTF-8 text, from byte {error.start + 1:,} on") from error
    found: dict[str, int] = {}
    for line, name, size in _rows(path, text):
        if name in found:
            raise _off(path, line, f"'{name}' is already on a line before")
        found[name] = _bytes(path, line, size)
    return found


def _rows(path: Path | str, text: str) -> Iterator[tuple[int, str, str]]:
    rows = csv.reader(io.StringIO(text, newline=""))
    heads = [cell.strip().lower() for cell in next(rows, [])]
    missing = next((name for name in _COLUMNS if name not in heads), None)
    if missing is not None:
        raise _off(path, 1, f"the column {missing} is missing")
    places = [heads.index(name) for name in _COLUMNS]
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) <= max(places):
            raise _off(path, rows.line_num, f"it has {len(row)} cells, and the first line {len(heads)}")
        name, size = (row[place].strip() for place in places)
        if not name:
            raise _off(path, rows.line_num, "the name of the object is missing")
        yield rows.line_num, name, size


def _bytes(path: Path | str, line: int, size: str) -> int:
    try:
        found = parse_bytes(size)
    except UsageError as error:
        raise _off(path, line, f"bytes: {error.message}") from error
    return found


def _off(path: Path | str, line: int, what: str) -> UsageError:
    return UsageError("sizes-unreadable", f"{path}, line {line:,}: {what}", _HINT)
