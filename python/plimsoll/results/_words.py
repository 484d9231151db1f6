"""Words that the answers of several kinds share."""

from __future__ import annotations

from plimsoll.base.units import format_rate, format_us
from plimsoll.facts import Cell

_BULK_BYTES_MIN = 128 * 1024
"""From this average size on, people speak of MB/s and not of I/Os."""


def of_cell(cell: Cell) -> str:
    """Rate and latency of one measured point."""
    bulk = cell.workload.mean_bytes >= _BULK_BYTES_MIN
    rate = f"{cell.mb_per_s:,.0f} MB/s" if bulk else f"{format_rate(cell.iops)} IOPS"
    errors = f", {cell.errors:,} errors" if cell.errors else ""
    return f"{rate}, p99 {format_us(cell.latency_us.p99)}{errors}"
