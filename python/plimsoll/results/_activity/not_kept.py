"""What a demand does not hold at all."""

from __future__ import annotations

from plimsoll.facts import Demand, ServerRows
from plimsoll.results._activity._section import ActivitySection, unknown
from plimsoll.results._blocks import Block

_NOT_KEPT = "no such rows are with this demand, as a collector keeps them beside its snapshots"


def _blocks(demand: Demand) -> list[Block]:
    rows = demand.rows or ServerRows()
    found: list[Block] = []
    if not demand.relations and rows.relations is None:
        found.append(
            unknown("What single tables did", f"{_NOT_KEPT}; plimsoll advise --database watches them")
        )
    if rows.statements is None:
        found.append(unknown("What single statements did", f"{_NOT_KEPT}; pg_stat_statements has them"))
    return found


SECTION = ActivitySection(90, _blocks)
