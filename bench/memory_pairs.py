"""Memory: streams with each kind of store, random updates and chains of loads, `plimsoll host bench memory` beside C.

The C is `kit/memory_reference.c`, compiled here by gcc with AVX2; loops of ordinary stores stay loops there, as gcc would make
calls of memcpy of them, which chooses its own stores. Both go through arrays of the same size, in pages of the same size, on one
and the same CPU, in processes of their own that take turns. Streams are to be within 5 % of each other, the rest within 10 %.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Tool
from kit.targets import CannotMake

REFERENCE = bench.ROOT / "target/memory_reference"
KIT = Path(__file__).resolve().parent / "kit"
STREAMS = ("copy-ordinary", "copy-non-temporal", "triad-ordinary", "triad-non-temporal")
FIGURES = {"update": "updates_per_s", "chase-small": "latency_ns", "chase-huge": "latency_ns"}
NEAR, WIDE = 0.05, 0.1
ARRAY_BYTES = 256 << 20
"""Beyond the second-level caches of any processor; three of them are had on small machines as well."""
FLAGS = ("-O3", "-mavx2", "-std=gnu11", "-fno-tree-loop-distribute-patterns", "-Wall", "-Wextra", "-Werror")


def main() -> int:
    """Runs it."""
    return bench.run("memory_pairs", __doc__ or "", _measure, rounds=10, runtime_s=0.7, programs=("gcc",))


def _measure(here: bench.Bench) -> list[Aim]:
    try:
        _compile(REFERENCE)
    except CannotMake as reason:
        here.left_out["gcc"] = str(reason)
        return []
    cases = here.wanted([_case(here.asked, work, REFERENCE) for work in (*STREAMS, *FIGURES)])
    here.measure(cases)
    return [_aim(case.name) for case in cases]


def _compile(reference: Path) -> None:
    if "avx2" not in Path("/proc/cpuinfo").read_text().split():
        raise CannotMake("this processor has no AVX2, which the reference is written for")
    reference.parent.mkdir(exist_ok=True)
    try:
        command = ["gcc", *FLAGS, "-o", str(reference), str(KIT / "memory_reference.c")]
        subprocess.run(command, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        raise CannotMake(f"gcc: {error.stderr.strip()}") from error


def _case(asked: bench.Asked, work: str, reference: Path) -> Case:
    words = (work, str(ARRAY_BYTES), f"{asked.runtime_s:g}", str(max(os.sched_getaffinity(0))))
    python = str(Path(asked.plimsoll).parent / "python")
    ours = Tool("plimsoll", (python, str(KIT / "memory_work.py"), *words), dict)
    return Case(work, (ours, Tool("c", (str(reference), *words), dict)))


def _aim(work: str) -> Aim:
    near = NEAR if work in STREAMS else WIDE
    figure = FIGURES.get(work, "mb_per_s")
    return Aim(work, figure, "plimsoll", ("c",), median_min=1 - near, median_max=1 + near)


if __name__ == "__main__":
    sys.exit(main())
