"""Adaptive calibration beside the detailed matrix on one target: the same knee in a fraction of the measured seconds.

Both read the same file, in turn, with the same time for each point. The detailed matrix is ORION's for eight disks: 373 points.
On a real target the power is flat around its highest, and where one run has its knee is chance. Each says in which range its own
lies: the two ranges must overlap. So that this can fail, neither may be wider than threefold.
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
WIDTH_MAX = 3.0
"""The upper end of a knee's range over its lower end."""


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
    return Tool(
        matrix, (asked.plimsoll, "calibrate", str(file), *words), _READ[matrix], statuses=BELIEVED_OR_NOT
    )


def _adaptive(said: Any) -> Figures:
    low, high = said["data"]["knee"]["iops_range"]
    return {**_read(said), "upper_end_over_lower": high, "lower_end_over_upper": low}


def _detailed(said: Any) -> Figures:
    """The end that the other range must reach stands under the name of the end that reaches it."""
    low, high = said["data"]["knee"]["iops_range"]
    return {**_read(said), "upper_end_over_lower": low, "lower_end_over_upper": high}


_READ = {"adaptive": _adaptive, "detailed": _detailed}


def _read(said: Any) -> Figures:
    found, knee = said["data"], said["data"]["knee"]
    low, high = knee["iops_range"]
    return {
        "measured_s": found["measured_s"],
        "points": float(len(found["cells"])),
        "knee_iops": knee["iops"],
        "knee_depth": float(knee["small_depth"]),
        "knee_low_iops": low,
        "knee_high_iops": high,
        "knee_width": high / low,
    }


def _aims(place: str) -> list[Aim]:
    return [
        Aim(place, "upper_end_over_lower", "adaptive", ("detailed",), median_min=1.0),
        Aim(place, "lower_end_over_upper", "adaptive", ("detailed",), median_max=1.0),
        Aim(place, "knee_width", "adaptive", median_max=WIDTH_MAX),
        Aim(place, "knee_width", "detailed", median_max=WIDTH_MAX),
        Aim(place, "measured_s", "adaptive", ("detailed",), median_max=SECONDS_RATIO_MAX),
    ]


if __name__ == "__main__":
    sys.exit(main())
