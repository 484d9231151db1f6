"""What a measurement sent through the links in one direction."""

from __future__ import annotations

from plimsoll.facts import Cell

LINK_SLACK = 1.02
"""Windows begin and end in the middle of I/Os."""


def one_way_mb_per_s(cell: Cell, duplex: bool, copies: int) -> float:
    """The busier direction where both go at once, else both; each write so many times as this host sends it."""
    by_op = {op: sum(io.mb_per_s for io in cell.classes if io.op == op) for op in ("read", "write")}
    both = sum(by_op.values())
    write_share = by_op["write"] / both if both else 0.0
    reads, writes = cell.mb_per_s * (1 - write_share), cell.mb_per_s * write_share * copies
    return max(reads, writes) if duplex else reads + writes
