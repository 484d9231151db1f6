"""Operations that another tool did and timed: transactions of pgbench, intervals of a log of histograms."""

from __future__ import annotations

from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.proof import OperationResult, OperationSlice


class OperationLog(Fact):
    """What the log holds. Its operations are whatever its tool timed; none of them is an I/O of ours."""

    tool: Text
    """What wrote it."""
    duration_s: float
    """From the beginning of the first operation, or interval, to the end of the last, in seconds."""
    operations: tuple[OperationResult, ...]
    """Each kind of operation over that time."""
    slices: tuple[OperationSlice, ...] = ()
    """The time in slices; empty where the log has none."""
    lines_failed: int = 0
    """Lines that could not be read and are in no figure."""
    notes: tuple[Note, ...] = ()
