"""What processes waited for, by the looks of a second each that a collector took between the snapshots."""

from __future__ import annotations

from plimsoll.base import limits
from plimsoll.base.units import format_rate, format_share
from plimsoll.charts import Table
from plimsoll.facts import Demand, SeenWait, SeenWaits
from plimsoll.results._activity._section import ActivitySection, nobody, unknown
from plimsoll.results._blocks import Block, Grid, Points

_TITLE = "What processes at work waited for"
_SHOWN_MAX = 2 * limits.TOP_ROWS
_NO_WAIT = "nothing: a CPU, or ready for one"


def _blocks(demand: Demand) -> list[Block]:
    waits = None if demand.rows is None else demand.rows.waits
    if waits is None:
        return []
    if not waits.looks:
        return [unknown(_TITLE, "; ".join(waits.unknown) or "each look failed")]
    if not waits.seen:
        return [nobody(_TITLE, f"{waits.looks:,} looks between the snapshots"), *_not_looked(waits)]
    columns = ("process", "wait", "on average", "share")
    caption = f"{_TITLE}, in {waits.looks:,} looks between the snapshots"
    table = Table(columns, _rows(waits), (False, False, True, True))
    return [Grid(caption, table), *_not_looked(waits)]


def _rows(waits: SeenWaits) -> tuple[tuple[str, ...], ...]:
    shown = waits.waits[:_SHOWN_MAX]
    rows = [_row(one.backend_type, _event(one), one.seen, waits) for one in shown]
    rest = waits.seen - sum(one.seen for one in shown)
    if rest > 0:
        rows.append(_row("all others", "", rest, waits))
    return tuple(rows)


def _row(who: str, event: str, seen: int, waits: SeenWaits) -> tuple[str, ...]:
    return who, event, format_rate(seen / waits.looks), format_share(seen / waits.seen)


def _event(one: SeenWait) -> str:
    return _NO_WAIT if one.wait_event_type is None else f"{one.wait_event_type}: {one.wait_event}"


def _not_looked(waits: SeenWaits) -> list[Block]:
    lacks = [f"{waits.missed:,} looks failed"] if waits.missed else []
    if waits.unknown:
        lacks.append(f"between some snapshots nobody looked: {'; '.join(waits.unknown)}")
    return [Points((("What is not seen of waits", f"{'; '.join(lacks)}."),))] if lacks else []


SECTION = ActivitySection(35, _blocks)
