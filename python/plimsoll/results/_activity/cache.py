"""How much the server's own cache answered, and how fast its pages go out again."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.units import format_rate, format_share, format_us
from plimsoll.charts import Table
from plimsoll.demand.amounts import mean_us, plus
from plimsoll.facts import Demand
from plimsoll.results._activity._counts import Counts, ratio, said
from plimsoll.results._activity._section import ActivitySection
from plimsoll.results._blocks import Block, Grid

_SESSIONS = "client backend"


def _blocks(demand: Demand) -> list[Block]:
    rows = tuple(_rows(demand, Counts(demand)))
    return [Grid("Cache", Table(("cache", "value"), rows, (False, True)))]


def _rows(demand: Demand, counts: Counts) -> Iterator[tuple[str, str]]:
    read, hit = counts.of("pg_stat_database.blks_read"), counts.of("pg_stat_database.blks_hit")
    yield "shared_buffers", demand.database.settings.get("shared_buffers", "unknown")
    yield "blocks found in it", format_share(ratio(hit, plus(read, hit)))
    allocated = counts.per_s(counts.of("pg_stat_bgwriter.buffers_alloc"))
    yield "buffers taken for other blocks, per second", said(allocated)
    if demand.io:
        evicted = sum(row.evictions or 0 for row in demand.io if row.backend == _SESSIONS)
        yield "blocks that sessions pushed out of it, per second", format_rate(counts.per_s(evicted))
    each_ms = counts.of("pg_stat_database.blk_read_time")
    untimed = "unknown: track_io_timing was off" if each_ms is None else "none read"
    each_us = mean_us(each_ms, read)
    yield "mean time of a block that was read", untimed if each_us is None else format_us(each_us)
    cached = demand.cached_read_share
    elsewhere = "unknown: its host was not asked"
    yield "bytes read that the system's cache answered", elsewhere if cached is None else format_share(cached)


SECTION = ActivitySection(40, _blocks)
