"""What snapshots do not hold at all."""

from __future__ import annotations

from plimsoll.facts import Demand
from plimsoll.results._activity._section import ActivitySection, unknown
from plimsoll.results._blocks import Block


def _blocks(demand: Demand) -> list[Block]:
    found = [unknown("What single statements did", "snapshots do not hold it; see pg_stat_statements")]
    if not demand.relations:
        how = "plimsoll advise --database watches them"
        found.insert(0, unknown("What single tables did", f"snapshots do not hold it; {how}"))
    return found


SECTION = ActivitySection(90, _blocks)
