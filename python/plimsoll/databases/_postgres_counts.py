"""What PostgreSQL counted between two snapshots, in the words that all databases share."""

from __future__ import annotations

from typing import Any

from plimsoll.databases._kind import ServerCounts
from plimsoll.facts import IoCounters, Snapshot

_SESSIONS = "client backend"
_MS_PER_S = 1000.0


def counted(before: Snapshot, after: Snapshot, timed: bool = True) -> ServerCounts:
    """The differences. From 18 on writes of the log are those of sessions alone, before that of all.

    Without `timed` the server did not time them, and its zeros mean that it is unknown.
    """
    totals = {name: _less(after.totals.get(name), before.totals.get(name)) for name in after.totals}
    read_ms = totals.get("pg_stat_database.blk_read_time")
    log: dict[str, Any] = (
        _log_of_sessions(before, after) if _counts_log_by_backend(after) else _log_of_all(totals)
    )
    if not timed:
        log |= dict.fromkeys(("log_write_s", "log_sync_s", "log_segment_s"))
    return ServerCounts(
        commits=totals.get("pg_stat_database.xact_commit"),
        block_reads=totals.get("pg_stat_database.blks_read"),
        block_hits=totals.get("pg_stat_database.blks_hit"),
        block_read_s=None if read_ms is None else read_ms / _MS_PER_S,
        log_bytes=totals.get("pg_wal.written_bytes"),
        full_page_images=totals.get("pg_stat_wal.wal_fpi"),
        checkpoints=_checkpoints(totals),
        calls_commit=True,
        **log,
    )


def _checkpoints(totals: dict[str, float | None]) -> float | None:
    """Those by time and those by demand; from 17 on in a view of their own."""
    for names in (("pg_stat_checkpointer.num_timed", "pg_stat_checkpointer.num_requested"),
                  ("pg_stat_bgwriter.checkpoints_timed", "pg_stat_bgwriter.checkpoints_req")):  # fmt: skip
        counts = [totals.get(name) for name in names]
        if None not in counts:
            return sum(count or 0.0 for count in counts)
    return None


def _counts_log_by_backend(snapshot: Snapshot) -> bool:
    return any(row.object == "wal" for row in snapshot.io)


def _log_of_sessions(before: Snapshot, after: Snapshot) -> dict[str, float | None]:
    first, last = _log_row(before, "normal"), _log_row(after, "normal")
    columns = ("writes", "write_time_ms", "fsyncs", "fsync_time_ms")
    writes, write_ms, syncs, sync_ms = (_grown(first, last, column) for column in columns)
    first, last = _log_row(before, "init"), _log_row(after, "init")
    made = [_grown(first, last, column) for column in ("write_time_ms", "fsync_time_ms")]
    segment_ms = None if None in made else sum(part or 0.0 for part in made)
    return _named(writes, write_ms, syncs, sync_ms) | {
        "log_segment_s": None if segment_ms is None else segment_ms / _MS_PER_S
    }


def _log_row(snapshot: Snapshot, context: str) -> IoCounters | None:
    """What sessions did to the log; in the context `init` they make new segments of it."""
    rows = (row for row in snapshot.io if row.backend == _SESSIONS and row.object == "wal")
    return next((row for row in rows if row.context == context), None)


def _grown(first: IoCounters | None, last: IoCounters | None, column: str) -> float | None:
    """Rows appear when something of their kind first happens."""
    if last is None:
        return 0.0
    return _less(getattr(last, column), 0.0 if first is None else getattr(first, column))


def _log_of_all(totals: dict[str, float | None]) -> dict[str, float | None]:
    columns = ("wal_write", "wal_write_time", "wal_sync", "wal_sync_time")
    return _named(*(totals.get(f"pg_stat_wal.{column}") for column in columns))


def _named(
    writes: float | None, write_ms: float | None, syncs: float | None, sync_ms: float | None
) -> dict[str, float | None]:
    return {
        "log_writes": writes,
        "log_write_s": None if write_ms is None else write_ms / _MS_PER_S,
        "log_syncs": syncs,
        "log_sync_s": None if sync_ms is None else sync_ms / _MS_PER_S,
    }


def _less(after: float | None, before: float | None) -> float | None:
    return None if after is None or before is None else after - before
