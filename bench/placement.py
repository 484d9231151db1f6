"""How long the best placement of 10,000 objects on 4 tiers takes to be found and proved, over 12 random cases.

The median within 5 s of processor time, which on its one thread is what it takes on an idle machine; each case within a gap of
1e-6. Beside it stand the gain of the rule of thumb (most gain per byte first) and the bound of the relaxation, in each sample.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Tool

_PYTHON = ".venv/bin/python"
SEEDS = range(1, 13)
OBJECTS, TIERS = 10_000, 4
SOLVE_S, GAP = 5.0, 1e-6
_ALL = "all-seeds"


def main() -> int:
    """Runs it."""
    return bench.run("placement", __doc__ or "", _measure, rounds=1, runtime_s=5, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    cases = here.wanted([Case(f"seed-{seed:02d}", (_tool(seed),)) for seed in SEEDS])
    made = here.measure(cases)
    # Each seed counts as a round of one case, over which the median is.
    here.samples += [replace(sample, case=_ALL, round=number) for number, sample in enumerate(made)]
    gaps = [Aim(case.name, "gap", "plimsoll", median_max=GAP) for case in cases]
    solved = [Aim(_ALL, "solve_cpu_s", "plimsoll", median_max=SOLVE_S), Aim(_ALL, "solve_s", "plimsoll")]
    return [*solved, *gaps]


def _tool(seed: int) -> Tool:
    command = (_PYTHON, "bench/kit/placement_work.py", str(seed), str(OBJECTS), str(TIERS))
    return Tool("plimsoll", command, dict)


if __name__ == "__main__":
    sys.exit(main())
