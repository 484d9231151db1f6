"""Demand of snapshots that a proof took: what sessions were at in between, and what the server counted."""

from __future__ import annotations

from typing import Any

from demand_snapshots import database, snapshot
from plimsoll.demand.snapshots import demand_of_snapshots
from plimsoll.facts import Snapshot


def look(at_s: float, **at_work: float) -> Snapshot:
    moment: dict[str, Any] = {"databases": 3.0, "sessions": 10.0, "sessions_active": sum(at_work.values())}
    named = {f"at_work_{name}": value for name, value in {"read": 0.0, "cpu": 0.0, **at_work}.items()}
    counted = {"pg_stat_wal.wal_buffers_full": 10.0 * at_s}
    return snapshot(at_s, moment=moment | named, totals=counted)


def test_each_second_says_what_sessions_were_at() -> None:
    demand = demand_of_snapshots(database(), [look(0), look(1, read=4.0), look(2, cpu=2.0)])
    assert demand is not None
    assert [one.sessions_at_work for one in demand.intervals] == [{"read": 4.0}, {"cpu": 2.0}]
    assert demand.counts["pg_stat_wal.wal_buffers_full"] == 20.0


def test_one_look_says_nothing_of_a_minute() -> None:
    demand = demand_of_snapshots(database(), [look(0), look(60, read=4.0)])
    assert demand is not None
    assert demand.intervals[0].sessions_at_work is None


def test_looks_in_between_are_averaged_and_their_counters_left_alone() -> None:
    looks = [look(second, read=4.0) for second in range(1, 10)] + [
        look(second, cpu=1.0) for second in range(10, 19)
    ]
    demand = demand_of_snapshots(database(), [look(0), look(20)], looks)
    assert demand is not None
    assert [one.sessions_at_work for one in demand.intervals] == [{"read": 2.0, "cpu": 0.5}]


def test_too_few_looks_are_none() -> None:
    demand = demand_of_snapshots(database(), [look(0), look(60)], [look(1, read=4.0), look(2, read=4.0)])
    assert demand is not None
    assert demand.intervals[0].sessions_at_work is None


def test_a_proof_of_a_database_without_classes_has_no_demand() -> None:
    assert demand_of_snapshots(database(kind="oracle"), [look(0), look(1)]) is None


def test_nothing_comes_of_one_snapshot() -> None:
    assert demand_of_snapshots(database(), [look(0)]) is None
