"""What a demand does not hold at all."""

from __future__ import annotations

from plimsoll.facts import Demand
from plimsoll.results._activity._section import ActivitySection, unknown
from plimsoll.results._blocks import Block


def _blocks(demand: Demand) -> list[Block]:
    elsewhere = "rows kept beside the counters, and pg_stat_statements, do"
    found = [unknown("What single statements did", f"a demand does not hold it; {elsewhere}")]
    if not demand.relations:
        how = "plimsoll advise --database watches them"
        found.insert(0, unknown("What single tables did", f"a demand does not hold it; {how}"))
    return found


SECTION = ActivitySection(90, _blocks)
