"""Demand of kept snapshots of a busy PostgreSQL, for tests: no figure here was measured, and each is easily worked out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from demand_snapshots import RESET, START, database, row, snapshot
from plimsoll.demand.kept import demand_of_kept
from plimsoll.facts import Database, Demand, IoCounters, KeptSnapshot

STEP_S = 600.0
STEPS = 6
SET = {"shared_buffers": "128MB", "work_mem": "4MB", "max_wal_size": "1GB", "checkpoint_timeout": "5min",
       "checkpoint_completion_target": "0.9", "wal_buffers": "4MB", "bgwriter_lru_maxpages": "100"}  # fmt: skip
TIMINGS = {
    "track_io_timing": "on",
    "track_wal_io_timing": "on",
    "wal_sync_method": "fdatasync",
    "fsync": "on",
}
GAINS: dict[str, float] = {
    "pg_stat_database.xact_commit": 5_400.0, "pg_stat_database.xact_rollback": 600.0, "pg_stat_database.blks_read": 60_000.0,
    "pg_stat_database.blks_hit": 540_000.0, "pg_stat_database.blk_read_time": 30_000.0,
    "pg_stat_database.tup_returned": 1_200_000.0, "pg_stat_database.tup_fetched": 300_000.0,
    "pg_stat_database.tup_inserted": 6_000.0, "pg_stat_database.tup_updated": 12_000.0,
    "pg_stat_database.tup_deleted": 600.0, "pg_stat_database.deadlocks": 0.0, "pg_stat_database.temp_files": 60.0,
    "pg_stat_database.temp_bytes": 60.0 * (64 << 20), "pg_stat_database.active_time": 1_200_000.0,
    "pg_stat_database.idle_in_transaction_time": 60_000.0, "pg_wal.written_bytes": float(600 << 20),
    "pg_stat_wal.wal_records": 600_000.0, "pg_stat_wal.wal_fpi": 30_000.0, "pg_stat_wal.wal_bytes": float(600 << 20),
    "pg_stat_wal.wal_buffers_full": 1_200.0, "pg_stat_bgwriter.buffers_clean": 6_000.0,
    "pg_stat_bgwriter.maxwritten_clean": 60.0, "pg_stat_bgwriter.buffers_alloc": 60_000.0,
}  # fmt: skip
"""What each counter gains in a step of ten minutes, of every release."""
CHECKPOINTS = {"timed": 1.0, "requested": 3.0, "write_ms": 240_000.0, "sync_ms": 8_000.0, "pages": 48_000.0}
OF_15: dict[str, float] = {
    "pg_stat_bgwriter.checkpoints_timed": CHECKPOINTS["timed"], "pg_stat_bgwriter.checkpoints_req": CHECKPOINTS["requested"],
    "pg_stat_bgwriter.checkpoint_write_time": CHECKPOINTS["write_ms"],
    "pg_stat_bgwriter.checkpoint_sync_time": CHECKPOINTS["sync_ms"],
    "pg_stat_bgwriter.buffers_checkpoint": CHECKPOINTS["pages"], "pg_stat_bgwriter.buffers_backend": 18_000.0,
    "pg_stat_bgwriter.buffers_backend_fsync": 12.0, "pg_stat_wal.wal_write": 6_600.0, "pg_stat_wal.wal_sync": 6_000.0,
    "pg_stat_wal.wal_write_time": 660.0, "pg_stat_wal.wal_sync_time": 12_000.0,
}  # fmt: skip
OF_18: dict[str, float] = {
    "pg_stat_checkpointer.num_timed": CHECKPOINTS["timed"], "pg_stat_checkpointer.num_requested": CHECKPOINTS["requested"],
    "pg_stat_checkpointer.num_done": CHECKPOINTS["timed"] + CHECKPOINTS["requested"],
    "pg_stat_checkpointer.write_time": CHECKPOINTS["write_ms"], "pg_stat_checkpointer.sync_time": CHECKPOINTS["sync_ms"],
    "pg_stat_checkpointer.buffers_written": CHECKPOINTS["pages"],
}  # fmt: skip


def gains(major: int) -> dict[str, float]:
    """All of them of a release."""
    return {**GAINS, **(OF_18 if major >= 18 else OF_15)}


def io_rows(steps: int) -> tuple[IoCounters, ...]:
    """Those of 18 after so many steps."""
    block = 8192

    def counted(backend: str, context: str = "normal", what: str = "relation", **each: float) -> IoCounters:
        return row(context, backend, what, **{name: round(value * steps) for name, value in each.items()})

    return (
        counted("client backend", reads=54_000, read_bytes=54_000 * block, read_time_ms=27_000, hits=540_000, evictions=54_000,
                writes=18_000, write_bytes=18_000 * block, write_time_ms=9_000, extends=600, extend_bytes=600 * block,
                extend_time_ms=600, fsyncs=12, fsync_time_ms=120),
        counted("client backend", "bulkread", reads=600, read_bytes=600 * 16 * block, read_time_ms=1_200, hits=0),
        counted("checkpointer", writes=48_000, write_bytes=48_000 * block, write_time_ms=12_000, fsyncs=240,
                fsync_time_ms=2_400),
        counted("background writer", writes=6_000, write_bytes=6_000 * block, write_time_ms=1_500, fsyncs=0),
        counted("client backend", what="wal", writes=6_600, write_bytes=600 << 20, write_time_ms=660, fsyncs=6_000,
                fsync_time_ms=12_000),
    )  # fmt: skip


def kept_snapshot(step: int, major: int = 18, of: Database | None = None, **changes: Any) -> KeptSnapshot:
    """The one after so many steps."""
    chosen = of or database(major, settings={**SET, **TIMINGS}, settings_defaults={"track_io_timing": "off"})
    io = io_rows(step) if major >= 18 else ()
    totals = {name: value * step for name, value in gains(major).items()}
    shot = snapshot(step * STEP_S, io, totals=totals, **changes)
    return KeptSnapshot(series="me@db/shop", database=chosen, snapshot=shot, collector="first")


def kept_demand(major: int = 18, restart_at: int | None = None, of: Database | None = None) -> Demand:
    """An hour of them; the server may have been restarted before that snapshot."""
    restarted = START + timedelta(seconds=((restart_at or 0) - 0.5) * STEP_S)
    series = (
        kept_snapshot(
            step,
            major,
            of,
            started_at=RESET if restart_at is None or step < restart_at else restarted,
        )
        for step in range(STEPS + 1)
    )
    found = demand_of_kept(series)
    assert found is not None, "there are several"
    return found
