"""What the server did: in all, by the second and by the transaction."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.units import format_bytes, format_rate
from plimsoll.charts import Table
from plimsoll.demand.amounts import times
from plimsoll.facts import Demand
from plimsoll.results._activity._counts import Counts, Format, said, said_each, whole
from plimsoll.results._activity._section import ActivitySection
from plimsoll.results._blocks import Block, Grid

_COUNTED = (
    ("commits", "pg_stat_database.xact_commit"),
    ("rollbacks", "pg_stat_database.xact_rollback"),
    ("blocks read", "pg_stat_database.blks_read"),
    ("blocks found in shared_buffers", "pg_stat_database.blks_hit"),
    ("rows returned by scans", "pg_stat_database.tup_returned"),
    ("rows fetched by indexes", "pg_stat_database.tup_fetched"),
    ("rows inserted", "pg_stat_database.tup_inserted"),
    ("rows updated", "pg_stat_database.tup_updated"),
    ("rows deleted", "pg_stat_database.tup_deleted"),
    ("deadlocks", "pg_stat_database.deadlocks"),
    ("temporary files", "pg_stat_database.temp_files"),
)
_Row = tuple[str, float | None, Format]


def _blocks(demand: Demand) -> list[Block]:
    counts = Counts(demand)
    rows = tuple(_row(counts, *one) for one in _rows(counts))
    columns = ("load profile", "per second", "per transaction", "in all")
    return [Grid("Load profile", Table(columns, rows, (False, True, True, True)))]


def _rows(counts: Counts) -> Iterator[_Row]:
    yield "transactions", counts.transactions, format_rate
    for label, name in _COUNTED:
        yield label, counts.of(name), format_rate
    yield "bytes read", times(counts.of("pg_stat_database.blks_read"), counts.block_bytes), format_bytes
    yield "bytes of temporary files", counts.of("pg_stat_database.temp_bytes"), format_bytes
    yield "bytes of WAL", counts.of("pg_wal.written_bytes", "pg_stat_wal.wal_bytes"), format_bytes
    yield "checkpoints", counts.checkpoints, format_rate


def _row(counts: Counts, label: str, total: float | None, words: Format) -> tuple[str, ...]:
    in_all = whole if words is format_rate else words
    each = said_each(total, counts.transactions, words)
    return label, said(counts.per_s(total), words), each, said(total, in_all)


SECTION = ActivitySection(20, _blocks)
