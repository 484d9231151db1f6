"""A curve of hits that was written down: a CSV file with a size of a cache and what it answers, or leaves, on each line.

`cache_bytes` are sizes of the buffer cache, `flash_bytes` of a cache of flash below it. Beside it stands `hit_share`, the share of
requests that such a cache answers, or `physical_reads`, what it leaves to be read.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from plimsoll.base.errors import UsageError, input_error
from plimsoll.base.units import parse_bytes
from plimsoll.facts import HitCurve, HitPoint
from plimsoll.facts.flash import CurveOf
from plimsoll.ports import files

BYTES_MAX = 1 << 20
_SIZES: dict[str, CurveOf] = {"cache_bytes": "buffer cache", "flash_bytes": "flash"}
_HITS, _READS = "hit_share", "physical_reads"
_HINT = "Write the line cache_bytes,hit_share first, or cache_bytes,physical_reads; then a size and its figure on each: 8g,0.92."


def read_cache_curve(path: Path | str) -> HitCurve:
    """A curve of the buffer cache. Raises what `read_curve` raises."""
    found = read_curve(path)
    if found.of != "buffer cache":
        raise _off(path, 1, f"it is of a cache of {found.of}, which says nothing of a larger buffer cache")
    return found


def read_curve(path: Path | str) -> HitCurve:
    """The points by size. Raises UsageError `hit-curve-unreadable` with file and line, `file-missing`; WorldError
    `hit-curve-unreadable`.
    """
    try:
        text = files.read_input(path, BYTES_MAX).decode("utf-8-sig")
    except OSError as error:
        raise input_error("hit-curve-unreadable", path, error) from error
    except UnicodeDecodeError as error:
        raise _off(path, 1, f"it is not UTF-8 text, from byte {error.start + 1:,} on") from error
    rows = csv.reader(io.StringIO(text, newline=""))
    heads = [cell.strip().lower() for cell in next(rows, [])]
    size, figure = _column(path, heads, tuple(_SIZES)), _column(path, heads, (_HITS, _READS))
    columns = _Columns(len(heads), heads.index(size), heads.index(figure), figure)
    numbered = ((rows.line_num, row) for row in rows)
    found = _whole(path, _SIZES[size], figure, sorted(_points(path, numbered, columns)))
    points = tuple(HitPoint(cache_bytes=one.cache_bytes, miss_share=one.left) for one in found)
    return HitCurve(of=_SIZES[size], points=points, source=str(path))


@dataclass(frozen=True)
class _Columns:
    """How many there are, where size and figure stand, and what the figure is."""

    count: int
    size: int
    figure: int
    name: str


@dataclass(frozen=True, order=True)
class _Point:
    cache_bytes: int
    left: float
    line: int


def _column(path: Path | str, heads: list[str], names: tuple[str, ...]) -> str:
    named = [name for name in names if name in heads]
    if len(named) != 1:
        what = "is missing" if not named else "are there both"
        raise _off(path, 1, f"the column {' or '.join(names)} {what}")
    return named[0]


def _points(path: Path | str, rows: Iterator[tuple[int, list[str]]], columns: _Columns) -> Iterator[_Point]:
    for line, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != columns.count:
            raise _off(path, line, f"it has {len(row)} cells, and the first line {columns.count}")
        try:
            held = parse_bytes(row[columns.size].strip())
        except UsageError as error:
            raise _off(path, line, error.message) from error
        yield _Point(held, _left(path, line, row[columns.figure].strip(), columns.name), line)


def _left(path: Path | str, line: int, cell: str, figure: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        raise _off(path, line, f"{figure}: '{cell}' is not a number") from None
    if not math.isfinite(value) or value < 0 or (figure == _HITS and value > 1):
        bounds = "0 to 1" if figure == _HITS else "0 or more"
        raise _off(path, line, f"{figure}: {cell} is not {bounds}")
    return 1.0 - value if figure == _HITS else value


def _whole(path: Path | str, of: CurveOf, figure: str, points: list[_Point]) -> list[_Point]:
    """The points as shares, that of no cache at all among them where the cache is one of flash."""
    if not points:
        raise _off(path, 1, "it has no point of a curve")
    for one, next_one in itertools.pairwise(points):
        if next_one.cache_bytes == one.cache_bytes:
            raise _off(path, next_one.line, "its size stands on another line as well")
        if next_one.left > one.left:
            raise _off(path, next_one.line, "a larger cache is said to answer less than a smaller one")
    first = points[0]
    if figure == _READS and first.left <= 0:
        raise _off(path, first.line, "nothing is read with the smallest cache, so that no share is known")
    if of == "flash" and figure == _READS and first.cache_bytes:
        raise _off(path, first.line, "it does not say how much is read without a cache, with flash_bytes 0")
    if of == "flash" and figure == _HITS and first.cache_bytes:
        points = [_Point(0, 1.0, 1), *points]
    scale = first.left if figure == _READS else 1.0
    return [replace(one, left=one.left / scale) for one in points]


def _off(path: object, line: int, what: str) -> UsageError:
    return UsageError("hit-curve-unreadable", f"{path}, line {line:,}: {what}", _HINT)
