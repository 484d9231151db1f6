"""Targets added one by one: whether together they give what each gives alone."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.cell import Cell


class LadderTarget(Fact):
    """One target measured alone: I/Os per second of small I/Os, MB (10^6 bytes) per second of large ones."""

    name: Text
    rate: float
    rate_ci95: tuple[float, float] | None = None


class LadderStep(Fact):
    """The first so many targets at once."""

    targets: int
    rate: float
    """Mean of the repeats, in the unit of its curve."""
    rate_ci95: tuple[float, float] | None = None
    linearity: float
    """The rate as a share of the sum of what its targets gave alone: 1 is linear."""
    linearity_ci95: tuple[float, float] | None = None
    """95 % interval of its mean over the repeats (Student's t)."""
    cell: Cell
    """The repeat in the middle."""


class LadderCurve(Fact):
    """One kind of I/O over the number of targets."""

    size: Literal["small", "large"]
    """Small I/Os are counted per second, large ones in MB per second."""
    block_bytes: int
    depth: int
    """Outstanding on each target, alone as well as beside others."""
    alone: tuple[LadderTarget, ...]
    steps: tuple[LadderStep, ...]
    flat_from: int | None = None
    """This target and those after it brought less than a quarter of what they give alone, in every repeat. None: none did."""
    reason: Text


class TargetLadder(Fact):
    """1, 1 + 2, 1 + 2 + 3 … targets, and each alone, in turns."""

    repeats: int
    duration_s: float
    """Of each measurement."""
    measured_s: float
    write_share: float = 0.0
    curves: tuple[LadderCurve, ...]
    notes: tuple[Note, ...] = ()
