"""Temporary files: what was read from and written to them. This I/O is part of the reads and writes of all files already."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.reports.figures.counters import Counters, Op
from plimsoll.reports.figures.quantity import Quantity

BY_FILETYPE = "requests to temporary files"
BY_BLOCKS = (
    "blocks read from and written to temporary files by sessions themselves, without those through the cache"
)


@dataclass(frozen=True)
class Temp:
    """I/O of temporary files per second. `reasons` says why a figure is missing."""

    requests: Quantity | None
    bytes: Quantity | None
    definition: str
    reasons: dict[str, str]


def temp(counters: Counters, op: Op, block_bytes: int | None) -> Temp:
    """Requests and bytes by type of file; else bytes by blocks."""
    requests = counters.iostat("iostat_by_filetype", "Temp File", f"{op}s_per_s")
    size = counters.iostat("iostat_by_filetype", "Temp File", f"{op}_bytes_per_s")
    if requests is not None and size is not None:
        return Temp(requests, size, BY_FILETYPE, {})
    blocks = counters.activity(f"physical {op}s direct temporary tablespace")
    if blocks is None:
        if counters.iostat_rows("iostat_by_filetype"):
            return _none(op)
        reason = "the report prints neither I/O by type of file nor blocks of temporary tablespaces"
        return Temp(None, None, BY_BLOCKS, {"ops_per_s": reason, "bytes_per_s": reason})
    reasons = {"ops_per_s": "the report counts blocks of temporary tablespaces, not requests"}
    if not blocks.value:
        return Temp(blocks.said("no block"), blocks, BY_BLOCKS, {})
    if block_bytes is None:
        reasons["bytes_per_s"] = "the report does not print the size of a block"
        return Temp(None, None, BY_BLOCKS, reasons)
    return Temp(
        None, blocks.times(block_bytes, f"{blocks.how} × {block_bytes:,} bytes a block"), BY_BLOCKS, reasons
    )


def _none(op: Op) -> Temp:
    """A table by type of file without a row for temporary ones."""
    reason = (
        f"the table by type of file has no row for temporary files, so {op}s of them were none or left out"
    )
    return Temp(None, None, BY_FILETYPE, {"ops_per_s": reason, "bytes_per_s": reason})
