"""I/O by who, on what and why (pg_stat_io): requests, bytes and their mean time."""

from __future__ import annotations

from plimsoll.base.units import format_bytes, format_rate, format_share, format_us
from plimsoll.charts import Table
from plimsoll.demand.amounts import mean_us
from plimsoll.facts import Demand, IoCounters
from plimsoll.results._activity._counts import Counts, ratio, said
from plimsoll.results._activity._section import ActivitySection, unknown
from plimsoll.results._blocks import Block, Grid

_FIRST_MAJOR, _COUNTS_REQUESTS = 16, 18
_NOT_DONE = "–"
"""Where this combination does no such I/O, or did none in this time."""
_WHO = ("who", "on", "context")


def _blocks(demand: Demand) -> list[Block]:
    counts = Counts(demand)
    if not demand.io:
        return [unknown("I/O by backend, object and context", _why(counts.major))]
    what = "requests" if counts.major >= _COUNTS_REQUESTS else "blocks, whatever one request moved"
    return [
        Grid(f"Reads by backend, object and context (pg_stat_io); counted in {what}", _reads(demand, counts)),
        Grid("Writes and fsyncs (pg_stat_io)", _writes(demand, counts)),
        *_extensions(demand, counts),
    ]


def _why(major: int) -> str:
    if major < _FIRST_MAJOR:
        return f"PostgreSQL {major} has no pg_stat_io, which is there from {_FIRST_MAJOR} on"
    return "the time holds two releases of the server, which count differently"


def _reads(demand: Demand, counts: Counts) -> Table:
    rows = sorted((row for row in demand.io if row.reads or row.hits), key=lambda row: -(row.read_bytes or 0))
    told = tuple(
        (
            *_who(row),
            _rate(counts, row.reads),
            _bytes(counts, row.read_bytes),
            _mean_time(row.read_time_ms, row.reads),
            _rate(counts, row.hits),
            _hit_share(row, counts.block_bytes),
            _rate(counts, row.evictions),
        )
        for row in rows
    )
    columns = (*_WHO, "reads per s", "bytes per s", "mean time", "hits per s", "hit share", "evictions per s")
    return Table(columns, told, _numeric(6), ("evictions per s", "hits per s"))


def _writes(demand: Demand, counts: Counts) -> Table:
    rows = sorted(
        (row for row in demand.io if row.writes or row.fsyncs), key=lambda row: -(row.write_bytes or 0)
    )
    told = tuple(
        (
            *_who(row),
            _rate(counts, row.writes),
            _bytes(counts, row.write_bytes),
            _mean_time(row.write_time_ms, row.writes),
            _rate(counts, row.fsyncs),
            _mean_time(row.fsync_time_ms, row.fsyncs),
        )
        for row in rows
    )
    columns = (*_WHO, "writes per s", "bytes per s", "mean time", "fsyncs per s", "mean fsync")
    return Table(columns, told, _numeric(5))


def _extensions(demand: Demand, counts: Counts) -> list[Block]:
    rows = sorted((row for row in demand.io if row.extends), key=lambda row: -(row.extend_bytes or 0))
    told = tuple(
        (
            *_who(row),
            _rate(counts, row.extends),
            _bytes(counts, row.extend_bytes),
            _mean_time(row.extend_time_ms, row.extends),
        )
        for row in rows
    )
    table = Table((*_WHO, "extensions per s", "bytes per s", "mean time"), told, _numeric(3))
    return [Grid("Files made longer (pg_stat_io)", table)] if told else []


def _who(row: IoCounters) -> tuple[str, str, str]:
    return row.backend, row.object, row.context


def _hit_share(row: IoCounters, block_bytes: int) -> str:
    """Of blocks: a request of 18 may read several."""
    blocks_read = (row.read_bytes or 0) / block_bytes
    return _NOT_DONE if row.hits is None else format_share(ratio(row.hits, row.hits + blocks_read))


def _rate(counts: Counts, count: int | None) -> str:
    return _NOT_DONE if count is None else said(counts.per_s(count), format_rate)


def _bytes(counts: Counts, count: int | None) -> str:
    return _NOT_DONE if count is None else said(counts.per_s(count), format_bytes)


def _mean_time(time_ms: float | None, count: int | None) -> str:
    return format_us(mean_us(time_ms, count)) if count else _NOT_DONE


def _numeric(figures: int) -> tuple[bool, ...]:
    return (*(False for _ in _WHO), *(True,) * figures)


SECTION = ActivitySection(50, _blocks)
