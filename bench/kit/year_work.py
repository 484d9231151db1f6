"""Fills a store with a year of snapshots of three databases, day by day, thinned as days go by: the work before `bench/year.py`.

`year_work.py PLACE DAYS RELATIONS` does it by itself and prints how long it took; a store of fewer days, made with as many
relations, is gone on with.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from plimsoll.context import Cancel, Context, LocalExecutor, Scratch
from plimsoll.databases import CountedRows
from plimsoll.demand.changed_rows import ChangedRows
from plimsoll.facts import Database, IoCounters, KeptRows, KeptRowsKind, KeptSnapshot, Snapshot
from plimsoll.flows.kept_days import Ages, Thinner, by_clock
from plimsoll.ports.clock import VirtualClock
from plimsoll.store import open_store
from plimsoll.store import snapshots as kept_snapshots

DATABASES, PER_DAY, STEP_S = 3, 144, 600.0
_PER_HOUR = 6
BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
_BLOCK = 8_192
_NUMBERS = ("scans", "rows_returned", "rows_fetched", "blks_read", "blks_hit", "rows_inserted", "rows_updated",
            "rows_hot_updated", "rows_deleted", "vacuums", "autovacuums", "analyzes", "autoanalyzes")  # fmt: skip
_COLUMNS = ("oid", "relkind", "schema_name", "name", "table_oid", *_NUMBERS)
_BACKENDS = ("client backend", "background writer", "checkpointer", "autovacuum worker", "walwriter")
_CONTEXTS = ("normal", "vacuum", "bulkread", "bulkwrite")
_TOTALS = tuple(f"pg_stat_database.counter_{number}" for number in range(50))
_SETTINGS = {f"setting_{number}": str(number * 128) for number in range(25)} | {
    "track_io_timing": "on",
    "track_wal_io_timing": "on",
    "wal_sync_method": "fdatasync",
    "fsync": "on",
}


class Made:
    """One database, whose counters go on from snapshot to snapshot with the hour and the weekday. All of its relations are busy."""

    def __init__(self, number: int, relations: int) -> None:
        self.series = f"monitor@db{number}.example:5432/shop"
        self._draw = np.random.default_rng(number)
        self._number = number
        self._rows = np.zeros((relations, len(_NUMBERS)), dtype=np.int64)
        self._io = np.zeros(len(_BACKENDS) * len(_CONTEXTS), dtype=np.int64)
        self._totals = np.zeros(len(_TOTALS), dtype=np.int64)
        kinds: tuple[KeptRowsKind, ...] = ("relations", "sizes", "waits")
        self._changes = {kind: ChangedRows(kind) for kind in kinds}
        self._weights = self._draw.pareto(1.2, size=relations) + 0.1

    def day(self, day: int) -> Iterator[tuple[KeptSnapshot, list[KeptRows]]]:
        """Its snapshots, each with its rows."""
        for step in range(PER_DAY):
            at = BEGIN + timedelta(days=day, seconds=step * STEP_S + float(self._draw.random()))
            self._go_on(day, step)
            kept = self._snapshot(at)
            yield kept, [self._kept(rows, at) for rows in self._counted(step)]

    def skip(self, day: int) -> None:
        """Goes on as a day does, and makes nothing of it."""
        for step in range(PER_DAY):
            self._draw.random()
            self._go_on(day, step)
            self._seen()

    def _go_on(self, day: int, step: int) -> None:
        hour = step * STEP_S / 3_600.0
        busy = (1.2 + np.sin((hour - 9) / 24 * 2 * np.pi)) * (0.5 if day % 7 >= 5 else 1.0) * (1 + day / 400)
        busy *= 6.0 if self._draw.random() < 0.01 else self._draw.uniform(0.8, 1.2)
        self._io += self._draw.poisson(200_000 * busy / len(self._io), size=len(self._io))
        self._totals += self._draw.poisson(50_000 * busy, size=len(_TOTALS))
        self._rows += 1 + self._draw.poisson(100 * busy * self._weights[:, None], size=self._rows.shape)

    def _snapshot(self, at: datetime) -> KeptSnapshot:
        places = [(backend, context) for backend in _BACKENDS for context in _CONTEXTS]
        io = tuple(
            IoCounters(
                backend=backend, object="relation", context=context, reads=reads, read_bytes=reads * _BLOCK,
                read_time_ms=reads * 0.4, writes=reads // 3, write_bytes=reads // 3 * _BLOCK, write_time_ms=reads * 0.1,
                extends=reads // 50, extend_bytes=reads // 50 * _BLOCK, hits=reads * 9, evictions=reads // 2,
            )
            for (backend, context), reads in zip(places, self._io.tolist(), strict=True)
        )  # fmt: skip
        totals: dict[str, float | None] = dict(zip(_TOTALS, map(float, self._totals.tolist()), strict=True))
        totals |= {"pg_stat_database.xact_commit": float(self._totals[0]), "pg_stat_database.temp_bytes": 0.0}
        began = BEGIN - timedelta(days=9)
        shot = Snapshot(
            taken_at=at, clock_offset_s=0.001, clock_offset_error_s=0.0005, started_at=began,
            system_identifier=str(7_300_000_000 + self._number), resets={"pg_stat_database": began, "pg_stat_io": began},
            totals=totals, io=io, moment={"databases": 3.0, "sessions": 40.0, "sessions_active": 7.0},
            monotonic_s=(at - BEGIN).total_seconds(), database_oids=(1, 4, 5, 16384),
        )  # fmt: skip
        database = Database(
            kind="postgresql", version="18.1", version_number=180001, location=self.series, name=f"shop{self._number}",
            system_identifier=shot.system_identifier, block_bytes=_BLOCK, direct_io=False, io_timing=True,
            settings=_SETTINGS,
        )  # fmt: skip
        return KeptSnapshot(
            series=self.series, database=database, snapshot=shot, collector="20250101-000000-aaaaaa"
        )

    def _counted(self, step: int) -> Iterator[CountedRows]:
        counts = self._rows.tolist()
        lines = [
            f"{16_384 + oid}\tr\tpublic\ttable_{oid:05}\t\\N\t" + "\t".join(map(str, row))
            for oid, row in enumerate(counts)
        ]
        yield CountedRows("relations", _COLUMNS, names=4, lines=lines)
        shares = -(-len(counts) // 1_000)
        sizes = [
            f"{16_384 + oid}\t{counts[oid][5] * 100}" for oid in range(step % shares, len(counts), shares)
        ]
        figures = {"shares": float(shares), "share": float(step % shares)}
        yield CountedRows("sizes", ("oid", "size_bytes"), lines=sizes, figures=figures)
        waits = [f"client backend\tIO\tevent_{event}\t{seen}" for event, seen in enumerate(self._seen())]
        columns = ("backend_type", "wait_event_type", "wait_event", "seen")
        yield CountedRows("waits", columns, keys=3, lines=waits, figures={"looks": STEP_S, "missed": 0.0})

    def _seen(self) -> list[int]:
        """How often each wait was seen."""
        return [int(self._draw.integers(1, 99)) for _ in range(12)]

    def _kept(self, rows: CountedRows, at: datetime) -> KeptRows:
        changes = self._changes[rows.kind]
        made = changes.kept_of(rows, at)
        changes.confirm()
        return made


def fill(place: Path, days: int, relations: int) -> dict[str, float]:
    """Says what it took. The last hour is not noted yet, as a collector notes a day that goes."""
    began_s = time.monotonic()
    databases = [Made(number, relations) for number in range(DATABASES)]
    store, rows = open_store(str(place)), 0
    first = _days_made(store) if place.exists() else 0
    for made in databases:
        for day in range(first):
            made.skip(day)
    with tempfile.TemporaryDirectory() as journal, Scratch(Path(journal)) as scratch:
        clock = VirtualClock(BEGIN + timedelta(days=first))
        ctx = Context(clock, lambda _: None, Cancel(), scratch, LocalExecutor(), store)
        thinners = [Thinner(ctx, made.series, Ages(), by_clock(ctx)) for made in databases]
        for day in range(first, days):
            clock.sleep(86_400.0)
            for made, thinner in zip(databases, thinners, strict=True):
                taken = list(made.day(day))
                last_hour = taken[-_PER_HOUR:]
                rows += _write(store, taken[:-_PER_HOUR])
                while thinner.step() is not None:
                    pass
                thinner.note_on(taken[-_PER_HOUR - 1][0].snapshot.taken_at)
                rows += _write(store, last_hour)
            if day % 10 == 0:
                print(f"day {day:,} of {days:,}, {_megabytes(place):,.0f} MB", file=sys.stderr, flush=True)
    return {
        "days": days,
        "relations": relations,
        "instance_rows": DATABASES * days * PER_DAY,
        "relation_rows": rows,
        "store_bytes": place.stat().st_size,
        "elapsed_s": time.monotonic() - began_s,
    }


def _days_made(store: Any) -> int:
    """How many days each database has; a day that was begun is not gone on with."""
    lasts = [one.last_at for one in store.snapshot_series()]
    if not lasts:
        return 0
    days = {(last - BEGIN) // timedelta(days=1) + 1 for last in lasts}
    if len(lasts) != DATABASES or len(days) != 1:
        sys.exit("the store was filled in part of a day: fill another")
    return days.pop()


def _megabytes(place: Path) -> float:
    return place.stat().st_size / 1e6


def _write(store: Any, day: list[tuple[KeptSnapshot, list[KeptRows]]]) -> int:
    """A day in one transaction, after its first snapshot: what a commit takes is no part of this."""
    (first, rows), *others = day
    store.keep_snapshot(first, rows)
    with store.database.connect() as connection, store.database.transaction(connection):
        for kept, more in others:
            kept_snapshots.keep(store.database, connection, kept, more)
    return sum(part.rows.count("\n") + 1 for _, more in day for part in more if part.kind == "relations")


if __name__ == "__main__":
    where, how_long, how_many = sys.argv[1:]
    print(json.dumps(fill(Path(where), int(how_long), int(how_many))))
