"""A database's counters at a moment, as they stand: running totals, never rates."""

from __future__ import annotations

from datetime import datetime

from plimsoll.facts._fact import Fact


class IoCounters(Fact):
    """Totals of one kind of I/O. None where this server does not count it."""

    backend: str
    """Who did it: client backend, checkpointer, walwriter, autovacuum worker …"""
    object: str
    """relation, temp relation, wal."""
    context: str
    """normal, bulkread, bulkwrite, vacuum, init."""
    reads: int | None = None
    """Reads."""
    read_bytes: int | None = None
    """Bytes read."""
    read_time_ms: float | None = None
    """Time in reads, in milliseconds."""
    writes: int | None = None
    """Writes."""
    write_bytes: int | None = None
    """Bytes written."""
    write_time_ms: float | None = None
    """Time in writes, in milliseconds."""
    extends: int | None = None
    """Times a file was made longer."""
    extend_bytes: int | None = None
    """Bytes by which files were made longer."""
    extend_time_ms: float | None = None
    """Time in that, in milliseconds."""
    fsyncs: int | None = None
    """Calls that made a file durable."""
    fsync_time_ms: float | None = None
    """Time in these, in milliseconds."""
    hits: int | None = None
    """Blocks found in the server's own cache."""
    evictions: int | None = None
    """Blocks pushed out of that cache for others."""
    reuses: int | None = None
    """Times a buffer of a ring was used again."""


class RelationCounters(Fact):
    """Block reads and hits of one table with its indexes and TOAST, in blocks."""

    schema_name: str
    """Its schema."""
    name: str
    """The table's name."""
    heap_blocks_read: int
    """Blocks of its rows that were not in the server's cache."""
    heap_blocks_hit: int
    """Blocks of its rows that were."""
    index_blocks_read: int
    """Blocks of its indexes that were not in the server's cache."""
    index_blocks_hit: int
    """Blocks of its indexes that were."""
    rows_inserted: int
    """Rows inserted."""
    rows_updated: int
    """Rows updated."""
    rows_deleted: int
    """Rows deleted."""
    sequential_scans: int
    """Times it was read from end to end."""
    index_scans: int | None = None
    """Times one of its indexes was used; None where it has none."""
    rows_hot_updated: int | None = None
    """Rows updated within their block, so that no index had to be told (HOT)."""
    rows_scanned: int | None = None
    """Rows that were read from end to end of the table."""
    rows_live: int | None = None
    """Rows that it has, by the server's estimate: those of the second snapshot, and no difference."""
    rows_dead: int | None = None
    """Old versions of rows that it has, by the server's estimate: those of the second snapshot, and no difference."""


class Snapshot(Fact):
    """One reading. `taken_at` is the server's own clock; `clock_offset_s` is the server's clock minus ours."""

    taken_at: datetime
    clock_offset_s: float
    """The server's clock minus ours, in seconds."""
    clock_offset_error_s: float
    """Half the round trip: the offset is known no better than this."""
    started_at: datetime
    """When the server started; a change means a restart, and totals of before and after cannot be subtracted."""
    system_identifier: str
    resets: dict[str, datetime | None]
    """When each group of counters was last set to zero, by the name of its view; None: never."""
    totals: dict[str, float | None]
    """Server-wide totals by `view.column`."""
    io: tuple[IoCounters, ...]
    """Empty where the server has no pg_stat_io (before 16)."""
    relations: tuple[RelationCounters, ...] = ()
    """Each table of the connected database; empty where they were not asked for."""
    moment: dict[str, float | None] = {}
    """Values of this moment that are no totals: databases, sessions, transaction_age_s_max, long_transactions, and
    running_age_s_max, the age of the oldest transaction that is at work; of PostgreSQL in_recovery, 1 of a standby."""
    monotonic_s: float | None = None
    """Our own monotonic clock at `taken_at`; with it a step of either wall clock can be told from time that passed."""
    statistics_lag_s: float = 0.0
    """How old the server's counters may be when it answers, beyond what its sessions have not handed in yet."""
    cost_s: float | None = None
    """How long this reading took: our own load on the server."""
    database_oids: tuple[int, ...] = ()
    """Numbers of the server's databases: one that is gone took its counters with it. Empty where the server has no such numbers."""
