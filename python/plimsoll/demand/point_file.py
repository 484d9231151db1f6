"""Series that somebody wrote down: a CSV file with the columns `time,database,metric,value`, and `instance` and `weight` where
there are any.

Columns are found by their names, in any order. An empty value is a gap. A line that cannot be read is told with its number, and
stops nothing.
"""

from __future__ import annotations

import csv
import io
import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from operator import gt, lt
from pathlib import Path
from typing import Any, NamedTuple

from plimsoll.base.errors import UsageError, input_error
from plimsoll.base.printable import printable
from plimsoll.demand.points import AllPoints, InstancePoints, SeriesKey, add_point, seconds_of
from plimsoll.facts import Note
from plimsoll.ports import files

BYTES_MAX = 512 << 20
"""Some ten million lines."""
_YEAR_MIN, _YEAR_MAX = 1900, 2200
"""What lies outside stands for a time that was not known."""
REQUIRED = ("time", "database", "metric", "value")
COLUMNS = (*REQUIRED, "instance", "weight")
_HINT = (
    f"The first line names the columns: {', '.join(REQUIRED)}, and instance and weight where there are any."
)
_DELIMITERS = ",;\t"


class _OffError(Exception):
    """A line that cannot be read, with the reason."""


class _Head(NamedTuple):
    """What the first line says."""

    places: tuple[int, ...]
    """Where each of `COLUMNS` stands; -1 where there is none."""
    width: int
    """How many columns the file has."""


@dataclass
class PointFile:
    """What a file holds, and how many of its lines could not be read."""

    points: AllPoints = field(default_factory=dict)
    has_zones: bool = False
    """Whether times have a zone, and are taken to UTC."""
    is_local: bool = False
    """Whether times have none."""
    bad_lines: int = 0
    first_bad: str = ""
    unread_columns: tuple[str, ...] = ()
    """Columns of names that mean nothing here."""
    lines: dict[SeriesKey, dict[str, array[int]]] = field(
        default_factory=dict[SeriesKey, dict[str, "array[int]"]]
    )
    """On which line each of the points stands."""
    repeats: int = 0
    """Values of a moment for which an earlier line has one of the same series."""
    first_repeat: str = ""

    @property
    def notes(self) -> list[Note]:
        """What was left out, and what was said twice."""
        found: list[Note] = []
        if self.bad_lines:
            left, says = _more(self.bad_lines - 1), "they say" if self.bad_lines > 1 else "it says"
            message = f"{self.first_bad}{left}; what {says} is missing"
            found.append(Note(code="lines-unread", message=message))
        if self.unread_columns:
            names = ", ".join(map(printable, self.unread_columns))
            message = f"columns that are not read: {names}; those that are: {', '.join(COLUMNS)}"
            found.append(Note(code="columns-unread", message=message))
        if self.repeats:
            message = f"{self.first_repeat}{_more(self.repeats - 1)}; values of one moment are averaged"
            found.append(Note(code="told-twice", message=message))
        return found


def _more(count: int) -> str:
    return f", and {count:,} more {'line' if count == 1 else 'lines'}" if count else ""


def is_point_file(path: Path | str) -> bool:
    """Whether a file's name says that it is one."""
    return Path(path).suffix.lower() == ".csv"


