"""What ORION tells of latencies beyond their average, from 11.2 on: mean, least, largest, deviation, and counts in powers of two.

They stand in the summary for the best points, and in `hist.txt` for every point. Two forms of a row are known: a count with the
share up to its end (11.2, 12.2, 19c), and the count alone (12.1). In 12.1's summary the histogram at the least latency stands
without a label, or carries that of the point with the most IOPS; which of the two it is of shows in its first and last row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from plimsoll.dialects.foreign._orion_lines import Lines, shortened
from plimsoll.facts import LatencyBucket, PointSpread

Spot = tuple[int, int]

_HEADING = re.compile(
    r"(Small|Large) Read / Write Latency Histogram @ Small=([0-9]{1,9}) and Large=([0-9]{1,9})", re.IGNORECASE
)
_FIGURE = r"([0-9]{1,15}(?:\.[0-9]{1,9})?) us"
_MOMENTS = re.compile(
    rf"(Small|Large) (Read|Write) Latency: avg={_FIGURE}, min={_FIGURE}, max={_FIGURE}, std dev={_FIGURE}"
    r" @ Small=([0-9]{1,9}) and Large=([0-9]{1,9})",
    re.IGNORECASE,
)
_MOMENTS_BEGIN = re.compile(r"(Small|Large) (Read|Write) Latency:", re.IGNORECASE)
_SHARE = r"(?:\s*\(\s*[0-9]{1,3}\.[0-9]{1,4}%\))?"
_ROW = re.compile(
    rf"([0-9]{{1,10}})\s*-\s*([0-9]{{1,10}})\s*us:\s*([0-9]{{1,15}}){_SHARE}\s+([0-9]{{1,15}}){_SHARE}",
    re.IGNORECASE,
)
_ROW_BEGINS = re.compile(r"[0-9]{1,10}\s*-\s*[0-9]")
_COLUMNS = re.compile(r"Latency:\s+# of IOs \(read\)", re.IGNORECASE)
_ROUNDED_US = 1.0
"""ORION prints whole microseconds in 11.2 and 12.1."""


@dataclass(frozen=True)
class Moments:
    """One line of mean, least, largest and deviation."""

    name: str
    spot: Spot
    mean_us: float
    min_us: float
    max_us: float
    stddev_us: float


@dataclass(frozen=True)
class Histogram:
    """One histogram: rows of lower end, upper end, reads and writes. `spot` is its label's, `above` that of the lines before it."""

    number: int
    size: str
    spot: Spot | None
    above: Spot | None
    rows: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True)
class Latencies:
    """All that one file tells."""

    moments: tuple[Moments, ...]
    histograms: tuple[Histogram, ...]


def read_latencies(lines: Lines) -> Latencies:
    """What the file tells. Raises UnreadableError `orion-unreadable` for a line that begins as one of these and is none."""
    moments: list[Moments] = []
    histograms: list[Histogram] = []
    rows: list[tuple[int, int, int, int]] = []
    label: tuple[str, Spot] | None = None
    for number, line in [*lines.numbered(), (0, "")]:
        if _ROW_BEGINS.match(line):
            rows.append(_row(lines, number, line, rows))
            continue
        if rows:
            size, spot = label or ("small", None)
            above = moments[-1].spot if moments else None
            histograms.append(Histogram(number, size, spot, above, tuple(rows)))
            rows, label = [], None
        if heading := _HEADING.fullmatch(line):
            label = heading[1].lower(), (int(heading[2]), int(heading[3]))
        elif _MOMENTS_BEGIN.match(line):
            moments.append(_moments(lines, number, line))
        elif line and not _COLUMNS.match(line):
            label = None
    return Latencies(tuple(moments), tuple(histograms))


