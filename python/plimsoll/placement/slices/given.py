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
    own = [machine.in_domains(what.cores) for what in given]
    return sum(
        max(0, before + sum(domain in domains for domains in own) - 1) - max(0, before - 1)
        for domain, before in enumerate(machine.users)
    )
