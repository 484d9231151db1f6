"""What a slice is given of a machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plimsoll.placement.slices.machine import Machine


@dataclass(frozen=True)
class Given:
    """Cores by pool and pieces of memory by node, both by their places."""

    home: int
    cores: Mapping[int, int]
    units: Mapping[int, int]
    cost: float
    """Before its weight."""


def shared_count(machine: Machine, given: Sequence[Given]) -> int:
    """How many slices have cores of a domain beside another, beyond those that had before."""
    users = [pool.users + sum(at in what.cores for what in given) for at, pool in enumerate(machine.pools)]
    before = [pool.users for pool in machine.pools]
    return sum(max(0, now - 1) - max(0, then - 1) for now, then in zip(users, before, strict=True))
