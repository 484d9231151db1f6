"""Calibrations as tests of ORION need them: built from the figures that a file shall print, without measuring."""

from __future__ import annotations

from pathlib import Path

from plimsoll.dialects.orion.arguments import parse
from plimsoll.dialects.orion.grid import MB_BYTES, planned, shape_of
from plimsoll.dialects.orion.summary_text import Outcome
from plimsoll.facts import Calibration, Point, Target

Spot = tuple[int, int]


def outcome(
    line: str,
    iops: dict[Spot, float],
    mbps: dict[Spot, float],
    latency_us: dict[Spot, float],
    targets: tuple[Target, ...] | None = None,
) -> Outcome:
    """What a test with this command line found; MBPS are ORION's, of 2^20 bytes."""
    asked = parse(line.split())
    disks = asked.num_disks or len(targets or "1")
    spots = sorted({*iops, *mbps, *latency_us}, key=lambda spot: (spot[1], spot[0]))
    loads = planned(asked, disks)
    found = Calibration(
        shape=shape_of(asked),
        matrix=asked.matrix,
        disks=disks,
        small_bytes=asked.size_small << 10,
        large_bytes=asked.size_large << 10,
        large_pattern="sequential" if asked.sequential else "random",
        streams_depth=asked.num_streamIO if asked.sequential else None,
        write_share=asked.write / 100,
        duration_s=float(asked.duration),
        small_depths=tuple(sorted({small for small, _ in loads})),
        large_depths=tuple(sorted({large for _, large in loads})),
        points=tuple(
            Point(
                small_depth=small,
                large_depth=large,
                small_iops=iops.get((small, large)),
                large_mb_per_s=_mb(mbps.get((small, large))),
                small_latency_us_mean=latency_us.get((small, large)),
            )
            for small, large in spots
        ),
    )
    return Outcome(Path(asked.testname).name, asked, found, targets or (target("/dev/vdb", 21474836480),))


def target(path: str, size: int) -> Target:
    """A device by name and size alone."""
    return Target(name=path, kind="device", path=path, span_bytes=size)


def _mb(mbps: float | None) -> float | None:
    return None if mbps is None else mbps * MB_BYTES / 1e6


def published() -> Outcome:
    """`simple` on one disk: the values of a set of files of 11.1 that a user published."""
    return outcome(
        "-run simple -testname mytest -num_disks 1",
        iops={(1, 0): 2302, (2, 0): 4398, (3, 0): 5450, (4, 0): 6006, (5, 0): 6210},
        mbps={(0, 1): 271.58, (0, 2): 374.26},
        latency_us={(1, 0): 430, (2, 0): 450, (3, 0): 550, (4, 0): 670, (5, 0): 800},
    )
