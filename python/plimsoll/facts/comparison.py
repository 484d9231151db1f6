"""Stored runs beside each other: what they have not in common, each figure of every side, and by how much they differ.

A side is one run, or several that count as repeats of one. The first side is what the others are held against.
"""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Text

Direction = Literal["more", "less"]


class ComparedSide(Fact):
    """One side. It is not valid where there are `doubts`: why a run of it is not valid."""

    label: str
    """A, B, C … in the order in which they were named."""
    runs: tuple[str, ...]
    """Ids of its runs."""
    title: Text
    """Of its first run, as is the answer."""
    answer: Text
    """What its first run found, in a few words."""
    doubts: tuple[Text, ...] = ()
    """Why a run of it is not valid; empty: nothing speaks against it."""


class ComparedSetting(Fact):
    """Something that is not the same on all sides. None: a side does not name it: unknown, or an option's default."""

    name: Text
    """What it is, in words."""
    values: tuple[Text | None, ...]
    """By side."""
    is_work: bool
    """Whether it is part of what was asked for, such as the size of an I/O; else of what did it, such as the device."""


class SideFigure(Fact):
    """One figure of one side. None: it has none, or it is not known."""

    value: float | None
    """Geometric mean over its runs, arithmetic where one of them is not above zero."""
    ci95: tuple[float, float] | None = None
    """Of that mean over its runs (Student's t, on logarithms where it is geometric); of a single run what it reckoned itself."""
    count: int = 0
    """Of runs that have it; of a single run how often it repeated the measurement itself."""
    is_bound: bool = False
    """The true value may be higher."""


class FigureChange(Fact):
    """One side against the first. `share` 0.12 is 12 % more; None where one of the two is not known, or not above zero."""

    share: float | None
    """(this side - the first) / the first."""
    ci95: tuple[float, float] | None = None
    """None: nothing tells how sure the change is."""
    basis: Literal["runs", "repeats", "own", "none"]
    """What the interval is from: runs of both sides; repeats within one run each; each run's own interval; nothing."""
    told: Direction | Literal["same", "unknown"]
    """`same`: no difference can be told. `unknown`: no statement."""
    is_better: bool | None = None
    """None where nothing was told, or more is neither better nor worse: a rate that was asked for, or other work."""


class ComparedFigure(Fact):
    """One figure of all sides. `better_when` None: it is neither better nor worse for being more."""

    name: str
    """Its path in the facts, with the unit last."""
    title: Text
    unit: str
    """Of its values; empty for a plain number."""
    better_when: Direction | None
    """None: neither."""
    sides: tuple[SideFigure, ...]
    """In the order of the sides."""
    changes: tuple[FigureChange, ...]
    """Of each side after the first."""


class Comparison(Fact):
    """The answer. `kind` is the kind of result that was compared."""

    kind: str
    """The kind of result."""
    headline: Text
    """What is to be said first, in a line."""
    sides: tuple[ComparedSide, ...]
    """In the order in which they were named."""
    settings: tuple[ComparedSetting, ...]
    """Those that differ: the work first."""
    figures: tuple[ComparedFigure, ...]
    """The one that the headline is about first."""
    remarks: tuple[Text, ...] = ()
    """What a reader must know beside the figures."""

    @property
    def is_valid(self) -> bool:
        """Whether every run of it is valid."""
        return not any(side.doubts for side in self.sides)
