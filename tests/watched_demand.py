"""A PostgreSQL that was watched for a minute, by what its sessions were at, for tests of advice."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from demand_snapshots import START, database
from plimsoll.demand import intervals
from plimsoll.facts import ClassDemand, Demand, DemandInterval

SECONDS = 60


def second(number: int, at_work: Mapping[str, float] | None) -> DemandInterval:
    begin = START + timedelta(seconds=number)
    reads = ClassDemand(ops_per_s=2000.0, bytes_per_s=2000.0 * 8192, source="pg_stat_io")
    log = ClassDemand(
        ops_per_s=100.0, bytes_per_s=1e6, syncs_per_s=100.0, sync_latency_us_mean=4000.0, source="pg_stat_io"
    )
    return DemandInterval(
        begin_time=begin, end_time=begin + timedelta(seconds=1), duration_s=1.0,
        classes={"small_read": reads, "redo_write": log}, iops=2100.0, mb_per_s=17.4, commits_per_s=100.0,
        sessions_active=None if at_work is None else sum(at_work.values()),
        sessions_at_work=None if at_work is None else dict(at_work),
    )  # fmt: skip


def watched(at_work: Mapping[str, float] | None, counts: Mapping[str, float] | None = None) -> Demand:
    found = [second(number, at_work) for number in range(SECONDS)]
    return Demand(
        database=database(), resolution_s=1.0, intervals=tuple(found), peak=intervals.peak(found),
        mean=intervals.mean(found), counts=dict(counts or {}),
    )  # fmt: skip
