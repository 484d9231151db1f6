"""A series of kept snapshots in a store of memory, thinned: what tests of thinning and of noting share."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from demand_snapshots import START, database, row, snapshot
from kept_series import SERIES, STEP_S, made_series
from plimsoll.context import Context, ThinnedDay
from plimsoll.demand.kept import demand_of_kept
from plimsoll.demand.kept_points import points_of_days
from plimsoll.facts import Demand, KeptSnapshot
from plimsoll.flows.kept_days import DAY_S, Ages, Thinner, by_clock, noted_days
from plimsoll.ports.clock import VirtualClock
from simulated import MemoryStore

DAYS = 5
AGES = Ages(hours_s=DAY_S, days_s=3 * DAY_S)
SEEDS = range(4)
STEADY = 50


class KilledError(Exception):
    """The process is gone."""


class MortalStore(MemoryStore):
    """Dies at one of the days: before it is changed, or after that was confirmed."""

    dies_at = -1
    is_done_first = False
    calls = 0

    def thin_snapshots(self, day: ThinnedDay) -> bool:
        self.calls += 1
        dies = self.calls == self.dies_at
        if dies and not self.is_done_first:
            raise KilledError
        done = super().thin_snapshots(day)
        if dies:
            raise KilledError
        return done


def filled(ctx: Context, seed: int) -> tuple[Context, MortalStore]:
    store = MortalStore()
    for kept, rows in made_series(DAYS, seed):
        store.keep_snapshot(kept, rows)
    clock = VirtualClock(START + timedelta(days=DAYS, minutes=1))
    return replace(ctx, clock=clock, store=store), store


def thin_all(ctx: Context) -> int:
    thinner, removed = Thinner(ctx, SERIES, AGES, by_clock(ctx)), 0
    while (changed := thinner.step()) is not None:
        removed += changed.removed
    return removed


def demand_of(store: MemoryStore) -> Demand:
    found = demand_of_kept(store.snapshots(SERIES))
    assert found is not None
    return found


def told(demand: Demand, *codes: str) -> list[str]:
    return [note.message for note in demand.notes if note.code in codes]


def points(ctx: Context) -> dict[Any, Any]:
    found, _ = points_of_days("shop", noted_days(ctx, SERIES), by_class=True)
    return {key: (list(one[""].begin_s), list(one[""].duration_s), list(one[""].value)) for key, one in found.items()}  # fmt: skip


def rows_of(store: MemoryStore) -> list[str]:
    return sorted(repr(part) for _, part in store.rows)


def steady(number: float, collector: str, taken_s: float | None = None) -> KeptSnapshot:
    """One of a server that reads 50 blocks a second, taken so many steps after the begin; by its own clock at `taken_s`."""
    reads = int(number * STEP_S * STEADY)
    shot = snapshot(number * STEP_S, (row(reads=reads, read_bytes=reads * 8192, read_time_ms=1.0 * reads),))
    if taken_s is not None:
        shot = shot.model_copy(update={"taken_at": START + timedelta(seconds=taken_s)})
    return KeptSnapshot(series=SERIES, database=database(), snapshot=shot, collector=collector, boot="b")


def series_of(made: Context, kept: list[KeptSnapshot]) -> tuple[Context, MemoryStore]:
    store = MemoryStore()
    for one in kept:
        store.keep_snapshot(one)
    return replace(made, clock=VirtualClock(START + timedelta(days=DAYS, minutes=1)), store=store), store
