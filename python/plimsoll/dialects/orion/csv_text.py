"""The three CSV files: rates of small I/Os, their latency, bandwidth of large ones; columns are small loads, rows large ones.

The layout of 11.1 is matched byte for byte with published files. That of 12.1 opens with a sentence on what follows; its rows
are as wide: of a published run with 20 columns and one row, the file with that row is 172 bytes longer than the file without.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from plimsoll.dialects.orion.grid import Depths, Grid, Layout

_CORNER = "Large/Small"
_SENTENCE = (
    "Contains the {what}. Each value corresponds to a data point test that used a fixed number of outstanding small and"
    " large I/Os."
)
_WHAT = {
    "iops": "rates sustained by small I/Os in IOPS",
    "lat": "average latency sustained by small I/Os in microseconds",
    "mbps": "rates sustained by large I/Os in MBps",
}


def iops_csv(found: Grid, layout: Layout) -> str:
    """Small I/Os a second, whole numbers."""
    return _opening("iops", layout) + _table(_above_zero(found.smalls), found.larges, found.iops)


def lat_csv(found: Grid, layout: Layout) -> str:
    """Mean latency of the small I/Os, with two decimals."""
    return _opening("lat", layout) + _table(_above_zero(found.smalls), found.larges, found.latency)


def mbps_csv(found: Grid, layout: Layout) -> str:
    """Megabytes of large I/Os a second, with two decimals."""
    return _opening("mbps", layout) + _table(found.smalls, _above_zero(found.larges), found.mbps)


def _opening(name: str, layout: Layout) -> str:
    return "" if layout == "11.1" else _SENTENCE.format(what=_WHAT[name]) + "\n\n"


def _above_zero(depths: Sequence[int]) -> list[int]:
    return [depth for depth in depths if depth]


def _table(smalls: Sequence[int], larges: Sequence[int], values: dict[Depths, Decimal]) -> str:
    lines = [_CORNER + "".join(f",{small:7d}" for small in smalls)]
    lines += [f"{large:11d}{_row(smalls, large, values)}" for large in larges]
    return "".join(f"{line}\n" for line in lines)


def _row(smalls: Sequence[int], large: int, values: dict[Depths, Decimal]) -> str:
    """Up to the last value; a missing one before it is blank."""
    cells = [values.get((small, large)) for small in smalls]
    while cells and cells[-1] is None:
        cells.pop()
    return "".join("," + (" " * 7 if cell is None else f"{cell!s:>7}") for cell in cells)
