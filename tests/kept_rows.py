"""Rows that a collector kept beside the snapshots of `kept_demand`, for tests: none was measured, each is easily worked out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from demand_snapshots import START, database
from kept_demand import SET, STEP_S, STEPS, TIMINGS, kept_snapshot
from plimsoll.databases import CountedRows
from plimsoll.demand.changed_rows import ChangedRows
from plimsoll.facts import Database, Demand, KeptRows, KeptRowsKind
from plimsoll.flows.snapshots import demand_of_series
from simulated import MemoryStore
from simulated import context as simulated_context

SERIES = "me@db/shop"
MIB = 1 << 20
STATEMENT_COLUMNS = (
    "calls", "rows", "plan_us", "exec_us", "read_us", "write_us", "shared_blks_hit", "shared_blks_read", "shared_blks_dirtied",
    "shared_blks_written", "temp_blks_read", "temp_blks_written", "wal_records", "wal_fpi", "wal_bytes",
)  # fmt: skip
RELATION_COLUMNS = ("scans", "blks_read", "blks_hit", "rows_inserted")
READS, SORTS, WRITES, INNER = "-7146210211045921234", "5551212", "90210", "777"
STATEMENTS: dict[str, dict[str, float]] = {
    READS: {"calls": 6_000, "exec_us": 300e6, "shared_blks_read": 45_000, "shared_blks_hit": 15_000},
    SORTS: {"calls": 60, "exec_us": 90e6, "shared_blks_read": 4_500, "temp_blks_read": 6_000, "temp_blks_written": 6_000},
    WRITES: {"calls": 6_000, "exec_us": 60e6, "wal_bytes": 400 * MIB, "wal_fpi": 20_000},
    INNER: {"calls": 12_000, "exec_us": 30e6, "shared_blks_read": 450},
}  # fmt: skip
"""What each statement gains in a step; the last of them runs within a function."""
HIDDEN = {"calls": 600.0, "exec_us": 120e6, "shared_blks_read": 50.0}
"""What those gain whose numbers this user may not see."""
ORDERS, ORDERS_KEY, ITEMS, IDLE = "16400", "16410", "16420", "16430"
RELATIONS: dict[str, tuple[tuple[str, str, str, str], dict[str, float]]] = {
    ORDERS: (("r", "public", "orders", "\\N"), {"scans": 60, "blks_read": 45_000, "blks_hit": 15_000}),
    ORDERS_KEY: (("i", "public", "orders_pkey", ORDERS), {"scans": 6_000, "blks_read": 9_000, "blks_hit": 81_000}),
    ITEMS: (("r", "public", "items", "\\N"), {"scans": 6, "blks_read": 6_000, "rows_inserted": 6_000}),
    IDLE: (("r", "public", "idle", "\\N"), {}),
}  # fmt: skip
SIZES = {ORDERS: (1000 * MIB, 0), ITEMS: (200 * MIB, 10 * MIB), IDLE: (8 * MIB, -MIB)}
"""How large a relation is at first, and what it gains in a step."""
SEEN: dict[tuple[str, str, str], int] = {
    ("client backend", "IO", "DataFileRead"): 900,
    ("client backend", "\\N", "\\N"): 300,
    ("client backend", "LWLock", "WALWrite"): 150,
    ("checkpointer", "IO", "DataFileSync"): 150,
}
"""In 600 looks of a step."""


Changes = dict[tuple[int, KeptRowsKind], CountedRows | None]
"""Rows in place of those of a step, by step and kind; None: none are kept with it."""


def statements(
    step: int, gains: Mapping[str, Mapping[str, float]] = STATEMENTS, forgotten: float = 2.0
) -> CountedRows:
    """All of them after so many steps."""
    lines = [
        "\t".join(
            ("10", "16384", query, "f" if query == INNER else "t", *_totals(STATEMENT_COLUMNS, each, step))
        )
        for query, each in gains.items()
    ]
    every = [*gains.values(), HIDDEN]
    figures = {f"all.{name}": step * sum(each.get(name, 0.0) for each in every) for name in STATEMENT_COLUMNS}
    columns = ("user_oid", "database_oid", "query_id", "is_top_level", *STATEMENT_COLUMNS)
    return CountedRows(
        "statements", columns, keys=4, lines=lines, figures={"forgotten": forgotten, **figures}, reset_at=None
    )


def relations(step: int) -> CountedRows:
    """All of them after so many steps."""
    lines = [
        "\t".join((oid, *names, *_totals(RELATION_COLUMNS, each, step)))
        for oid, (names, each) in RELATIONS.items()
    ]
    columns = ("oid", "relkind", "schema_name", "name", "table_oid", *RELATION_COLUMNS)
    return CountedRows("relations", columns, names=4, lines=lines)


def sizes(step: int) -> CountedRows:
    """Each is asked at every second step."""
    asked = [oid for number, oid in enumerate(SIZES) if number % 2 == step % 2]
    lines = [f"{oid}\t{SIZES[oid][0] + step * SIZES[oid][1]}" for oid in asked]
    return CountedRows("sizes", ("oid", "size_bytes"), lines=lines)


def waits(step: int) -> CountedRows:
    """Of the looks since the step before."""
    if not step:
        return CountedRows("waits", unknown="nobody has looked yet")
    lines = ["\t".join((*key, str(seen))) for key, seen in SEEN.items()]
    columns = ("backend_type", "wait_event_type", "wait_event", "seen")
    return CountedRows("waits", columns, keys=3, lines=lines, figures={"looks": 600.0, "missed": 0.0})


def _totals(columns: Iterable[str], gains: Mapping[str, float], step: int) -> list[str]:
    return [f"{gains.get(name, 0.0) * step:.0f}" for name in columns]


def rows_of(step: int) -> tuple[CountedRows, ...]:
    """Of each kind."""
    return statements(step), relations(step), sizes(step), waits(step)


class Kept:
    """A store that a collector filled for an hour; `changes` are put in place of a step's rows, by step and kind."""

    def __init__(
        self,
        changes: Changes | None = None,
        restart_at: int | None = None,
        of: Database | None = None,
    ) -> None:
        self.store = MemoryStore()
        settings = {**SET, **TIMINGS}
        chosen = of or database(18, settings=settings, settings_defaults={"track_io_timing": "off"})
        chains: dict[KeptRowsKind, ChangedRows] = {}
        for step in range(STEPS + 1):
            begun = {} if restart_at is None or step < restart_at else {"started_at": START}
            kept = kept_snapshot(step, 18, chosen, **begun)
            parts: list[KeptRows] = []
            for rows in rows_of(step):
                found = (changes or {}).get((step, rows.kind), rows)
                if found is not None:
                    chain = chains.setdefault(rows.kind, ChangedRows(rows.kind))
                    parts.append(chain.kept_of(found, kept.snapshot.taken_at))
                    chain.confirm()
            self.store.keep_snapshot(kept, parts)

    def demand(self, folder: Path, first: int = 0, last: int = STEPS) -> Demand:
        """What is made of it between two steps."""
        begin, end = (kept_snapshot(step).snapshot.taken_at for step in (first, last))
        with simulated_context(folder) as ctx:
            return demand_of_series(replace(ctx, store=self.store), SERIES, begin, end, rows=True)


def demand_with_rows(folder: Path, **words: Any) -> Demand:
    """The whole hour."""
    return Kept(**words).demand(folder)


SPAN_S = STEP_S * STEPS
