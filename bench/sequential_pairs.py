"""Sequential reads: `plimsoll io --rw read` beside fio at equal work, on the local disk and on a loop device in memory.

Neighbouring I/Os that are handed over in one call are merged by the kernel, and are then counted by whoever asked and not by the
device. fio hands them over one by one, and so do we unless `--merge` is given: the rates must be the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Tool
from kit.targets import write_file
from kit.tools import FIO_RING, HUGE_PAGES, fio, ours

RATIO_MIN, RATIO_MAX = 0.95, 1.1
BLOCKS = ("8k", "128k")
DEPTH = 16
_ENGINES = {"io_uring": FIO_RING, "libaio": ("--ioengine=libaio",)}


def main() -> int:
    """Runs it."""
    return bench.run("sequential_pairs", __doc__ or "", _measure, rounds=9, runtime_s=3)


def _measure(here: bench.Bench) -> list[Aim]:
    def measure(place: str, folder: Path) -> list[Aim]:
        file = folder / "data"
        write_file(file, here.asked.size_bytes)
        cases = here.wanted(
            [_case(here.asked, place, file, engine, block) for engine in _ENGINES for block in BLOCKS]
        )
        here.measure(cases, place)
        return [_aim(case.name) for case in cases]

    return here.on_each_place(here.asked.size_bytes, measure)


def _case(asked: bench.Asked, place: str, file: Path, engine: str, block: str) -> Case:
    theirs = ("--rw=read", f"--bs={block}", f"--iodepth={DEPTH}", "--iomem_align=2m", *_ENGINES[engine])
    shape = ("--rw", "read", "--block", block, "--depth", str(DEPTH), "--engine", engine)
    tools: tuple[Tool, ...] = (
        ours("plimsoll", asked.plimsoll, file, *shape, runtime_s=asked.runtime_s),
        fio("fio", file, *theirs, runtime_s=asked.runtime_s, before=HUGE_PAGES),
    )
    return Case(f"{place}-{engine.replace('_', '-')}-{block}", tools)


def _aim(case: str) -> Aim:
    return Aim(case, "iops", "plimsoll", ("fio",), median_min=RATIO_MIN, median_max=RATIO_MAX)


if __name__ == "__main__":
    sys.exit(main())
