"""Random 8 KiB reads: `plimsoll io` beside fio, on the local disk and on a loop device in memory, at depth 32 and 128.

In each round every tool runs once per case. Two comparisons are made, since fio has two ways of being good:

- I/Os per second against fio's best: io_uring with fixed buffers and registered files, submitting in batches of 8 (taking
  completions as they come, or 8 at a time) or one by one; whichever has the highest median in the case;
- processor time per I/O of the whole process against fio with fixed buffers and registered files at the same depth, as it is
  usually run. Ours records every latency. Python's start is in it, so a run should last long enough for that to matter little;
  the ratio without the start of either tool is given beside it.

libaio at depth 32 is compared with fio's libaio where the kernel has it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Tool
from kit.targets import write_file
from kit.tools import FIO_RING, fio, ours

from plimsoll import _core

IOPS_RATIO_MIN = 0.98
IOPS_RATIO_LOW_MIN = 0.95
CPU_RATIO_MAX = {32: 0.9, 128: 0.8}
LIBAIO_CPU_RATIO_MAX = 1.0
LIBAIO_DEPTH = 32
_BATCH = ("--iodepth_batch_submit=8", "--iodepth_batch_complete_max=32")


def main() -> int:
    """Runs it."""
    return bench.run("fio_pairs", __doc__ or "", _measure, rounds=15, runtime_s=20)


def _measure(here: bench.Bench) -> list[Aim]:
    def measure(place: str, folder: Path) -> list[Aim]:
        file = folder / "data"
        write_file(file, here.asked.size_bytes)
        cases = here.wanted(_cases(here, place, file))
        here.measure(cases, place)
        return [aim for case in cases for aim in _aims(case.name)]

    return here.on_each_place(here.asked.size_bytes, measure)


def _cases(here: bench.Bench, place: str, file: Path) -> list[Case]:
    rings = [_ring_case(here.asked, place, file, depth) for depth in CPU_RATIO_MAX]
    reason = _no_libaio()
    if reason is not None:
        here.left_out["libaio"] = reason
        return rings
    return [*rings, _libaio_case(here.asked, place, file)]


def _ring_case(asked: bench.Asked, place: str, file: Path, depth: int) -> Case:
    shape = ("--bs=8k", "--rw=randread", f"--iodepth={depth}", *FIO_RING)
    one_by_one = fio("fio", file, *shape, runtime_s=asked.runtime_s)
    as_they_come = fio(
        "fio-batch", file, *shape, *_BATCH, "--iodepth_batch_complete_min=1", runtime_s=asked.runtime_s
    )
    in_eights = fio(
        "fio-batch8", file, *shape, *_BATCH, "--iodepth_batch_complete_min=8", runtime_s=asked.runtime_s
    )
    return Case(
        f"{place}-io-uring-{depth}",
        (_ours(asked, file, "io_uring", depth), one_by_one, as_they_come, in_eights),
    )


def _libaio_case(asked: bench.Asked, place: str, file: Path) -> Case:
    shape = ("--bs=8k", "--rw=randread", f"--iodepth={LIBAIO_DEPTH}", "--ioengine=libaio")
    theirs = fio("fio", file, *shape, runtime_s=asked.runtime_s)
    in_eights = fio(
        "fio-batch8", file, *shape, *_BATCH, "--iodepth_batch_complete_min=8", runtime_s=asked.runtime_s
    )
    return Case(
        f"{place}-libaio-{LIBAIO_DEPTH}", (_ours(asked, file, "libaio", LIBAIO_DEPTH), theirs, in_eights)
    )


def _ours(asked: bench.Asked, file: Path, engine: str, depth: int) -> Tool:
    shape = ("--rw", "randread", "--block", "8k", "--depth", str(depth), "--engine", engine)
    return ours("plimsoll", asked.plimsoll, file, *shape, runtime_s=asked.runtime_s)


def _no_libaio() -> str | None:
    """Why libaio cannot be compared here; None where it can."""
    known = {engine["name"]: engine for engine in _core.engines()}
    if "libaio" not in known:
        return "this build has no engine libaio"
    return None if known["libaio"]["available"] else f"libaio cannot run here: {known['libaio']['reason']}"


def _aims(case: str) -> list[Aim]:
    engine, depth = case.split("-", 1)[1].rsplit("-", 1)
    others = ("fio", "fio-batch", "fio-batch8") if engine == "io-uring" else ("fio", "fio-batch8")
    cpu_max = CPU_RATIO_MAX[int(depth)] if engine == "io-uring" else LIBAIO_CPU_RATIO_MAX
    return [
        Aim(case, "iops", "plimsoll", others, median_min=IOPS_RATIO_MIN, low_min=IOPS_RATIO_LOW_MIN),
        Aim(case, "cpu_us_per_io", "plimsoll", ("fio",), median_max=cpu_max),
        Aim(case, "cpu_us_per_io_running", "plimsoll", ("fio",)),
    ]


if __name__ == "__main__":
    sys.exit(main())
