"""Inventories that were written down by hand or by somebody's script: a CSV file for each interval.

Columns are found by their names, in any order: `object, bytes, tier, small_reads, large_reads, small_writes` must be there,
the others of
`COLUMNS` may be. A cell that is empty is not known. Whatever is off is told with file and line.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast, get_args

from plimsoll.base.errors import UsageError, input_error
from plimsoll.base.nearest import did_you_mean
from plimsoll.base.units import parse_bytes
from plimsoll.facts import AccessCount, CountBound, Inventory, Note, ObjectKind, StorageObject
from plimsoll.ports import files

BYTES_MAX = 256 << 20
"""A million objects or more."""
REQUIRED = ("object", "bytes", "tier", "small_reads", "large_reads", "small_writes")
COUNTS = ("small_reads", "large_reads", "small_writes", "background_writes")
_NUMBERS = {**{name: name for name in COUNTS}, "large_read_bytes": "large_read_bytes_mean", "write_bytes": "write_bytes",
            "read_s": "read_s", "write_s": "write_s"}  # fmt: skip
"""Columns of numbers, and the field of each."""
_SHARES = ("cached_share",)
_BOUNDS = tuple(f"{name}_{end}" for name in ("bytes", *COUNTS, *_SHARES) for end in ("min", "max"))
COLUMNS = (
    *REQUIRED,
    "kind",
    "parent",
    "background_writes",
    "cached_share",
    "large_read_bytes",
    "write_bytes",
    "read_s",
    "write_s",
    "evidence",
    *_BOUNDS,
)
"""All columns that are known."""
_KINDS = get_args(ObjectKind)
_HINT = f"The first line names the columns: {', '.join(REQUIRED)}, and those that may follow; see `plimsoll help place`."


def read_objects(path: Path | str, tier_names: Sequence[str], on: str | None = None) -> Inventory:
    """The objects of one interval; what is known of the interval itself is not in the file. `on` is the tier of those without one.

    Raises UsageError `objects-unreadable` with file and line, `file-missing`, and WorldError `objects-unreadable`.
    """
    try:
        text = files.read_input(path, BYTES_MAX).decode("utf-8-sig")
    except OSError as error:
        raise input_error("objects-unreadable", path, error) from error
    except UnicodeDecodeError as error:
        raise _off(path, 1, f"it is not UTF-8 text, from byte {error.start + 1:,} on", _HINT) from error
    return _Reader(str(path), tier_names, on).inventory(text)


def _off(path: object, line: int, what: str, hint: str) -> UsageError:
    return UsageError("objects-unreadable", f"{path}, line {line:,}: {what}", hint)


class _Reader:
    """Reads one file; `line` is where it is."""

    def __init__(self, path: str, tier_names: Sequence[str], on: str | None) -> None:
        self.path, self.tier_names, self.on = path, tier_names, on
        self.line = 1

    def off(self, what: str, hint: str) -> UsageError:
        """An error at the present line."""
        return _off(self.path, self.line, what, hint)

    def inventory(self, text: str) -> Inventory:
        """All of the file."""
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
        columns = self._columns(next(self._each(rows), []))
        places: dict[str, int] = {}
        objects = []
        for row in self._each(rows):
            objects.append(one := self._object(self._cells(columns, row)))
            if one.name in places:
                what = f"'{one.name}' is already on line {places[one.name]:,}"
                raise self.off(
                    what,
                    "Name each object once: add up its rows, or give an interval of its own a file of its own.",
                )
            places[one.name] = self.line
        if not objects:
            raise self.off("no object follows the names of the columns", "Write a line for each object.")
        return Inventory(
            objects=tuple(objects), interval_s=None, source=self.path, notes=tuple(self._notes(columns))
        )

    def _each(self, rows: Any) -> Iterator[list[str]]:
        """The rows that are not blank. The line is that on which a row ends: a cell in quotes may hold several."""
        while True:
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                self.line = rows.line_num
                raise self.off(
                    f"it is not CSV: {error}",
                    "Put cells with commas, quotes or line ends into double quotes.",
                ) from error
            self.line = rows.line_num
            if any(cell.strip() for cell in row):
                yield row

    def _columns(self, heads: Sequence[str]) -> list[str]:
        names = [head.strip().lower() for head in heads]
        missing = [name for name in REQUIRED if name not in names]
        if missing:
            found = f"; it has {', '.join(names)}" if names else ""
            raise self.off(f"the column {missing[0]} is missing{found}", self._meant(missing[0], names))
        twice = [name for name in COLUMNS if names.count(name) > 1]
        if twice:
            raise self.off(f"the column {twice[0]} is there twice", "Leave one of them out.")
        return names

    def _meant(self, missing: str, names: Sequence[str]) -> str:
        unknown = [name for name in names if name not in COLUMNS]
        near = did_you_mean(missing, unknown)
        return f"{near and near.replace('Did you mean', 'Is it').rstrip() + ' '}{_HINT}"

    def _notes(self, columns: Sequence[str]) -> Iterator[Note]:
        unknown = [name for name in columns if name and name not in COLUMNS]
        if unknown:
            meant = did_you_mean(unknown[0], [name for name in COLUMNS if name not in columns])
            message = (
                f"{self.path}: the column{'s' if len(unknown) > 1 else ''} {', '.join(unknown)} "
                f"{'are' if len(unknown) > 1 else 'is'} not known, and left out. {meant}"
            )
            yield Note(code="columns-unknown", message=message.rstrip())
        if "cached_share" not in columns:
            message = (
                f"{self.path} has no column cached_share: every read that it counts is taken to reach storage"
            )
            yield Note(code="cached-share-missing", message=message)

    def _cells(self, columns: Sequence[str], row: Sequence[str]) -> dict[str, str]:
        if len(row) != len(columns):
            what = f"it has {len(row)} cells, and the first line {len(columns)}"
            raise self.off(what, "Write one cell for each column; an empty one is not known.")
        return {name: cell.strip() for name, cell in zip(columns, row, strict=True) if name in COLUMNS}

    def _object(self, cells: Mapping[str, str]) -> StorageObject:
        name = cells["object"]
        if not name:
            raise self.off("the object has no name", "Name each object.")
        numbers: dict[str, Any] = {field: self._number(cells, column) for column, field in _NUMBERS.items()}
        size = self._bytes(cells, "bytes")
        shares = {column: self._share(cells, column) for column in _SHARES}
        known = {"size_bytes": size, **{column: numbers[column] for column in COUNTS}, **shares}
        return StorageObject(
            name=name,
            kind=self._kind(cells.get("kind", "")),
            parent=cells.get("parent") or None,
            size_bytes=size,
            tier=self._tier(cells["tier"]),
            **numbers,
            cached_share=shares["cached_share"],
            bounds=tuple(self._bounds(cells, known)),
            evidence=cells.get("evidence") or "",
        )  # fmt: skip

    def _number(self, cells: Mapping[str, str], column: str) -> float | None:
        cell = cells.get(column, "")
        if not cell:
            return None
        try:
            value = float(cell.replace("_", "x"))
        except ValueError:
            unit = ", without a unit" if cell[:1].isdigit() else ""
            raise self.off(
                f"{column}: '{cell}' is not a number",
                f"Write a plain number{unit}, or leave it empty where it is not known.",
            ) from None
        if not math.isfinite(value) or value < 0:
            raise self.off(
                f"{column}: {cell} is not 0 or more",
                "Write 0 or a positive number; leave it empty where it is not known.",
            )
        return value

    def _bytes(self, cells: Mapping[str, str], column: str) -> int | None:
        cell = cells.get(column, "")
        if not cell:
            return None
        if cell.startswith("-"):
            raise self.off(
                f"{column}: {cell} is not 0 or more",
                "Write 0 or a positive number; leave it empty where it is not known.",
            )
        try:
            return parse_bytes(cell)
        except UsageError as error:
            hint = "Write bytes, or a size such as 8k, 1g or 100MB; leave it empty where it is not known."
            raise self.off(f"{column}: {error.message}", hint) from error

    def _share(self, cells: Mapping[str, str], column: str) -> float | None:
        value = self._number(cells, column)
        if value is not None and value > 1:
            raise self.off(
                f"{column}: {cells[column]} is more than 1", "A share is 0 to 1: write 0.95 for 95 %."
            )
        return value

    def _kind(self, cell: str) -> ObjectKind:
        kind = next((one for one in _KINDS if one == cell.lower()), None)
        if kind is None and cell:
            hint = f"{did_you_mean(cell.lower(), _KINDS)}It is one of {', '.join(_KINDS)}."
            raise self.off(f"kind: '{cell}' is not known", hint)
        return kind or "other"

    def _tier(self, cell: str) -> str:
        if not cell and self.on is not None:
            return self.on
        if not cell:
            raise self.off(
                "no tier is given for the object",
                "Name it, or give --on TIER for all objects without one.",
            )
        if cell not in self.tier_names:
            hint = f"{did_you_mean(cell, self.tier_names)}The tiers are {', '.join(self.tier_names)}."
            raise self.off(f"tier: '{cell}' is not one of the tiers", hint)
        return cell

    def _bounds(self, cells: Mapping[str, str], known: Mapping[str, float | None]) -> Iterator[CountBound]:
        for field, value in known.items():
            column = "bytes" if field == "size_bytes" else field
            low, high = (self._bound(cells, f"{column}_{end}") for end in ("min", "max"))
            if low is None and high is None:
                continue
            if value is not None:
                raise self.off(
                    f"{column} is known, and bounded as well", f"Leave {column} empty, or its bounds."
                )
            if high is not None and high < (low or 0.0):
                raise self.off(f"{column}_max is less than {column}_min", "Swap them.")
            yield CountBound(
                count=cast("AccessCount | Literal['size_bytes']", field), low=low or 0.0, high=high
            )

    def _bound(self, cells: Mapping[str, str], column: str) -> float | None:
        if column.startswith("bytes"):
            return self._bytes(cells, column)
        return (
            self._share(cells, column) if column.startswith("cached_share") else self._number(cells, column)
        )


def _delimiter(text: str) -> str:
    """A comma; what spreadsheets write where a comma is the decimal sign; or a tab."""
    head = text.lstrip("\r\n").partition("\n")[0]
    return max((",", ";", "\t"), key=head.count)
