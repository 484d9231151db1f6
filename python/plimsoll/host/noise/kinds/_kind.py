"""What a file of this room tells of its kind of noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Order:
    """What one process of a noise is told. `plan` is the JSON of what the engine does, for noise of disks."""

    kind: str
    seconds_max: float | None
    """It ends by itself after so long; None: when it is told to, or nobody is there any more to tell it."""
    memory_bytes: int
    """What it may take at most."""
    plan: str | None = None


Told = Callable[[float], None]
"""Is told what was done so far."""


@dataclass(frozen=True)
class Kind:
    """`work` makes noise until it is to end, tells what it did so far meanwhile, and returns what it did, in `unit`. `each_cpu`: a
    process for each CPU of the slice, else one. `cpu_share_min`: how much of a CPU a process must have used at least, by the
    kernel's count, to count as noise.
    """

    help: str
    unit: str
    work: Callable[[Order, Callable[[], bool], Told], float]
    each_cpu: bool
    cpu_share_min: float = 0.0
