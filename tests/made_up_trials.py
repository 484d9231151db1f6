"""Measurements of a line search that are made up, so that nothing of this machine has a part in them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from plimsoll.facts import Arrivals, Cell, ClassResult, Cpu, Window
from plimsoll.native.latency import latency_of_counts
from plimsoll.supply.workloads import workload


def made_up(
    engine: str, busy_share: float, waiting_share: float | None, held_below: float, served_us: float = 100.0
) -> Any:
    """A measurement of a device with a cliff, by threads that are that busy, or that wait that long for a CPU."""

    def measure(rate: float, runtime_s: float, **asked: Any) -> Cell:
        p99_us = 500.0 if rate < held_below else 4000.0
        spread = latency_of_counts([(served_us, 70_000), (p99_us, 30_000)])
        windows = tuple(
            Window(start_s=index, duration_s=1.0, iops=rate, latency_us_p50=100.0, latency_us_p99=p99_us)
            for index in range(10)
        )
        share = busy_share if rate >= held_below else busy_share / 2
        return Cell(
            iops=rate,
            mb_per_s=rate * 8192 / 1e6,
            ios=round(rate * runtime_s),
            errors=0,
            runtime_s=runtime_s,
            latency_us=spread,
            cpu_us_per_io=1.0,
            cpu_s=Cpu(user=share * runtime_s / 2, system=share * runtime_s / 2),
            engine=engine,
            direct=True,
            workload=workload("randread", 8192),
            arrivals=Arrivals(kind="poisson", rate_per_s=rate),
            jobs=1,
            depth=512,
            started_at=datetime(2025, 1, 1, tzinfo=UTC),
            warm_up_s=0.3,
            processor_wait_share=waiting_share,
            classes=(
                ClassResult(
                    name="read",
                    op="read",
                    block_bytes=8192,
                    ios=100_000,
                    errors=0,
                    iops=rate,
                    mb_per_s=1.0,
                    latency_us=spread,
                ),
            ),
            windows=windows,
        )

    return measure
