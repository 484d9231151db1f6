"""What every truth check offers, so that what makes them need not know which one it is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from plimsoll.facts import Cell, Check, Target, Workload


@dataclass(frozen=True)
class Look:
    """What a probe shall measure. What is None is as in the cell that is judged."""

    workload: Workload
    runtime_s: float
    depth: int = 1
    seed: int = 1
    span_bytes: int | None = None
    ios_max: int | None = None
    direct: bool | None = None
    engine: str | None = None


class Probe(Protocol):
    """Lets an active check measure a little more on the target of the cell that it judges."""

    @property
    def target(self) -> Target:
        """What was measured."""
        ...

    @property
    def cell(self) -> Cell:
        """The finished cell that the verdict is about."""
        ...

    def measure(self, look: Look) -> Cell:
        """The cell of a short closed loop of one job."""
        ...

    def held_open(self) -> AbstractContextManager[None]:
        """The page cache keeps what one look read for the next, until the block ends."""
        ...


@dataclass(frozen=True)
class Passive:
    """A check of a finished cell. `judge` gives None where the question does not arise."""

    title: str
    help: str
    judge: Callable[[Cell, Target], Check | None]
    decides: bool = False
    """Whether a failure makes the answer a no (exit status 1): the number is not valid."""
    decides_where: Callable[[Check], bool] | None = None
    """Of a check that else only warns: whether this failure of it does."""
    settled_by: str | None = None
    """The verdict of an active check that answers what this one leaves open."""


@dataclass(frozen=True)
class Active:
    """A check that measures more. `judge` gives None where the question does not arise."""

    title: str
    help: str
    judge: Callable[[Probe], Check | None]
    decides: bool = False
    """As for passive ones."""
