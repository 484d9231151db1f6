"""Days of kept snapshots with rows, for tests of thinning: drawn from a seed, with all that thinning must not hide.

A restart, a setting that was changed and changed back, two hours without a collector, and another run of the collector.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from functools import cache

from demand_snapshots import RESET, START, database, row, snapshot
from plimsoll.databases import CountedRows
from plimsoll.demand.changed_rows import ChangedRows
from plimsoll.facts import KeptRows, KeptRowsKind, KeptSnapshot
from plimsoll.store import SqlStore

SERIES = "me@db/shop"
STEP_S = 600.0
PER_DAY = 144
_BLOCK = 8192
_SHARES = 3
_AWAY_STEPS = 12


class _Tables:
    """Tables that are made, written to and dropped."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._oid = 0
        self._counts: dict[int, tuple[int, int]] = {}
        self._changes: dict[KeptRowsKind, ChangedRows] = {}

    def go_on(self) -> None:
        while len(self._counts) < 8 or self._draw.random() < 0.05:
            self._oid += 1
            self._counts[self._oid] = (0, 0)
        if self._draw.random() < 0.03:
            del self._counts[self._draw.choice(list(self._counts))]
        for oid in self._draw.sample(list(self._counts), 3):
            scans, blocks = self._counts[oid]
            self._counts[oid] = (scans + self._draw.randint(1, 9), blocks + self._draw.randint(1, 999))

    def begin_anew(self) -> None:
        """The server was restarted: all counts begin at zero."""
        self._counts = dict.fromkeys(self._counts, (0, 0))
        self.other_collector()

    def other_collector(self) -> None:
        self._changes = {}

    def rows(self, kept: KeptSnapshot, number: int) -> list[KeptRows]:
        lines = [f"{oid}\tt{oid}\t{scans}\t{blocks}" for oid, (scans, blocks) in self._counts.items()]
        share = number % _SHARES
        sizes = [
            f"{oid}\t{_BLOCK * blocks}" for oid, (_, blocks) in self._counts.items() if oid % _SHARES == share
        ]
        seen = Counter(self._draw.choices(["IO\tDataFileRead", "Lock\ttuple"], k=self._draw.randint(1, 5)))
        waits = sorted(f"client backend\t{name}\t{count}" for name, count in seen.items())
        of_shares = {"shares": float(_SHARES), "share": float(share)}
        looks = {"looks": 600.0, "missed": 1.0}
        columns = ("backend_type", "wait_event_type", "wait_event", "seen")
        counted = (
            CountedRows("relations", ("oid", "name", "scans", "blks_read"), names=1, lines=lines),
            CountedRows("sizes", ("oid", "size_bytes"), lines=sizes, figures=of_shares),
            CountedRows("waits", columns, keys=3, lines=waits, figures=looks),
        )
        made: list[KeptRows] = []
        for one in counted:
            changes = self._changes.setdefault(one.kind, ChangedRows(one.kind))
            made.append(changes.kept_of(one, kept.snapshot.taken_at))
            changes.confirm()
        return made


@cache
def made_series(
    days: int, seed: int, series: str = SERIES
) -> tuple[tuple[KeptSnapshot, tuple[KeptRows, ...]], ...]:
    """One of each ten minutes, each with what is kept beside it; made once, as many tests begin with the same."""
    draw = random.Random(seed)
    restart, changed, away, other = sorted(draw.sample(range(20, days * PER_DAY - 20), 4))
    tables, found = _Tables(draw), list[tuple[KeptSnapshot, tuple[KeptRows, ...]]]()
    reads = commits = 0
    started_at, collector = RESET, "first"
    for number in range(days * PER_DAY):
        reads += draw.randint(10_000, 50_000) * (9 if draw.random() < 0.01 else 1)
        commits += 6_000
        tables.go_on()
        if number == restart:
            reads, commits, started_at = 7, 1, START + timedelta(seconds=number * STEP_S - 60)
            tables.begin_anew()
        if number == other:
            collector = "second"
            tables.other_collector()
        if away <= number < away + _AWAY_STEPS:
            continue
        shot = snapshot(
            number * STEP_S + draw.random(),
            (row(reads=reads, read_bytes=reads * _BLOCK, read_time_ms=reads * 0.5),),
            totals={"pg_stat_database.xact_commit": float(commits)},
            started_at=started_at,
            monotonic_s=None,
        )
        settings = {**database().settings, "work_mem": "8MB" if number == changed else "4MB"}
        kept = KeptSnapshot(
            series=series, database=database(settings=settings), snapshot=shot, collector=collector
        )
        found.append((kept, tuple(tables.rows(kept, number))))
    return tuple(found)


def keep_all(store: SqlStore, made: Sequence[tuple[KeptSnapshot, Sequence[KeptRows]]]) -> None:
    """Keeps them in a new store, which is not opened for each: that takes longer than to keep one."""
    store.keep_snapshot(*made[0])
    with store.kept_open():
        for kept, rows in made[1:]:
            store.keep_snapshot(kept, rows)