def read_points(path: Path | str) -> PointFile:
    """The points of a file. Raises UsageError `points-unreadable`, `file-missing`, and WorldError `points-unreadable`."""
    try:
        text = files.read_input(path, BYTES_MAX).decode("utf-8-sig")
    except OSError as error:
        raise input_error("points-unreadable", path, error) from error
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"it is not UTF-8 text, from byte {error.start + 1:,} on") from error
    if "\n" not in text:
        text = text.replace("\r", "\n")  # as spreadsheets of old end their lines
    first, _, _ = text.partition("\n")
    delimiter = max(_DELIMITERS, key=first.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    names = next(_each(path, rows), [])
    head = _head(path, names)
    found = PointFile(unread_columns=_unread_columns(names))
    for row in _each(path, rows):
        _take(found, path, rows.line_num, row, head)
    if found.has_zones and found.is_local:
        message = f"{path}: some of its times have a zone and some have none"
        hint = "Write all times with their zone, such as 2026-11-20T09:00+01:00, or all without."
        raise UsageError("points-unreadable", message, hint)
    _find_repeats(found, path)
    return found


def _unreadable(path: object, what: str) -> UsageError:
    return UsageError("points-unreadable", f"{path}: {what}", _HINT)


def _each(path: object, rows: Any) -> Iterator[list[str]]:
    try:
        yield from rows
    except csv.Error as error:
        raise _unreadable(path, f"it is not CSV, line {rows.line_num:,}: {error}") from error


def _head(path: object, names: Sequence[str]) -> _Head:
    plain = [_plain(name) for name in names]
    places = {name: place for place, name in enumerate(plain)}
    twice = [name for name in COLUMNS if plain.count(name) > 1]
    if twice:
        raise _unreadable(path, f"its first line names the column {twice[0]} {plain.count(twice[0])} times")
    missing = [name for name in REQUIRED if name not in places]
    if missing:
        raise _unreadable(path, f"its first line names no column {' and no '.join(missing)}")
    return _Head(tuple(places.get(name, -1) for name in COLUMNS), len(names))


def _plain(name: str) -> str:
    return name.strip().lower()


def _unread_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Those with a name; spreadsheets have some without."""
    return tuple(name.strip() for name in names if _plain(name) not in ("", *COLUMNS))


def _find_repeats(found: PointFile, path: object) -> None:
    """Lines of a moment of which an earlier line of that series, and instance, has a value too."""
    first: tuple[int, int, SeriesKey] | None = None
    for key, instances in found.points.items():
        for name, points in instances.items():
            lines = found.lines[key][name]
            for place, earlier in _repeated(points.begin_s):
                found.repeats += 1
                told = lines[place], lines[earlier], key
                first = told if first is None else min(first, told)
    if first is not None:
        line, earlier_line, key = first
        what = f"{key.metric} of {key.database} has a value of that time on line {earlier_line:,} too"
        found.first_repeat = f"{path}, line {line:,}: {what}"


def _repeated(begin_s: array[float]) -> Iterator[tuple[int, int]]:
    """Places of moments that were there before, and where; in most files times only rise, or only fall."""
    if all(map(lt, begin_s, islice(begin_s, 1, None))) or all(map(gt, begin_s, islice(begin_s, 1, None))):
        return
    order = sorted(range(len(begin_s)), key=begin_s.__getitem__)
    first = order[0]
    for place in order[1:]:
        if begin_s[place] == begin_s[first]:
            yield place, first
        else:
            first = place


def _take(found: PointFile, path: object, line: int, row: list[str], head: _Head) -> None:
    try:
        _add(found, line, _cells(row, head))
    except _OffError as error:
        if any(map(str.strip, row)):
            found.bad_lines += 1
            found.first_bad = found.first_bad or f"{path}, line {line:,}: {error}"


def _cells(row: Sequence[str], head: _Head) -> list[str | None]:
    """In the order of `COLUMNS`. A line with more cells than the file has columns may mean any of them: `12,5` is no 12."""
    if len(row) > head.width:
        raise _OffError(f"it has {len(row)} cells where the first line names {head.width} columns")
    return [row[place].strip() if 0 <= place < len(row) else None for place in head.places]


def _add(found: PointFile, line: int, cells: list[str | None]) -> None:
    """A line's cells in the order of `COLUMNS`; None where the file has no such column, or the line ends before it."""
    time, database, metric, text, instance, weighed = cells
    if text is None or not (time and database and metric):
        missing = next(name for name, cell in zip(REQUIRED, cells, strict=False) if not cell)
        raise _OffError(f"it has no {missing}")
    moment = _moment(time)
    if moment.tzinfo is None:
        found.is_local = True
    else:
        found.has_zones = True
    key, of = SeriesKey(database, metric), instance or ""
    lines = found.lines.setdefault(key, {}).setdefault(of, array("q"))
    if not text:
        found.points.setdefault(key, {}).setdefault(of, InstancePoints())
        return
    value = _number("value", text)
    weight = _number("weight", weighed) if weighed else math.nan
    if weight < 0:
        raise _OffError(f"weight {weighed} is below 0")
    add_point(found.points, key, of, seconds_of(moment), math.nan, value, weight)
    lines.append(line)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _OffError(f"'{text}' is no time such as 2026-11-20T09:00") from None
    if not _YEAR_MIN <= moment.year <= _YEAR_MAX:
        raise _OffError(f"'{text}' is of no year from {_YEAR_MIN} to {_YEAR_MAX}")
    return moment


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise _OffError(f"{name} '{text}' is no number") from None
    if not math.isfinite(number):
        raise _OffError(f"{name} '{text}' is no number")
    return number
