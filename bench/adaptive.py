"""Adaptive calibration beside the detailed matrix on one target: the same knee in a fraction of the measured seconds.

Both read the same file, in turn, with the same time for each point. The detailed matrix is ORION's for eight disks: 373 points.
The knee of the one must lie within the range that the other gives for its own: on a real target the power is flat around it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Figures, Tool
from kit.targets import write_file
from kit.tools import BELIEVED_OR_NOT

DISKS = 8
SECONDS_RATIO_MAX = 1 / 5


def main() -> int:
    """Runs it."""
    return bench.run("adaptive", __doc__ or "", _measure, rounds=3, runtime_s=0.5, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    def measure(place: str, folder: Path) -> list[Aim]:
        file = folder / "data"
        write_file(file, here.asked.size_bytes)
        tools = tuple(_calibration(here.asked, file, matrix) for matrix in ("detailed", "adaptive"))
        here.measure([Case(place, tools)], place)
        return _aims(place)

    return here.on_each_place(here.asked.size_bytes, measure)


def _calibration(asked: bench.Asked, file: Path, matrix: str) -> Tool:
    disks = ("--disks", str(DISKS)) if matrix == "detailed" else ()
    words = ("--matrix", matrix, *disks, "--runtime", f"{asked.runtime_s:g}s", "--json")
    read = _with_range if matrix == "adaptive" else _without_range
    return Tool(matrix, (asked.plimsoll, "calibrate", str(file), *words), read, statuses=BELIEVED_OR_NOT)


def _with_range(said: Any) -> Figures:
    knee = said["data"]["knee"]
    return _read(said, None if knee is None else tuple(knee["iops_range"]))


def _without_range(said: Any) -> Figures:
    knee = said["data"]["knee"]
    return _read(said, None if knee is None else (knee["iops"], knee["iops"]))


def _read(said: Any, knee_range: tuple[float, float] | None) -> Figures:
    found = said["data"]
    knee = found["knee"]
    figures = {"measured_s": found["measured_s"], "points": float(len(found["cells"]))}
    if knee is None or knee_range is None:
        return figures
    low, high = knee_range
    return {
        **figures,
        "knee_iops": knee["iops"],
        "knee_depth": float(knee["small_depth"]),
        "knee_low_iops": low,
        "knee_high_iops": high,
    }


def _aims(place: str) -> list[Aim]:
    return [
        Aim(place, "knee_high_iops", "adaptive", ("detailed",), median_min=1.0),
        Aim(place, "knee_low_iops", "adaptive", ("detailed",), median_max=1.0),
        Aim(place, "measured_s", "adaptive", ("detailed",), median_max=SECONDS_RATIO_MAX),
    ]


if __name__ == "__main__":
    sys.exit(main())
