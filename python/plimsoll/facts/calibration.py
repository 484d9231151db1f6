"""A calibration: the matrix of small and large I/Os outstanding side by side, and what it says of the storage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.cell import Cell, ClassResult

Matrix = Literal["basic", "detailed", "point", "row", "col", "max", "adaptive"]


class LatencyBucket(Fact):
    """So many I/Os took from `low_us` up to `high_us`."""

    low_us: float
    """Microseconds, included."""
    high_us: float
    """Microseconds, not included."""
    ios: int


class PointSpread(Fact):
    """What another tool wrote of the latencies of one kind of I/O at a point: moments, and counts in wide steps, in which no
    percentile can be told but by its bounds."""

    name: str
    """small_read, small_write, large_read or large_write."""
    ios: int | None = None
    """All that the buckets count; None where there are none."""
    mean_us: float | None = None
    """Mean, in microseconds."""
    min_us: float | None = None
    """Shortest, in microseconds."""
    max_us: float | None = None
    """Longest, in microseconds."""
    stddev_us: float | None = None
    """Standard deviation, in microseconds."""
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
    """Small I/Os outstanding."""
    large_depth: int
    """Large I/Os outstanding, or sequential streams."""
    small_iops: float | None = None
    """Small I/Os per second."""
    large_mb_per_s: float | None = None
    """Megabytes (10^6 bytes) per second of large I/Os."""
    small_latency_us_mean: float | None = None
    """Of small reads and writes together."""
    cell: Cell | None = None
    """Everything that was measured; None for a point of another tool that wrote down no more than averages."""
    spreads: tuple[PointSpread, ...] = ()
    """Of a point of another tool: what it wrote of the latencies beside the averages."""

    @classmethod
    def measured(cls, small_depth: int, large_depth: int, cell: Cell) -> Point:
        """A point of ours: its averages are those of the cell's classes, whose names begin with `small` and `large`.

        Beside an outage its rates are those while the server was there; where the rate went to another level for good, those of
        that level, whose latencies are unknown where distributions of windows were not kept.
        """
        told = cell.told_classes or cell.classes
        small, large = _named(told, "small"), _named(told, "large")
        there = cell.connected_factor if cell.told_classes else cell.held_iops / (cell.iops or 1.0)
        return cls(
            small_depth=small_depth,
            large_depth=large_depth,
            small_iops=there * sum(io.iops for io in small) if small else None,
            large_mb_per_s=there * sum(io.mb_per_s for io in large) if large else None,
            small_latency_us_mean=_mean_us(small) if cell.told_classes else None,
            cell=cell,
        )


def _named(classes: Iterable[ClassResult], start: str) -> list[ClassResult]:
    return [io for io in classes if io.name.startswith(start)]


def _mean_us(classes: list[ClassResult]) -> float | None:
    known = [(io.latency_us.mean, io.ios) for io in classes if io.latency_us.mean is not None]
    ios = sum(count for _, count in known)
    return sum(mean * count for mean, count in known) / ios if ios else None


class Extreme(Fact):
    """The best value found, and the point where it was."""

    value: float
    """In the unit of its name."""
    small_depth: int
    """Small I/Os outstanding there."""
    large_depth: int
    """Large I/Os or streams outstanding there."""
    near_value: float | None = None
    """Of the lightest load that gave 98 % of a highest value; None where that is the point itself."""
    near_small_depth: int | None = None
    """Small I/Os outstanding at that load."""
    near_large_depth: int | None = None
    """Large I/Os or streams outstanding at that load."""


class Knee(Fact):
    """Where more outstanding small I/Os stop paying: beyond it latency grows faster than the rate."""

    small_depth: int
    """Small I/Os outstanding."""
    iops: float
    """Small I/Os per second there."""
    latency_us_mean: float
    iops_range: tuple[float, float] | None = None
    """Rates between which it lies: loads there have the same power but for noise, or were not tried. None where each load was
    measured but once, or nothing was told: then nobody knows how sure it is."""
    small_depth_range: tuple[int, int] | None = None
    """The lightest and the heaviest of these loads."""


class Expectation(Fact):
    """What so many disks ought to give, by arithmetic: what was paid for, to stand beside what was measured."""

    spindles: int
    """How many disks."""
    disk_type: str
    """Which kind of disk."""
    raid: str
    """How they are combined."""
    read_share: float
    """Reads as a share of I/Os, 0 to 1."""
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
    """The one in the middle."""
    min: float
    """The lowest."""
    max: float
    """The highest."""
    relative: float | None
    """None where the median is 0."""
    values: tuple[float, ...]
    """Each run's figure, in the order of the runs."""


class IoCalibration(Fact):
    """What Oracle's DBMS_RESOURCE_MANAGER.CALIBRATE_IO answers, each figure with its spread over the repeats.

    None where no repeat had an answer: then no load kept the latency bound. MB are 10^6 bytes.
    """

    disks: int
    """Disks that were stated, or one per target."""
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

    hosts: tuple[str, ...] = ()
    """Those that measured at the same time: what is outstanding is that of each, rates are of all; empty: this one alone."""

    shape: str
    """Which loads were asked for: simple, normal, dss, oltp, custom …"""
    matrix: Matrix
    """Which part of the matrix was measured."""
    disks: int
    """Disks that the depths are scaled by, as stated or one per target."""
    small_bytes: int
    """Size of a small I/O."""
    large_bytes: int
    """Size of a large I/O."""
    large_pattern: Literal["random", "sequential"]
    """How large I/Os move about."""
    streams_depth: int | None = None
    """I/Os outstanding in each sequential stream; None where large I/Os are random."""
    write_share: float = 0.0
    """Of I/Os, 0 to 1; of streams where the large I/Os are sequential."""
    duration_s: float
    """Measured time of each point."""
    small_depths: tuple[int, ...]
    """Numbers of small I/Os outstanding that were asked for."""
    large_depths: tuple[int, ...]
    """Numbers of large I/Os or streams that were asked for."""
    points: tuple[Point, ...]
    """What was measured at each load."""
    max_small_iops: Extreme | None = None
    """Most small I/Os per second."""
    max_large_mb_per_s: Extreme | None = None
    """Most megabytes (10^6 bytes) per second of large I/Os."""
    min_small_latency_us: Extreme | None = None
    """Shortest mean latency of small I/Os, in microseconds."""
    knee: Knee | None = None
    """None where there is none, or too few points tell."""
    measured_s: float | None = None
    """Measured time of all points together, those included whose longer repetition took their place."""
    expected: Expectation | None = None
    """What so many disks ought to give; None where nobody stated them."""
    io_calibration: IoCalibration | None = None
    """What CALIBRATE_IO would answer; None where it was not asked for."""
    notes: tuple[Note, ...] = ()

    @property
    def hosts_words(self) -> str:
        """What loads and rates of several hosts mean."""
        return f"{len(self.hosts)} hosts measured at the same time: what is outstanding is that of each of them, rates are of all."
