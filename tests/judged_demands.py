"""Demands second by second, and what `assess` says of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from demand_snapshots import START, database
from plimsoll.context import Context
from plimsoll.demand import intervals
from plimsoll.facts import ClassDemand, Demand, DemandInterval, Run, Verdict
from plimsoll.flows.assess import assess
from plimsoll.flows.demand import write_demand
from plimsoll.requests.assess import AssessRequest

DISK = "sim:law=constant,mean=120us"
"""One I/O after the other: 8,333 a second at most, and some 7,900 within 5 ms."""
LINE = 7_880.0
DAY = 30
"""Seconds that stand for a day."""


def second(number: int, reads: float, scan_bytes: float = 0.0, writes: float = 0.0) -> DemandInterval:
    sizes = {
        "small_read": (reads, 8192),
        "large_read": (scan_bytes / 131_072, 131_072),
        "small_write": (writes, 8192),
    }
    classes: Any = {
        name: ClassDemand(ops_per_s=ops, bytes_per_s=ops * size, latency_us_mean=300.0, source="counters")
        for name, (ops, size) in sizes.items()
    }
    begin = START + timedelta(seconds=number)
    return DemandInterval(
        begin_time=begin, end_time=begin + timedelta(seconds=1), duration_s=1.0, classes=classes,
        iops=sum(one.ops_per_s for one in classes.values()),
        mb_per_s=sum(one.bytes_per_s for one in classes.values()) / 1e6,
    )  # fmt: skip


def with_scan() -> list[DemandInterval]:
    """1,300 reads per second; in the second half fewer of them, and a scan of 25 MB/s."""
    return [second(n, 1300.0 + n % 7) for n in range(30)] + [
        second(n, 1000.0 + n % 7, 25e6) for n in range(30, 60)
    ]


def whole(found: Sequence[DemandInterval], burst_factor: float | None = None) -> Demand:
    """The demand with these intervals."""
    return Demand(
        database=database(), resolution_s=found[0].duration_s if found else 1.0, intervals=tuple(found),
        peak=intervals.peak(found), mean=intervals.mean(found), burst_factor=burst_factor,
    )  # fmt: skip


def named(name: str, found: Sequence[DemandInterval]) -> Demand:
    """The demand of a database of that name."""
    return whole(found).model_copy(update={"database": database(name=name, system_identifier=name)})


def with_peak(name: str, low: float, high: float, begin: int, end: int, length: int = DAY) -> Demand:
    """So many reads a second, and more of them between two seconds."""
    return named(name, [second(n, high if begin <= n < end else low) for n in range(length)])


def judged(ctx: Context, found: Sequence[DemandInterval], target: str, tmp_path: Path, **asked: Any) -> Run:
    return judge(ctx, whole(found), target, tmp_path, **asked)


def judge(ctx: Context, demand: Demand, target: str, tmp_path: Path, **asked: Any) -> Run:
    """What `assess` says of the demand on a target."""
    write_demand(demand, tmp_path / "demand.json")
    request: dict[str, Any] = {
        "target": target,
        "demand": (str(tmp_path / "demand.json"),),
        "trial_s": 4.0,
        "seed": 1,
    }
    return assess(ctx, AssessRequest(**{**request, **asked}))


def verdict_of(run: Run) -> Verdict:
    assert run.verdict is not None
    return run.verdict