def _row(
    lines: Lines, number: int, line: str, before: Sequence[tuple[int, int, int, int]]
) -> tuple[int, int, int, int]:
    match = _ROW.fullmatch(line)
    if match is None or not line.isascii():
        raise lines.broken(number, f"cannot read '{shortened(line)}' as a row of a histogram")
    low, high, reads, writes = (int(word) for word in match.groups())
    if high <= low or (before and low < before[-1][1]):
        raise lines.broken(number, f"the row '{shortened(line)}' does not rise")
    return low, high, reads, writes


def _moments(lines: Lines, number: int, line: str) -> Moments:
    match = _MOMENTS.fullmatch(line)
    if match is None or not line.isascii():
        raise lines.broken(number, f"cannot read '{shortened(line)}' as mean, least and largest latency")
    size, op, *figures = match.groups()
    mean, least, largest, deviation = map(float, figures[:4])
    return Moments(
        f"{size.lower()}_{op.lower()}", (int(figures[4]), int(figures[5])), mean, least, largest, deviation
    )


def spreads(summary: Latencies, histograms: Latencies | None) -> dict[Spot, tuple[PointSpread, ...]]:
    """By point: reads and writes, small and large, each with what the files tell of it; `hist.txt` before the summary."""
    moments = {(one.spot, one.name): one for one in summary.moments}
    rows: dict[tuple[Spot, str], tuple[LatencyBucket, ...]] = {}
    for found in (*summary.histograms, *(histograms.histograms if histograms else ())):
        spot = _spot(found, moments)
        for op, column in (("read", 2), ("write", 3)):
            if spot is not None and any(row[column] for row in found.rows):
                rows[spot, f"{found.size}_{op}"] = _buckets(found.rows, column)
    told: dict[Spot, list[PointSpread]] = {}
    for spot, name in sorted({*moments, *rows}):
        told.setdefault(spot, []).append(_spread(name, moments.get((spot, name)), rows.get((spot, name), ())))
    return {spot: tuple(found) for spot, found in told.items()}


def _spot(found: Histogram, moments: dict[tuple[Spot, str], Moments]) -> Spot | None:
    """The point that a histogram is of: that of its label, unless its ends are those of the point before it alone."""
    if found.spot is None or found.above in (None, found.spot):
        return found.spot or found.above
    assert found.above is not None
    own, other = (_fits(found, spot, moments) for spot in (found.spot, found.above))
    return found.above if other and not own else found.spot


def _fits(found: Histogram, spot: Spot, moments: dict[tuple[Spot, str], Moments]) -> bool:
    """Whether least and largest latency of the point lie in the first and the last row that count anything."""
    for op, column in (("read", 2), ("write", 3)):
        told = moments.get((spot, f"{found.size}_{op}"))
        filled = [row for row in found.rows if row[column]]
        if (told is None) != (not filled):
            return False
        if told is not None and not (_holds(filled[0], told.min_us) and _holds(filled[-1], told.max_us)):
            return False
    return True


def _holds(row: tuple[int, int, int, int], us: float) -> bool:
    return row[0] - _ROUNDED_US <= us <= row[1] + _ROUNDED_US


def _buckets(rows: Iterable[tuple[int, int, int, int]], column: int) -> tuple[LatencyBucket, ...]:
    """Rows that count anything. A row ends where the next one begins: `0 - 1` before `2 - 4` holds all below 2 µs."""
    rows = tuple(rows)
    ends = [after[0] for _, after in pairwise(rows)] + [rows[-1][1]]
    return tuple(
        LatencyBucket(low_us=row[0], high_us=end, ios=row[column])
        for row, end in zip(rows, ends, strict=True)
        if row[column]
    )


def _spread(name: str, moments: Moments | None, buckets: tuple[LatencyBucket, ...]) -> PointSpread:
    ios = sum(bucket.ios for bucket in buckets) if buckets else None
    if moments is None:
        return PointSpread(name=name, ios=ios, buckets=buckets)
    return PointSpread(
        name=name,
        ios=ios,
        mean_us=moments.mean_us,
        min_us=moments.min_us,
        max_us=moments.max_us,
        stddev_us=moments.stddev_us,
        buckets=buckets,
    )
