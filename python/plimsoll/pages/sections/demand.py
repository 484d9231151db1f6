"""The demand: what the database asked of storage, by class, over time and at its peak."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll import charts
from plimsoll.base.units import format_mb, format_rate, format_seconds, format_us
from plimsoll.charts import Subject, Table
from plimsoll.facts import ClassDemand, Demand, DemandInterval, RelationCounters
from plimsoll.pages._say import bytes_text, counted, instant, name, percent, product
from plimsoll.pages._section import Section
from plimsoll.results import Block, Figure, Grid, Words

TABLES_MAX = 12


def applies(subject: Subject) -> bool:
    """Whether a demand is part of the run."""
    return subject.run.demand is not None


def blocks(subject: Subject) -> list[Block]:
    """Where it comes from, the chart, and the classes at the peak."""
    demand = subject.run.demand
    assert demand is not None
    found: list[Block] = [Words(_source(demand))]
    if charts.load("demand-over-time").applies(subject):
        found.append(Figure("demand-over-time"))
    if demand.peak is not None and demand.peak.classes:
        found.append(
            Grid(
                f"The classes in the busiest interval, from {instant(demand.peak.begin_time)}",
                _table(demand.peak),
            )
        )
        found += _idle(demand.peak)
    return found + _tables(demand.relations)


def _source(demand: Demand) -> str:
    database = demand.database
    factor = (
        f" A burst factor of {demand.burst_factor:g} was given." if demand.burst_factor is not None else ""
    )
    direct = {
        True: "It bypasses the operating system's cache, so each read it counts is a read of the storage.",
        False: "It reads through the operating system's cache, so some of the reads it counts never reached the storage.",
        None: "Whether it bypasses the operating system's cache is unknown.",
    }[database.direct_io]
    return (
        f"{product(database)}, database {database.name} ({database.location}), in {counted(len(demand.intervals), 'interval')} of "
        f"{format_seconds(demand.resolution_s)}. {direct}{factor}"
    )


def _table(peak: DemandInterval) -> Table:
    """The classes that were asked for, and those of which it is unknown."""
    columns = ("class", "I/Os per s", "MB per s", "average size", "mean latency", "syncs per s", "counted by")
    rows = tuple(_row(str(label), demand) for label, demand in peak.classes.items() if demand.ops_per_s != 0)
    total = ("all", format_rate(peak.iops), format_mb(peak.mb_per_s), "", "", "", "")
    return Table(columns, (*rows, total), (False, True, True, True, True, True, False))


def _idle(peak: DemandInterval) -> list[Block]:
    idle = [name(str(label)) for label, demand in peak.classes.items() if demand.ops_per_s == 0]
    return [Words(f"Nothing was asked for in: {', '.join(idle)}.")] if idle else []


def _row(label: str, demand: ClassDemand) -> tuple[str, ...]:
    mb = None if demand.bytes_per_s is None else demand.bytes_per_s / 1e6
    size = demand.mean_bytes
    syncs = format_rate(demand.syncs_per_s) if label == "redo_write" else ""
    figures = (
        format_mb(mb),
        bytes_text(None if size is None else round(size)),
        format_us(demand.latency_us_mean),
    )
    return (name(label), format_rate(demand.ops_per_s), *figures, syncs, demand.source)


def _tables(relations: Sequence[RelationCounters]) -> list[Block]:
    """The tables that read most blocks, where they were asked for."""
    if not relations:
        return []
    columns = ("table", "heap blocks read", "index blocks read", "found in cache", "rows changed")
    rows = tuple(_table_row(relation) for relation in relations[:TABLES_MAX])
    return [
        Grid(
            "The tables that read most blocks, over the whole span",
            Table(columns, rows, (False, *(True,) * 4)),
        )
    ]


def _table_row(relation: RelationCounters) -> tuple[str, ...]:
    read = relation.heap_blocks_read + relation.index_blocks_read
    hit = relation.heap_blocks_hit + relation.index_blocks_hit
    changed = relation.rows_inserted + relation.rows_updated + relation.rows_deleted
    found = percent(hit / (read + hit)) if read + hit else "none asked for"
    counts = (f"{relation.heap_blocks_read:,}", f"{relation.index_blocks_read:,}", found, f"{changed:,}")
    return (f"{relation.schema_name}.{relation.name}", *counts)


SECTION = Section("The demand", "What the database asked of storage, by class.", 40, applies, blocks)
