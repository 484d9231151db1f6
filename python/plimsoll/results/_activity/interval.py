"""The head of the report: which server, from when to when, and what of that time is not known."""

from __future__ import annotations

from plimsoll.base.units import format_seconds, format_share
from plimsoll.charts import Table
from plimsoll.facts import Demand, DemandInterval
from plimsoll.results._activity._counts import Counts
from plimsoll.results._activity._section import ActivitySection
from plimsoll.results._blocks import Block, Grid

_GAPS_MAX = 20


def _blocks(demand: Demand) -> list[Block]:
    database, first, last = demand.database, demand.intervals[0], demand.intervals[-1]
    span_s = sum(one.duration_s for one in demand.intervals)
    known_s = Counts(demand).seconds
    gaps = [one for one in demand.intervals if one.gap is not None]
    known = "all of it" if not gaps else f"{format_seconds(known_s)}, {format_share(known_s / span_s)} of it"
    rows = (
        ("server", f"PostgreSQL {database.version} at {database.location}"),
        ("system identifier", database.system_identifier or "unknown"),
        ("from", _instant(first, "begin_time")),
        ("to", _instant(last, "end_time")),
        ("length", format_seconds(span_s)),
        ("known", known),
        ("snapshots", f"{len(demand.intervals) + 1:,}, one in {format_seconds(demand.resolution_s)}"),
        ("restarts, resets and other gaps", f"{len(gaps):,}" if gaps else "none"),
    )
    head = Grid(
        "The interval; all databases of the server together", Table(("what", "value"), rows, (False, False))
    )
    return [head, *_gaps(gaps)]


def _gaps(gaps: list[DemandInterval]) -> list[Block]:
    if not gaps:
        return []
    rows = tuple(
        (_instant(one, "begin_time"), format_seconds(one.duration_s), one.gap or "")
        for one in gaps[:_GAPS_MAX]
    )
    few = f"The first {_GAPS_MAX} of {len(gaps):,} times" if len(gaps) > _GAPS_MAX else "Times"
    caption = f"{few} of which nothing is known, and that are in no figure"
    return [Grid(caption, Table(("from", "length", "reason"), rows, (False, True, False)))]


def _instant(one: DemandInterval, which: str) -> str:
    moment = getattr(one, which)
    return f"{moment:%Y-%m-%d %H:%M:%S %Z}".strip()


SECTION = ActivitySection(10, _blocks)
