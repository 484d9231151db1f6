"""A calibration: the matrix of small and large I/Os outstanding side by side, and what it says of the storage."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.cell import Cell, ClassResult

Matrix = Literal["basic", "detailed", "point", "row", "col", "max", "adaptive"]


class LatencyBucket(Fact):
    """So many I/Os took from `low_us` up to `high_us`."""

    low_us: float
    high_us: float
    ios: int


class PointSpread(Fact):
    """What another tool wrote of the latencies of one kind of I/O at a point: moments, and counts in wide steps, in which no
    percentile can be told but by its bounds."""

    name: str
    """small_read, small_write, large_read or large_write."""
    ios: int | None = None
    """All that the buckets count; None where there are none."""
    mean_us: float | None = None
    min_us: float | None = None
    max_us: float | None = None
    stddev_us: float | None = None
    buckets: tuple[LatencyBucket, ...] = ()
    """Those that count anything, in their order."""

    def bound_us(self, share: float) -> float | None:
        """The end of the bucket in which that share of the I/Os is reached: that percentile lies below it. None without any."""
        reached = 0
        for bucket in self.buckets:
            reached += bucket.ios
            if reached >= share * (self.ios or 0):
                return bucket.high_us
        return None


class Point(Fact):
    """One point of the matrix. `small_depth` and `large_depth` are I/Os outstanding; where the large ones are sequential,
    `large_depth` is the number of streams, each with `streams_depth` outstanding.

    The three averages are None where there are no such I/Os at the point, or nobody told.
    """

    small_depth: int
    large_depth: int
    small_iops: float | None = None
    large_mb_per_s: float | None = None
    small_latency_us_mean: float | None = None
    """Of small reads and writes together."""
    cell: Cell | None = None
    """Everything that was measured; None for a point of another tool that wrote down no more than averages."""
    spreads: tuple[PointSpread, ...] = ()
    """Of a point of another tool: what it wrote of the latencies beside the averages."""

    @classmethod
    def measured(cls, small_depth: int, large_depth: int, cell: Cell) -> Point:
        """A point of ours: its averages are those of the cell's classes, whose names begin with `small` and `large`."""
        small, large = _named(cell, "small"), _named(cell, "large")
        return cls(
            small_depth=small_depth,
            large_depth=large_depth,
            small_iops=sum(io.iops for io in small) if small else None,
            large_mb_per_s=sum(io.mb_per_s for io in large) if large else None,
            small_latency_us_mean=_mean_us(small),
            cell=cell,
        )


def _named(cell: Cell, start: str) -> list[ClassResult]:
    return [io for io in cell.classes if io.name.startswith(start)]


def _mean_us(classes: list[ClassResult]) -> float | None:
    known = [(io.latency_us.mean, io.ios) for io in classes if io.latency_us.mean is not None]
    ios = sum(count for _, count in known)
    return sum(mean * count for mean, count in known) / ios if ios else None


class Extreme(Fact):
    """The best value found, and the point where it was."""

    value: float
    small_depth: int
    large_depth: int
    near_value: float | None = None
    """Of the lightest load that gave 98 % of a highest value; None where that is the point itself."""
    near_small_depth: int | None = None
    near_large_depth: int | None = None


class Knee(Fact):
    """Where more outstanding small I/Os stop paying: beyond it latency grows faster than the rate."""

    small_depth: int
    iops: float
    latency_us_mean: float
    iops_range: tuple[float, float] | None = None
    """Rates between which it lies: loads there have the same power but for noise, or were not tried. None where each load was
    measured but once, or nothing was told: then nobody knows how sure it is."""
    small_depth_range: tuple[int, int] | None = None
    """The lightest and the heaviest of these loads."""


class Expectation(Fact):
    """What so many disks ought to give, by arithmetic: what was paid for, to stand beside what was measured."""

    spindles: int
    disk_type: str
    raid: str
    read_share: float
    iops_per_spindle: float | None
    """Small random I/Os of one disk; None where the rate is not a matter of spindles, or nobody has told."""
    write_penalty: float | None
    """I/Os on the disks for one write; None where no figure is known."""
    iops: float | None
    """Small random I/Os of all of them at that read share."""
    reason: Text
    """The arithmetic and where its figures are from."""


class Spread(Fact):
    """One figure of several runs. `relative` is (max - min) / median, None where the median is 0."""

    median: float
    min: float
    max: float
    relative: float | None
    values: tuple[float, ...]


class IoCalibration(Fact):
    """What Oracle's DBMS_RESOURCE_MANAGER.CALIBRATE_IO answers, each figure with its spread over the repeats.

    None where no repeat had an answer: then no load kept the latency bound. MB are 10^6 bytes.
    """

    disks: int
    max_latency_us: float
    """The bound on the mean latency of small reads."""
    repeats: int
    """Repeats that went through to their end."""
    max_iops: Spread | None = None
    """Small random reads per second at the deepest queue that keeps the bound."""
    actual_latency_us: Spread | None = None
    """Mean latency there."""
    max_mb_per_s: Spread | None = None
    """Large random reads."""
    max_process_mb_per_s: Spread | None = None
    """The same by one process that reads one block after the other (MAX_PMBPS)."""


class Calibration(Fact):
    """Rates are I/Os per second, MB are 10^6 bytes. Extremes are None where no point of that kind was measured."""

    shape: str
    matrix: Matrix
    disks: int
    small_bytes: int
    large_bytes: int
    large_pattern: Literal["random", "sequential"]
    streams_depth: int | None = None
    write_share: float = 0.0
    """Of I/Os, 0 to 1; of streams where the large I/Os are sequential."""
    duration_s: float
    """Measured time of each point."""
    small_depths: tuple[int, ...]
    large_depths: tuple[int, ...]
    points: tuple[Point, ...]
    max_small_iops: Extreme | None = None
    max_large_mb_per_s: Extreme | None = None
    min_small_latency_us: Extreme | None = None
    knee: Knee | None = None
    measured_s: float | None = None
    """Measured time of all points together, those included whose longer repetition took their place."""
    expected: Expectation | None = None
    io_calibration: IoCalibration | None = None
    notes: tuple[Note, ...] = ()
