"""Targets added one by one: whether together they give what each gives alone."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.cell import Cell


class LadderTarget(Fact):
    """One target measured alone: I/Os per second of small I/Os, MB (10^6 bytes) per second of large ones."""

    name: Text
    """As the user wrote it."""
    rate: float
    """Mean of the repeats, in the unit of its curve."""
    rate_ci95: tuple[float, float] | None = None
    """95 % interval of that mean (Student's t); None for fewer than two repeats."""


class LadderStep(Fact):
    """The first so many targets at once."""

    targets: int
    """How many targets."""
    rate: float
    """Mean of the repeats, in the unit of its curve."""
    rate_ci95: tuple[float, float] | None = None
    """95 % interval of that mean (Student's t); None for fewer than two repeats."""
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
    """Size of each I/O, in bytes."""
    depth: int
    """Outstanding on each target, alone as well as beside others."""
    alone: tuple[LadderTarget, ...]
    """Each target by itself."""
    steps: tuple[LadderStep, ...]
    """1, 2, 3 … targets at once."""
    flat_from: int | None = None
    """This target and those after it brought less than a quarter of what they give alone, in every repeat. None: none did."""
    reason: Text


class TargetLadder(Fact):
    """1, 1 + 2, 1 + 2 + 3 … targets, and each alone, in turns."""

    repeats: int
    """How often each was measured."""
    duration_s: float
    """Of each measurement."""
    measured_s: float
    write_share: float = 0.0
    """Writes as a share of I/Os, 0 to 1."""
    curves: tuple[LadderCurve, ...]
    """One for each size of I/O."""
    notes: tuple[Note, ...] = ()
