"""Storage under a closed loop, by formula: what a calibration is handed in tests that look at nothing but its choices."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from math import exp
from random import Random

from plimsoll.facts import Arrivals, Cell, ClassResult, Cpu, IoClass, LatencyUs, Point, Workload

SMALL_BYTES, LARGE_BYTES = 8 << 10, 1 << 20
Rate = Callable[[int], float]
"""I/Os outstanding → I/Os per second."""


def servers(count: int, mean_us: float = 1000.0) -> Rate:
    """So many servers: the rate rises in proportion until all of them are at work."""
    return lambda depth: min(depth, count) * 1e6 / mean_us


def gentle(rate_max: float, half: float) -> Rate:
    """The rate bends over slowly: half of the highest at `half` I/Os outstanding, which is where the power is highest."""
    return lambda depth: rate_max * depth / (depth + half)


class ClosedLoop:
    """Measures points by formula, and keeps what it was asked for. Small and large I/Os do not disturb each other.

    `noise` is the standard deviation of the logarithm of a rate, from one measurement of a load to the next.
    """

    def __init__(self, small: Rate, large: Rate | None = None, noise: float = 0.0, seed: int = 1) -> None:
        self._small, self._large = small, large or small
        self._noise, self._random = noise, Random(seed)
        self.asked: list[tuple[int, int, float]] = []

    def __call__(self, small_depth: int, large_depth: int, seconds: float) -> Cell:
        self.asked.append((small_depth, large_depth, seconds))
        classes = []
        if small_depth:
            rate = self._small(small_depth) * exp(self._random.gauss(0.0, self._noise))
            classes.append(result("small_read", SMALL_BYTES, rate, small_depth, seconds))
        if large_depth:
            classes.append(result("large_read", LARGE_BYTES, self._large(large_depth), large_depth, seconds))
        return cell_of(classes, seconds)


def result(
    name: str, block_bytes: int, iops: float, depth: int, seconds: float, errors: int = 0
) -> ClassResult:
    """One class; its latency follows from rate and depth by Little's law."""
    latency_us = depth / iops * 1e6 if iops else None
    return ClassResult(
        name=name,
        op="write" if name.endswith("write") else "read",
        block_bytes=block_bytes,
        ios=round(iops * seconds),
        errors=errors,
        iops=iops,
        mb_per_s=iops * block_bytes / 1e6,
        latency_us=LatencyUs(count=round(iops * seconds), mean=latency_us),
    )


def cell_of(classes: list[ClassResult], seconds: float, ended_early: str = "") -> Cell:
    """The cell of these classes."""
    iops = sum(io.iops for io in classes)
    return Cell(
        iops=iops,
        mb_per_s=sum(io.mb_per_s for io in classes),
        ios=sum(io.ios for io in classes),
        errors=sum(io.errors for io in classes),
        runtime_s=seconds,
        latency_us=LatencyUs(count=sum(io.ios for io in classes)),
        cpu_us_per_io=1.0,
        cpu_s=Cpu(user=0.0, system=0.0),
        engine="sim",
        direct=True,
        workload=Workload(
            name="point",
            classes=tuple(
                IoClass(name=io.name, op=io.op, block_bytes=io.block_bytes, weight=1.0) for io in classes
            ),
        ),
        arrivals=Arrivals(),
        jobs=1,
        depth=1,
        started_at=datetime(2025, 3, 14, tzinfo=UTC),
        warm_up_s=0.0,
        ended_early=ended_early,
        classes=tuple(classes),
    )


def measured(small: dict[int, float], large: dict[int, float] | None = None) -> list[Point]:
    """Points by formula: rates by depth."""
    cells = [
        (depth, 0, cell_of([result("small_read", SMALL_BYTES, iops, depth, 5.0)], 5.0))
        for depth, iops in small.items()
    ]
    cells += [
        (0, depth, cell_of([result("large_read", LARGE_BYTES, iops, depth, 5.0)], 5.0))
        for depth, iops in (large or {}).items()
    ]
    return [Point.measured(*point) for point in cells]
