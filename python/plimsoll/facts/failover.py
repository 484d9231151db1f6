"""Databases on several nodes, each with a storage of its own: whether each carries what runs there, and what a lost node does."""

from __future__ import annotations

from datetime import datetime

from plimsoll.facts._fact import Fact, Text


class NodeLoad(Fact):
    """A node, the databases that run on it, and whether its storage carries them."""

    node: Text
    """Its name."""
    databases: tuple[Text, ...]
    """Those that run on it; empty: none."""
    carries: bool | None
    """As of a verdict on their sum; true where none runs on it. None: it cannot be told, or was not measured."""
    headroom: float | None
    """As of a verdict; after a loss never more than the same node had before it. None: not known, or none runs on it."""
    is_at_least: bool
    """Whether the headroom is a lower bound: nothing that was tried was missed."""
    moment: datetime | None
    """When the load that decides began: as of a verdict."""
    storage_share_max: float | None
    """The largest share of its storage's time that they take in any moment in which all of them are known, by the lines that were
    found and with the burst factor: 1 is all of it. None where no line is known."""
    unknown_share: float | None = None
    """Of the time that they have in common, the share in which one or more of them are not known. None where none runs on it."""
    reason: Text
    """As of a verdict."""


class NodeLoss(Fact):
    """A node that is lost, and where its databases go."""

    node: Text
    """Its name."""
    databases: tuple[Text, ...]
    """Those that ran on it."""
    survives: bool | None
    """Whether the nodes that are left carry them all beside their own. None: it cannot be told."""
    headroom: float | None
    """The smallest headroom of the nodes that are left, in the arrangement that is carried; where the loss is not survived that of
    the node that was refused first, and below 1: so much of what would run there could be taken. None where it is not known."""
    is_at_least: bool
    """Whether the headroom is a lower bound."""
    limited_by: NodeLoad | None
    """The node with that headroom, and what would run there."""
    unplaced: tuple[Text, ...] | None
    """Databases without which the others are carried, of least weight by the lines; empty: all find a place. None: not known."""
    nodes: tuple[NodeLoad, ...]
    """What then runs on each node that is left, without those that find no place; where it is not known which these are, with
    all."""
    reason: Text
    """A sentence or two that a manager understands."""


class Failover(Fact):
    """Whether nodes with a storage each carry their databases, and those of any one node that is lost.

    The run's verdict is that on the node with the least headroom in normal work.
    """

    nodes: tuple[NodeLoad, ...]
    """In normal work, in the order in which they were named."""
    losses: tuple[NodeLoss, ...]
    """Each node lost alone, in the same order."""
    carries: bool | None
    """Whether each node carries what runs on it in normal work. None: it cannot be told of one, and no other one is refused."""
    survives: bool | None
    """Whether the loss of any one node is survived. None: it cannot be told of one, and no other one is not survived."""
    tightest: Text | None
    """The node that the verdict is on; None where nothing was measured."""
    reason: Text
    """A few sentences that a manager understands."""

    @property
    def answer(self) -> bool | None:
        """Whether all is well, in normal work and after any one loss."""
        both = (self.carries, self.survives)
        return False if False in both else None if None in both else True
