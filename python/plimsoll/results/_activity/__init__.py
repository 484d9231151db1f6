"""What a PostgreSQL counted over the span of a demand, as a DBA knows it from a report of two snapshots.

Each file is a section of it, which terminal and page show alike. A figure that is not known is told with its reason.
"""

from __future__ import annotations

import sys

from plimsoll.base import registry
from plimsoll.facts import Demand
from plimsoll.results._activity._section import ActivitySection
from plimsoll.results._blocks import Block


def is_told(demand: Demand) -> bool:
    """Whether the server's counts came with the demand; other databases count other things."""
    return bool(demand.counts) and demand.database.kind == "postgresql" and demand.mean is not None


def sections() -> dict[str, ActivitySection]:
    """Every section by its name, in the order in which they are read."""
    room = sys.modules[__name__]
    found = {name: registry.load(room, name, "SECTION") for name in registry.names(room)}
    return dict(sorted(found.items(), key=lambda item: item[1].rank))


def blocks(demand: Demand) -> list[Block]:
    """All sections; none where nothing was counted."""
    if not is_told(demand):
        return []
    return [block for section in sections().values() for block in section.blocks(demand)]
