"""Snapshots for tests, from counters that grow by known steps: no figure here was measured."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from plimsoll.facts import Database, IoCounters, Snapshot

START = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
RESET = START - timedelta(days=30)
VIEWS = ("pg_stat_database", "pg_stat_wal", "pg_stat_bgwriter", "pg_stat_io")


def database(major: int = 18, **changes: Any) -> Database:
    """A PostgreSQL of that version on direct I/O where it can be."""
    base: dict[str, Any] = {
        "kind": "postgresql",
        "version": f"{major}.1",
        "version_number": major * 10000 + 1,
        "location": "db.example",
        "name": "shop",
        "block_bytes": 8192,
        "direct_io": major >= 16,
        "io_timing": True,
        "settings": {"track_wal_io_timing": "on", "wal_sync_method": "fdatasync", "fsync": "on"},
    }
    return Database(**{**base, **changes})


def snapshot(at_s: float, io: tuple[IoCounters, ...] = (), **changes: Any) -> Snapshot:
    """A snapshot so many seconds after the start; `totals` are added to a few that stand still."""
    base: dict[str, Any] = {
        "taken_at": START + timedelta(seconds=at_s),
        "clock_offset_s": 0.0,
        "clock_offset_error_s": 0.0005,
        "started_at": RESET,
        "system_identifier": "42",
        "resets": dict.fromkeys(VIEWS, RESET),
        "totals": {},
        "io": io,
        "moment": {
            "databases": 3.0,
            "sessions": 10.0,
            "transaction_age_s_max": 0.0,
            "long_transactions": 0.0,
        },
        "monotonic_s": 1000.0 + at_s,
    }
    totals = {"pg_stat_database.temp_bytes": 0.0, **changes.pop("totals", {})}
    return Snapshot(**{**base, "totals": totals, **changes})


def row(
    context: str = "normal", backend: str = "client backend", what: str = "relation", **counts: Any
) -> IoCounters:
    """One row of pg_stat_io."""
    return IoCounters(backend=backend, object=what, context=context, **counts)
