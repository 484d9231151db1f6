"""How closely several hosts begin together: `plimsoll io --hosts` beside fio's client with a server for each host.

Hosts are processes of this machine, whose clock is one: what is told of offsets must be within the bound that is told. Ours is the
spread of the first I/Os; so is fio's, by the stamps of its logs, which are whole milliseconds: where they are the same, half of one
is taken.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Figures, Tool
from kit.targets import folder_on
from kit.tools import BELIEVED_OR_NOT

HOSTS = ("a", "b", "c", "d")
SPREAD_US_MAX = 1000.0
SPREAD_US_P95_MAX = 5000.0
END_SPREAD_US_MAX = 20_000.0
FIO_STAMP_US = 1000.0
FILE_BYTES = 64 << 20
_PYTHON = ".venv/bin/python"


def main() -> int:
    """Runs it."""
    return bench.run("hosts_start", __doc__ or "", _measure, rounds=100, runtime_s=0.3)


def _measure(here: bench.Bench) -> list[Aim]:
    with folder_on("disk", FILE_BYTES) as folder:
        target = folder / "hosts.data"
        target.write_bytes(os.urandom(FILE_BYTES))
        case = Case("start", (_ours(here.asked, target), _fio(target)))
        here.measure([case])
    return [
        Aim(case.name, "start_spread_us", "plimsoll", median_max=SPREAD_US_MAX, p95_max=SPREAD_US_P95_MAX),
        Aim(case.name, "end_spread_us", "plimsoll", median_max=END_SPREAD_US_MAX),
        Aim(case.name, "wrong_offsets", "plimsoll", median_max=0.0),
        Aim(case.name, "start_spread_us", "plimsoll", ("fio",)),
    ]


def _ours(asked: bench.Asked, target: Path) -> Tool:
    words = (
        "--runtime",
        f"{asked.runtime_s:g}s",
        "--warm-up",
        "0",
        "--engine",
        "psync",
        "--depth",
        "1",
        "--no-direct",
    )
    there = (
        "--hosts",
        ",".join(HOSTS),
        "--launcher",
        "env HOST={host}",
        "--agent",
        f"{asked.plimsoll} agent",
    )
    return Tool(
        "plimsoll",
        (asked.plimsoll, "io", str(target), *words, *there, "--json"),
        _read,
        statuses=BELIEVED_OR_NOT,
    )


def _read(said: Any) -> Figures:
    data = said["data"]
    wrong = [one for one in data["hosts"] if abs(one["clock_offset_us"]) > one["clock_error_us"]]
    return {
        "start_spread_us": data["start_spread_us"],
        "end_spread_us": data["end_spread_us"],
        "late_us_max": max(one["begun_late_us"] for one in data["hosts"]),
        "clock_error_us_max": max(one["clock_error_us"] for one in data["hosts"]),
        "wrong_offsets": float(len(wrong)),
    }


def _fio(target: Path) -> Tool:
    command = (_PYTHON, "bench/kit/fio_together.py", str(target), str(len(HOSTS)))
    return Tool("fio", command, lambda said: {"start_spread_us": said["start_spread_us"] or FIO_STAMP_US / 2})


if __name__ == "__main__":
    sys.exit(main())
