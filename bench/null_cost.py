"""What the tool itself costs for each I/O: the null engine, which does none, of `plimsoll io` beside fio's, at depth 32.

Both record the latency of every I/O. fio's null engine knows no target; ours is given a simulated one, which it never opens.
"""

from __future__ import annotations

import sys

from kit import bench
from kit.judge import Aim
from kit.rounds import Case
from kit.tools import fio, ours

CPU_US_PER_IO_MAX = 0.1
DEPTHS = (1, 32, 128)
JUDGED_DEPTH = 32


def main() -> int:
    """Runs it."""
    return bench.run("null_cost", __doc__ or "", _measure, rounds=15, runtime_s=5)


def _measure(here: bench.Bench) -> list[Aim]:
    cases = [_case(here.asked, depth) for depth in DEPTHS]
    here.measure(cases)
    return [aim for depth in DEPTHS for aim in _aims(f"null-{depth}", judged=depth == JUDGED_DEPTH)]


def _case(asked: bench.Asked, depth: int) -> Case:
    own_words = ("--rw", "randread", "--block", "8k", "--depth", str(depth), "--engine", "null")
    their_words = ("--ioengine=null", "--size=1g", "--bs=8k", "--rw=randread", f"--iodepth={depth}")
    return Case(
        f"null-{depth}",
        (
            ours("plimsoll", asked.plimsoll, "sim:", *own_words, runtime_s=asked.runtime_s),
            fio("fio", None, *their_words, runtime_s=asked.runtime_s),
        ),
    )


def _aims(case: str, judged: bool) -> list[Aim]:
    return [
        Aim(case, "cpu_us_per_io", "plimsoll", median_max=CPU_US_PER_IO_MAX if judged else None),
        Aim(case, "cpu_us_per_io", "plimsoll", ("fio",)),
    ]


if __name__ == "__main__":
    sys.exit(main())
