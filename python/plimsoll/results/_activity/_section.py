"""What a file of this room tells of its section."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from plimsoll.facts import Demand
from plimsoll.results._blocks import Block, Points


@dataclass(frozen=True)
class ActivitySection:
    """One section. `rank` orders them."""

    rank: int
    blocks: Callable[[Demand], list[Block]]


def unknown(what: str, why: str) -> Block:
    """That a figure is not known, and why."""
    return Points(((what, f"Unknown: {why}."),))


def nobody(what: str, looks: str) -> Block:
    """That there was none in all of these looks, where a table without a row would leave open whether anybody looked."""
    return Points(((what, f"Nobody was at work in {looks}."),))
