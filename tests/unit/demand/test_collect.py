"""The pace of snapshots, on a clock that only moves when somebody waits."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from databases_fixture import context
from demand_snapshots import START, database, row, snapshot
from plimsoll.base.errors import WorldError
from plimsoll.databases import Connection
from plimsoll.demand.collect import collect
from plimsoll.facts import Database, Note, Snapshot
from plimsoll.facts.demand import LOWER_BOUND
from plimsoll.ports.clock import VirtualClock


class Scripted:
    """A connection on a virtual clock to a server that reads steadily; `trouble` says at which readings it fails."""

    def __init__(
        self,
        clock: VirtualClock,
        reads_per_s: float = 100.0,
        cost_s: float = 0.002,
        trouble: dict[int, str] | None = None,
        running_s: float | None = None,
    ) -> None:
        self.clock = clock
        self.reads_per_s = reads_per_s
        self.cost_s = cost_s
        self.trouble = trouble or {}
        self.running_s = running_s
        self.readings = 0
        self.started_at = START - timedelta(days=1)
        self.times_s: list[float] = []

    server_process = None

    @property
    def database(self) -> Database:
        return database()

    @property
    def notes(self) -> tuple[Note, ...]:
        return (Note(code="rights-partial", message="…"),)

    def snapshot(self, relations: bool = False) -> Snapshot:
        self.readings += 1
        if self.readings in self.trouble:
            self.clock.sleep(1.3)
            raise WorldError(self.trouble[self.readings], "could not go on", "Look at it.")
        now_s = self.clock.monotonic_s()
        self.times_s.append(now_s)
        reads = int(now_s * self.reads_per_s)
        self.clock.sleep(self.cost_s)
        shot = snapshot(now_s, (row(reads=reads, read_bytes=reads * 8192),), started_at=self.started_at)
        moment = {**shot.moment, "running_age_s_max": self.running_s}
        return shot.model_copy(update={"monotonic_s": now_s, "cost_s": self.cost_s, "moment": moment})

    def reopen(self) -> None:
        self.clock.sleep(0.01)

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize(
    ("seconds", "ends"),
    [(3.0, [1, 2, 3]), (1.0, [1]), (2.3, [1, 2.3]), (2.6, [1, 2, 2.6]), (0.2, [0.2])],
)
def test_no_interval_is_shorter_than_half_a_period(tmp_path: Path, seconds: float, ends: list[float]) -> None:
    clock = VirtualClock()
    with context(tmp_path, clock) as (ctx, events):
        source = Scripted(clock)
        demand = collect(ctx, cast(Connection, source), seconds)
    assert source.times_s == pytest.approx([0.0, *ends], abs=0.011)
    assert len(demand.intervals) == len(ends)
    assert demand.mean is not None
    assert demand.mean.iops == pytest.approx(100, rel=0.06)
    last = [event for event in events if event.kind == "progress"][-1]
    assert last.finished
    assert last.share == 1.0


@pytest.mark.parametrize("cost_s", [0.4, 0.7, 1.7])
def test_slow_readings_make_longer_intervals_and_are_said(tmp_path: Path, cost_s: float) -> None:
    clock = VirtualClock()
    with context(tmp_path, clock) as (ctx, _):
        demand = collect(ctx, cast(Connection, Scripted(clock, cost_s=cost_s)), 20.0)
    assert all(interval.duration_s >= 0.5 for interval in demand.intervals)
    assert all(interval.iops == pytest.approx(100, rel=0.05) for interval in demand.intervals)
    assert "own-load" in [note.code for note in demand.notes]


def test_a_slow_answer_is_waited_for(tmp_path: Path) -> None:
    clock = VirtualClock()
    with context(tmp_path, clock) as (ctx, events):
        demand = collect(ctx, cast(Connection, Scripted(clock, trouble={3: "database-slow"})), 6.0)
    assert all(interval.gap is None for interval in demand.intervals)
    assert max(interval.duration_s for interval in demand.intervals) > 2
    assert sum(interval.duration_s for interval in demand.intervals) == pytest.approx(6, abs=0.02)
    assert [event for event in events if event.kind == "remark"]


@pytest.mark.parametrize(("running_s", "is_lower_bound"), [(None, False), (0.4, False), (2.5, True)])
def test_what_is_at_work_at_the_end_has_handed_in_nothing(
    tmp_path: Path, running_s: float | None, is_lower_bound: bool
) -> None:
    clock = VirtualClock()
    with context(tmp_path, clock) as (ctx, _):
        demand = collect(ctx, cast(Connection, Scripted(clock, running_s=running_s)), 3.0)
    assert (LOWER_BOUND in [note.code for note in demand.notes]) is is_lower_bound


def test_other_errors_are_not_waited_out(tmp_path: Path) -> None:
    clock = VirtualClock()
    with context(tmp_path, clock) as (ctx, _), pytest.raises(WorldError, match="could not go on"):
        collect(ctx, cast(Connection, Scripted(clock, trouble={3: "database-rights"})), 6.0)


def test_until_ends_with_a_snapshot_taken_after_it_was_true(tmp_path: Path) -> None:
    clock = VirtualClock()
    with context(tmp_path, clock) as (ctx, _):
        source = Scripted(clock)
        demand = collect(ctx, cast(Connection, source), until=lambda: clock.monotonic_s() > 2.5)
    assert source.times_s == pytest.approx([0, 1, 2, 3], abs=0.02)
    assert len(demand.intervals) == 3
    assert demand.notes[0].code == "rights-partial"


def test_hours_pass_in_a_moment_and_stay_in_step(tmp_path: Path) -> None:
    clock = VirtualClock()
    with context(tmp_path, clock) as (ctx, _):
        demand = collect(ctx, cast(Connection, Scripted(clock)), 3 * 3600.0, period_s=60.0)
    assert len(demand.intervals) == 180
    assert demand.resolution_s == pytest.approx(60, abs=0.11)
    assert "counters-late" not in [note.code for note in demand.notes]
