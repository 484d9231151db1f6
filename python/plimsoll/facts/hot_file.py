"""One file that all hosts read, against a file for each of them: whether the storage behind makes hosts wait for each other."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.cell import Cell

SLOWER_BELOW = 0.8
"""Of the rate on a file each: a rate on one file below that in every round is no chance."""


class HotFileRound(Fact):
    """One measurement of all hosts together."""

    of: Literal["own", "one"]
    """Whether each host read its own file, or all of them one file."""
    cell: Cell
    """Of all hosts together, with each of them."""


class HotFile(Fact):
    """What hosts read from one file, over what they read from a file each.

    Rounds go own, one, one, own, so that a storage that slowly changes does not look like a difference; of a file each every host
    reads so much less of its own that both read equally much data.
    """

    hosts: tuple[str, ...]
    """In the order in which they were named."""
    path: Text
    """The file that all of them read: the first host's."""
    rounds: tuple[HotFileRound, ...]
    """In the order in which they were made."""
    ratios: tuple[float, ...]
    """Of each pair of rounds: I/Os per second of one file / of a file each."""
    ratio: float | None
    """Their median; None without a whole pair."""
    start_spread_us: float | None = None
    """From the first host's first I/O to the last host's first, in microseconds: the most of all rounds."""
    rounds_asked: int
    """How many were asked for."""
    ended_because: Text | None = None
    """Why the rounds ended before their time, as where a host was lost."""
    notes: tuple[Note, ...] = ()

    @property
    def is_slower(self) -> bool | None:
        """Whether one file is a bottleneck; None where rounds do not agree, or without two pairs of them: a storage that slowly
        changes makes the first pair differ from the second."""
        below = {ratio < SLOWER_BELOW for ratio in self.ratios}
        return below.pop() if len(below) == 1 and len(self.ratios) > 1 else None
