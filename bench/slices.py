"""How long the best division of a host of 64 nodes and 256 cores among 20 databases takes, by how much of the host they ask for.

Within 5 s of processor time each, be distances graded or all alike. Beside it stands how far the plan may be above the least cost,
in distance: 0 where it is proved to be the best.
"""

from __future__ import annotations

import sys

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Tool

_PYTHON = ".venv/bin/python"
SHARES = (0.5, 0.7, 0.9, 1.0)
PLAN_CPU_S = 5.0


def main() -> int:
    """Runs it."""
    return bench.run("slices", __doc__ or "", _measure, rounds=1, runtime_s=5, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    cases = [_case(kind, share) for kind in ("graded", "alike") for share in SHARES]
    here.measure(here.wanted(cases))
    return [
        aim
        for case in cases
        for aim in (
            Aim(case.name, "cpu_s", "plimsoll", median_max=PLAN_CPU_S),
            Aim(case.name, "gap", "plimsoll"),
            Aim(case.name, "gap_second", "plimsoll"),
        )
    ]


def _case(kind: str, share: float) -> Case:
    command = (_PYTHON, "bench/kit/slices_work.py", kind, str(share))
    return Case(f"{kind}-{share:.0%}", (Tool("plimsoll", command, dict),))


if __name__ == "__main__":
    sys.exit(main())
